// Atomics on vectors: element by element, two halves at a time.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 --cuda-arch=sm_90 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: not grep -E "^ *asm" %t.hip
// RUN: %layout-port verify %s %t.hip --launch %S/Inputs/vectors.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}{{proved|tested}}: all outputs
__device__ void vectors(float *p, unsigned *q, unsigned short *h, float x, float y, unsigned u, unsigned v, unsigned short a, unsigned short b) {
  // CHECK: do { const auto lp_p = lp::global_at<float>(p); const float lp_x[] = {x, y}; (void)__hip_atomic_fetch_add(lp_p + 0, lp_x[0], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); (void)__hip_atomic_fetch_add(lp_p + 1, lp_x[1], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); } while (0);
  asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" ::"l"(p), "f"(x), "f"(y) : "memory");
  // CHECK: x = __hip_atomic_fetch_add(lp_p + 0, lp_x[0]
  // CHECK-SAME: y = __hip_atomic_fetch_add(lp_p + 1, lp_x[1]
  asm volatile("atom.global.v2.f32.add {%0, %1}, [%2], {%0, %1};" : "+f"(x), "+f"(y) : "l"(p) : "memory");
  // CHECK: const unsigned lp_x[] = {(unsigned)u, (unsigned)v}; (void)lp::atomic_add_pair<lp::half2, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT>(lp_p + 0, lp_x[0]); (void)lp::atomic_add_pair<lp::half2,
  asm volatile("red.relaxed.gpu.global.add.noftz.v2.f16x2 [%0], {%1, %2};" ::"l"(q), "r"(u), "r"(v) : "memory");
  // CHECK: lp::atomic_max_pair<lp::bfloat2, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT>(lp_p + 1, lp_x[1]);
  asm volatile("red.global.max.noftz.v2.bf16x2 [%0], {%1, %2};" ::"l"(q), "r"(u), "r"(v) : "memory");
  // CHECK: const unsigned lp_x[] = {lp::pack<unsigned, unsigned short>((unsigned short)a, (unsigned short)b)}; { const unsigned lp_v = lp::atomic_add_pair<lp::half2, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT>(lp_p + 0, lp_x[0]); a = (unsigned short)lp_v; b = (unsigned short)(lp_v >> 16); }
  asm volatile("atom.global.add.noftz.v2.f16 {%0, %1}, [%2], {%0, %1};" : "+h"(a), "+h"(b) : "l"(h) : "memory");
}
__global__ void sums(float *P, unsigned *Q, unsigned short *H, const float *X, const unsigned *U) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  vectors(P + 2 * t, Q + 2 * t, H + 2 * t, X[2 * t], X[2 * t + 1], U[2 * t], U[2 * t + 1],
          (unsigned short)U[t], (unsigned short)(U[t] >> 16));
}
