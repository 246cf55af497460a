// Sums that asm is given in the place of a result ("0"(c)) are what they are: C, which may be others
// than D.
// RUN: %layout-port %s -o %t.hip --target gfx942 > %t.log 2>&1
// RUN: FileCheck %s < %t.log
// RUN: %ported %t.hip | FileCheck %s --check-prefix=TEXT
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void rows16(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void rows8(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
                    const float (&c)[4]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "0"(c[0]),
                 "1"(c[1]), "2"(c[2]), "3"(c[3]));
}

#define BEGIN                                                                                      \
  __shared__ half s[40 * 16];                                                                      \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  for (int i = threadIdx.x; i < 40 * 16; i += 64)                                                  \
    s[i] = A[i];                                                                                   \
  __syncthreads();                                                                                 \
  float c[2][4] = {};                                                                              \
  uint32_t a[4], b[2];
#define END                                                                                        \
  for (int e = 0; e < 8; e++)                                                                      \
    C[threadIdx.x * 8 + e] = c[e / 4][e % 4];

// CHECK-NOT: same is not native
// TEXT-LABEL: same(
// TEXT: lp::mma_m16n8k16_f32_f16_wave(c[0], a, b)
__global__ void __launch_bounds__(64) same(const half *A, float *C) {
  BEGIN
  rows16(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  rows8(b, s + (32 + lane % 8) * 16 + lane / 8 % 2 * 8);
  mma(c[0], a, b, c[0]);
  END
}

// TEXT-LABEL: others(
// TEXT: {{^  }}mma(c[0], a, b, c[0]);
// TEXT: {{^  }}mma(c[1], a, b, c[0]);
__global__ void __launch_bounds__(64) others(const half *A, float *C) {
  BEGIN
  rows16(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  rows8(b, s + (32 + lane % 8) * 16 + lane / 8 % 2 * 8);
  mma(c[0], a, b, c[0]);
  // CHECK: others is not native: an accumulator that is read from one variable and written to another ({{.*}}:[[# @LINE + 1]])
  mma(c[1], a, b, c[0]);
  END
}
