// cp.async in all its spellings, commit and waits.
// RUN: %layout-port %s -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
#define CP_ASYNC_CG(dst, src, Bytes) \
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2;\n" ::"r"(dst), "l"(src), "n"(Bytes))
// CHECK: #define CP_ASYNC_CG(dst, src, Bytes)
// CHECK-NEXT: lp::cp_async<Bytes>(dst, src)
__device__ void copies(unsigned s, const float *g, int left, bool skip) {
  CP_ASYNC_CG(s, g, 16);
  // CHECK: lp::cp_async<4>(s, g);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(s), "l"(g));
  // CHECK: lp::cp_async_zfill<8>(s, g, left);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" :: "r"(s), "l"(g), "r"(left));
  // CHECK: do { bool ptx_p; ptx_p = (unsigned)((int)!skip) != 0u; if (ptx_p) lp::cp_async<16>(s, g); } while (0);
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %0, 0; @p cp.async.cg.shared.global [%1], [%2], 16; }"
               :: "r"((int)!skip), "r"(s), "l"(g));
  // A PTX register of the same name as the author's pointer must not capture it.
  const float *p = g;
  // CHECK: if (ptx_p) lp::cp_async<16>(s, p); } while (0);
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %0, 0; @p cp.async.cg.shared.global [%1], [%2], 16; }"
               :: "r"((int)!skip), "r"(s), "l"(p));
  // A predicate that ignores the source, an L2 hint, and an offset in bytes.
  // CHECK: lp::cp_async_zfill<16>(s, (unsigned long long)(g) + 32, (ptx_p) ? 0 : 16); } while (0);
  asm volatile("{ .reg .pred p; setp.eq.s32 p, %2, 0; cp.async.cg.shared.global.L2::256B [%0], [%1+32], 16, p; }"
               :: "r"(s), "l"(g), "r"(left));
  // CHECK: lp::cp_async_commit();
  asm volatile("cp.async.commit_group;\n" ::);
  // CHECK: lp::cp_async_wait(2);
  asm volatile("cp.async.wait_group %0;\n" :: "n"(2));
  // CHECK: lp::cp_async_wait(0);
  asm volatile("cp.async.wait_all;\n" ::: "memory");
}
