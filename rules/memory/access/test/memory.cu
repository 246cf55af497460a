// Loads and stores of every memory, vectors, hints, atomics, fences and barriers.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: not grep -E "^ *asm" %t.hip
// RUN: %layout-port verify %s %t.hip --launch %S/Inputs/memory.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}proved: all outputs
__global__ void access(float *D, const float *A, unsigned *N, int *H) {
  __shared__ float tile[256];
  const int t = threadIdx.x;
  const unsigned s = (unsigned)__cvta_generic_to_shared(tile + 4 * t);
  const float *p = A + 4 * (blockIdx.x * 64 + t);
  float v[4];
  unsigned n, old;
  // CHECK: do { const lp::vec<float, 4> lp_v = *lp::global_at<lp::vec<float, 4>>(p); v[0] = lp_v[0]; v[1] = lp_v[1]; v[2] = lp_v[2]; v[3] = lp_v[3]; } while (0);
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3]) : "l"(p));
  // CHECK: *lp::lds_at<lp::vec<float, 4>>(s) = lp::vec<float, 4>{v[3], v[1], v[2], v[0]};
  asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(s), "f"(v[3]), "f"(v[1]), "f"(v[2]), "f"(v[0]));
  // CHECK: __syncthreads();
  asm volatile("bar.sync 0;" ::: "memory");
  // CHECK: v[0] = *lp::lds_at<float>((s ^ 16) + 8);
  asm volatile("ld.shared.f32 %0, [%1+8];" : "=f"(v[0]) : "r"(s ^ 16));
  // CHECK: v[1] = *lp::global_at<float>((unsigned long long)(p) + 4);
  asm volatile("ld.global.cg.f32 %0, [%1 + 4];" : "=f"(v[1]) : "l"(p));
  // CHECK: do { const lp::vec<unsigned, 2> lp_v = *lp::global_at<lp::vec<unsigned, 2>>(p); n = lp_v[0]; old = lp_v[1]; } while (0);
  asm volatile("ld.global.v2.b32 {%0, %1}, [%2];" : "=r"(n), "=r"(old) : "l"(p));
  // CHECK: v[2] = lp::bits<float>(*lp::lds_at<unsigned>(s));
  asm volatile("ld.shared.b32 %0, [%1];" : "=f"(v[2]) : "r"(s));
  // CHECK: (void)0;
  asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
  {
    unsigned long long policy;
    // CHECK: policy = 0;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    // CHECK: *lp::global_at<float>(D + 4 * (blockIdx.x * 64 + t)) = v[0];
    asm volatile("st.global.cs.L2::cache_hint.f32 [%0], %1, %2;" ::"l"(D + 4 * (blockIdx.x * 64 + t)), "f"(v[0]), "l"(policy));
  }
  // CHECK: *lp::global_at<lp::vec<float, 2>>((unsigned long long)(D + 4 * (blockIdx.x * 64 + t)) + 8) = lp::vec<float, 2>{v[1], v[2]};
  asm volatile("st.global.v2.f32 [%0+8], {%1, %2};" ::"l"(D + 4 * (blockIdx.x * 64 + t)), "f"(v[1]), "f"(v[2]));
  // CHECK: *lp::global_at<unsigned>((unsigned long long)(D + 4 * (blockIdx.x * 64 + t)) + 4) = (unsigned)n;
  asm volatile("st.global.b32 [%0+4], %1;" ::"l"(D + 4 * (blockIdx.x * 64 + t)), "r"(n));
  // CHECK: (void)__hip_atomic_fetch_add(lp::global_at<int>(H), (int)t, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  asm volatile("red.relaxed.gpu.global.add.s32 [%0], %1;" ::"l"(H), "r"(t));
  // CHECK: old = __hip_atomic_fetch_max(lp::global_at<unsigned>(N), (unsigned)(t * 3), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  asm volatile("atom.global.max.u32 %0, [%1], %2;" : "=r"(old) : "l"(N), "r"(t * 3));
  // CHECK: old = __hip_atomic_fetch_add(lp::generic_at<unsigned>(N + 1), (unsigned)1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  asm volatile("atom.add.gpu.u32 %0, [%1], %2;" : "=r"(old) : "l"(N + 1), "r"(1));
  // CHECK: __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "agent");
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
  // CHECK: __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
  asm volatile("membar.gl;" ::: "memory");
  // CHECK: do { bool ptx_p; ptx_p = (int)(t & 1) != 0; if (ptx_p) (void)__hip_atomic_fetch_or(lp::global_at<unsigned>(N + 2), (unsigned)t, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); } while (0);
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %0, 0; @p red.global.or.b32 [%1], %2; }" ::"r"(t & 1), "l"(N + 2), "r"(t));
}
