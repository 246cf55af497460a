// How asm is spelled: behind a macro of the file, with registers that C++ could not name.
// RUN: %layout-port %s -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERR < %t.err
// ERR: asm {{ *}}1 renamed {{ *}}a macro that stands for asm: its uses are ported
// ERR: compiled: gfx942 yes host yes
#define ASM asm volatile
#define FENCE() ASM("membar.gl;")
__global__ void spelling(unsigned *d, float *f, const void *p, unsigned short h, uint4 v, bool b) {
  // CHECK: do { unsigned long long ptx_r_t; ptx_r_t = lp::cvta_generic_to_shared((const void *)(p)); d[0] = (unsigned)ptx_r_t; } while (0);
  ASM("{ .reg .u64 %%t; cvta.to.shared.u64 %%t, %1; cvt.u32.u64 %0, %%t; }" : "=r"(d[0]) : "l"(p));
  // CHECK: f[0] = lp::bits<float>(lp::pack<unsigned, unsigned short>(0u, (unsigned short)h));
  asm("{ mov.b32 %0, {0, %1}; }" : "=f"(f[0]) : "h"(h));
  // CHECK: if (ptx_p) *lp::global_at<lp::vec<unsigned, 4>>(d) = lp::vec<unsigned, 4>{(unsigned)(v.x), (unsigned)(v.y), (unsigned)(v.z), (unsigned)(v.w)}; } while (0);
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %5, 0; @p st.global.v4.u32 [%0], {%1, %2, %3, %4}; }"
               ::"l"(d), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w), "r"((int)b) : "memory");
  FENCE();
}
