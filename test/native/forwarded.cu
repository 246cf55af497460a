// ldmatrix into registers that only hand on what they got: an array, in either order of the
// matrices, and variables, of two loads before the first copy.
//
// RUN: %prove --launch %S/forwarded.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t smem(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void ldsm4(uint32_t *r, const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(smem(p)));
}
#define LDSM4(r0, r1, r2, r3, p)                                                                   \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"                     \
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(smem(p)))
__device__ __forceinline__ void mma(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(64) name(const half *A, const half *B, float *C, int K)
#define BEGIN                                                                                      \
  __shared__ __align__(16) half sA[32 * 24], sB[32 * 24];                                          \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  float c[4][4] = {};
#define COPY                                                                                       \
  for (int v = threadIdx.x; v < 32 * 2; v += 64) {                                                 \
    *(uint4 *)(sA + v / 2 * 24 + v % 2 * 8) = *(const uint4 *)(A + v / 2 * K + k + v % 2 * 8);     \
    *(uint4 *)(sB + v / 2 * 24 + v % 2 * 8) = *(const uint4 *)(B + v / 2 * K + k + v % 2 * 8);     \
  }                                                                                                \
  __syncthreads();

KERNEL(anArray) {
  BEGIN
  for (int k = 0; k < K; k += 16) {
    COPY
    uint32_t a[4], b[4][2];
    ldsm4(a, sA + (warp * 16 + lane % 16) * 24 + lane / 16 * 8);
    // CHECK: for (int j = 0; j < 4; j += 2) {
    // CHECK-NEXT: lp::load_b_tiles(b[j], b[j + 1],
    // CHECK-NOT: r[
    // CHECK: for (int j = 0; j < 4; j++)
    for (int j = 0; j < 4; j += 2) {
      uint32_t r[4];
      ldsm4(r, sB + (j * 8 + lane % 8 + lane / 16 * 8) * 24 + lane / 8 % 2 * 8);
      b[j][0] = r[0];
      b[j][1] = r[1];
      b[j + 1][0] = r[2];
      b[j + 1][1] = r[3];
    }
    for (int j = 0; j < 4; j++)
      mma(c[j], a, b[j]);
    __syncthreads();
  }
  for (int j = 0; j < 4; j++)
    for (int h = 0; h < 2; h++)
      *(float2 *)&C[(warp * 16 + lane / 4 + h * 8) * 32 + j * 8 + lane % 4 * 2] =
          make_float2(c[j][2 * h], c[j][2 * h + 1]);
}

// Rows before k.
KERNEL(otherOrder) {
  BEGIN
  for (int k = 0; k < K; k += 16) {
    COPY
    uint32_t a[4], b[4][2];
    ldsm4(a, sA + (warp * 16 + lane % 16) * 24 + lane / 16 * 8);
    for (int p = 0; p < 2; p++) {
      uint32_t r[4];
      ldsm4(r, sB + (p * 16 + lane % 16) * 24 + lane / 16 * 8);
      b[2 * p][0] = r[0]; b[2 * p][1] = r[2]; b[2 * p + 1][0] = r[1]; b[2 * p + 1][1] = r[3];
    }
    for (int j = 0; j < 4; j++)
      mma(c[j], a, b[j]);
    __syncthreads();
  }
  for (int j = 0; j < 4; j++)
    for (int h = 0; h < 2; h++)
      *(float2 *)&C[(warp * 16 + lane / 4 + h * 8) * 32 + j * 8 + lane % 4 * 2] =
          make_float2(c[j][2 * h], c[j][2 * h + 1]);
}

KERNEL(variables) {
  BEGIN
  for (int k = 0; k < K; k += 16) {
    COPY
    uint32_t a[4], b[4][2];
    uint32_t r0, r1, r2, r3;
    uint32_t s0, s1, s2, s3;
    ldsm4(a, sA + (warp * 16 + lane % 16) * 24 + lane / 16 * 8);
    LDSM4(r0, r1, r2, r3, sB + (lane % 8 + lane / 16 * 8) * 24 + lane / 8 % 2 * 8);
    LDSM4(s0, s1, s2, s3, sB + (16 + lane % 8 + lane / 16 * 8) * 24 + lane / 8 % 2 * 8);
    b[3][1] = s3;
    b[0][1] = r1;
    b[0][0] = r0;
    b[1][0] = r2;
    b[1][1] = r3;
    b[2][0] = s0;
    b[2][1] = s1;
    b[3][0] = s2;
    for (int j = 0; j < 4; j++)
      mma(c[j], a, b[j]);
    __syncthreads();
  }
  for (int j = 0; j < 4; j++)
    for (int h = 0; h < 2; h++)
      *(float2 *)&C[(warp * 16 + lane / 4 + h * 8) * 32 + j * 8 + lane % 4 * 2] =
          make_float2(c[j][2 * h], c[j][2 * h + 1]);
}
