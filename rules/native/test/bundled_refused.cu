// Arrays of registers that are more than another name of them: the registers change, or the array is
// used by other code, or what it is made from has another meaning where the product is.
//
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ uint32_t smem(const half *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ void ldsm4(uint32_t &r0, uint32_t &r1, uint32_t &r2, uint32_t &r3, uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(row));
}
__device__ void ldsm2(uint32_t (&r)[2], uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"(row));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#define BEGIN                                                                                      \
  __shared__ half s[64 * 24];                                                                      \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  s[threadIdx.x] = A[threadIdx.x];                                                                 \
  __syncthreads();                                                                                 \
  float c[2][4] = {};                                                                              \
  uint32_t a[4], b0, b1, b2, b3;
#define END                                                                                        \
  for (int e = 0; e < 8; e++)                                                                      \
    C[threadIdx.x * 8 + e] = c[e / 4][e % 4];

// CHECK-DAG: note: changed keeps 'b2' in CUDA's layout and moves it for each product: one load fills 'b2' and variables that are no such operand
__global__ void __launch_bounds__(64) changed(const half *A, float *C) {
  BEGIN
  ldsm4(a[0], a[1], a[2], a[3], smem(s + (warp * 16 + lane % 16) * 24 + lane / 16 * 8));
  ldsm4(b0, b1, b2, b3, smem(s + lane * 24));
  const uint32_t left[2] = {b0, b1}, right[2] = {b2, b3};
  b0 = b2;
  mma(c[0], a, left);
  mma(c[1], a, right);
  END
}

// CHECK-DAG: note: filled keeps 'b2' in CUDA's layout and moves it for each product: one load fills 'b2' and variables that are no such operand
__global__ void __launch_bounds__(64) filled(const half *A, float *C) {
  BEGIN
  ldsm4(a[0], a[1], a[2], a[3], smem(s + (warp * 16 + lane % 16) * 24 + lane / 16 * 8));
  ldsm4(b0, b1, b2, b3, smem(s + lane * 24));
  uint32_t left[2] = {b0, b1};
  const uint32_t right[2] = {b2, b3};
  mma(c[0], a, left);
  ldsm2(left, smem(s + lane % 16 * 24));
  mma(c[0], a, left);
  mma(c[1], a, right);
  END
}

// CHECK-DAG: note: used is not native: 'left', which points into a fragment, is used by other code, too
__global__ void __launch_bounds__(64) used(const half *A, float *C) {
  BEGIN
  ldsm4(a[0], a[1], a[2], a[3], smem(s + (warp * 16 + lane % 16) * 24 + lane / 16 * 8));
  ldsm4(b0, b1, b2, b3, smem(s + lane * 24));
  const uint32_t left[2] = {b0, b1}, right[2] = {b2, b3};
  if (left[0] == 1)
    C[0] = 0.f;
  mma(c[0], a, left);
  mma(c[1], a, right);
  END
}

// CHECK-DAG: note: hidden keeps 'b2' in CUDA's layout and moves it for each product: one load fills 'b2' and variables that are no such operand
__global__ void __launch_bounds__(64) hidden(const half *A, float *C) {
  BEGIN
  ldsm4(a[0], a[1], a[2], a[3], smem(s + (warp * 16 + lane % 16) * 24 + lane / 16 * 8));
  ldsm4(b0, b1, b2, b3, smem(s + lane * 24));
  const uint32_t left[2] = {b0, b1}, right[2] = {b2, b3};
  {
    const float b0 = c[0][0];
    C[1] = b0;
    mma(c[0], a, left);
    mma(c[1], a, right);
  }
  END
}
