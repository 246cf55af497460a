// One ldmatrix.x4 reads two n8 tiles, which the products then find by halves: b[j / 2][j % 2 * 2] is
// word 2 j of the array. By shift and mask where B lies along n; by
// a quotient and a mask.
//
// RUN: %prove --launch %S/x4_halves.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>
__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void ldsm4t(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                    uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
               "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__global__ void __launch_bounds__(64) halves(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[32][24], sB[32][24];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 16) {
    *(uint4 *)&sA[tid / 2][tid % 2 * 8] = *(const uint4 *)&A[tid / 2 * K + k0 + tid % 2 * 8];
    *(uint4 *)&sB[tid / 2][tid % 2 * 8] = *(const uint4 *)&B[tid / 2 * K + k0 + tid % 2 * 8];
    __syncthreads();
    uint32_t a[4], b[2][4];
    ldsm4(a, &sA[warp * 16 + lane % 16][lane / 16 * 8]);
#pragma unroll
    for (int p = 0; p < 2; ++p)
      ldsm4(b[p], &sB[p * 16 + lane / 16 * 8 + lane % 8][lane / 8 % 2 * 8]);
#pragma unroll
    for (int j = 0; j < 4; ++j)
      mma(acc[j], a, b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    for (int r = 0; r < 4; ++r)
      C[(warp * 16 + lane / 4 + r / 2 * 8) * N + j * 8 + lane % 4 * 2 + r % 2] = acc[j][r];
}

__global__ void __launch_bounds__(64) alongN(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[32][24], sB[16][40];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 16) {
    *(uint4 *)&sA[tid / 2][tid % 2 * 8] = *(const uint4 *)&A[tid / 2 * K + k0 + tid % 2 * 8];
    *(uint4 *)&sB[tid / 4][tid % 4 * 8] = *(const uint4 *)&B[(k0 + tid / 4) * N + tid % 4 * 8];
    __syncthreads();
    uint32_t a[4], b[2][4];
    ldsm4(a, &sA[warp * 16 + lane % 16][lane / 16 * 8]);
#pragma unroll
    for (int p = 0; p < 2; ++p)
      ldsm4t(b[p], &sB[lane % 16][p * 16 + lane / 16 * 8]);
#pragma unroll
    for (int j = 0; j < 4; ++j)
      mma(acc[j], a, b[j >> 1][(j & 1) << 1], b[j >> 1][((j & 1) << 1) + 1]);
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    for (int r = 0; r < 4; ++r)
      C[(warp * 16 + lane / 4 + r / 2 * 8) * N + j * 8 + lane % 4 * 2 + r % 2] = acc[j][r];
}

__global__ void __launch_bounds__(64) mixed(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[32][24], sB[32][24];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 16) {
    *(uint4 *)&sA[tid / 2][tid % 2 * 8] = *(const uint4 *)&A[tid / 2 * K + k0 + tid % 2 * 8];
    *(uint4 *)&sB[tid / 2][tid % 2 * 8] = *(const uint4 *)&B[tid / 2 * K + k0 + tid % 2 * 8];
    __syncthreads();
    uint32_t a[4], b[2][4];
    ldsm4(a, &sA[warp * 16 + lane % 16][lane / 16 * 8]);
#pragma unroll
    for (int p = 0; p < 2; ++p)
      ldsm4(b[p], &sB[p * 16 + lane / 16 * 8 + lane % 8][lane / 8 % 2 * 8]);
#pragma unroll
    for (int j = 0; j < 4; ++j)
      mma(acc[j], a, b[j / 2][(j & 1) * 2], b[j / 2][(j & 1) * 2 + 1]);
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    for (int r = 0; r < 4; ++r)
      C[(warp * 16 + lane / 4 + r / 2 * 8) * N + j * 8 + lane % 4 * 2 + r % 2] = acc[j][r];
}
