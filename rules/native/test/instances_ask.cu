// Instances of one kernel share its text. What one of them asks of another lane between its products,
// the others have to ask as well, or never come there.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
// RUN: %ported %t.hip | FileCheck %s --check-prefix=TEXT
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void ldsm2(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// The rows' factors go into results, or are stored for this thread's own.
// CHECK-DAG: scaled is not native: its instantiations need different code
// TEXT-LABEL: scaled(
// TEXT-NOT: of_element
// TEXT-LABEL: causal(
template <bool Scales> __global__ void __launch_bounds__(64) scaled(float *C, const float *F, int n) {
  __shared__ half s[2048];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4] = {};
  uint32_t a[4], b[2];
  for (int i = 0; i < n; ++i) {
    ldsm4(a, &s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]);
    ldsm2(b, &s[1024 + lane % 16 * 16]);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] *= c[r];
    float f[2];
    for (int h = 0; h < 2; ++h)
      f[h] = F[warp * 16 + lane / 4 + 8 * h];
    if (Scales)
      for (int r = 0; r < 4; ++r)
        c[r] *= f[r / 2];
    else
      C[threadIdx.x] = f[0] + f[1];
  }
  for (int r = 0; r < 4; ++r)
    C[(warp * 16 + lane / 4 + r / 2 * 8) * 8 + lane % 4 * 2 + r % 2] = c[r];
}
template __global__ void scaled<true>(float *, const float *, int);
template __global__ void scaled<false>(float *, const float *, int);

// The mask is nothing to the second instance.
// CHECK-NOT: causal is not native
// TEXT: if (Causal)
// TEXT: lp::of_element<1>(r, [&](
template <bool Causal> __global__ void __launch_bounds__(64) causal(float *C, int n) {
  __shared__ half s[2048];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4] = {};
  uint32_t a[4], b[2];
  for (int i = 0; i < n; ++i) {
    ldsm4(a, &s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]);
    ldsm2(b, &s[1024 + lane % 16 * 16]);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] *= c[r];
    if (Causal)
      for (int r = 0; r < 4; ++r)
        if (lane % 4 * 2 + r % 2 > lane / 4 + r / 2 * 8)
          c[r] = 0.f;
  }
  for (int r = 0; r < 4; ++r)
    C[(warp * 16 + lane / 4 + r / 2 * 8) * 8 + lane % 4 * 2 + r % 2] = c[r];
}
template __global__ void causal<true>(float *, int);
template __global__ void causal<false>(float *, int);
