// Sums that do not begin with zero: with a bias by column, in a loop over the registers; with what C
// holds, element by element; with two neighbours of a matrix that are read at once. Each is computed
// for the element of C that the MFMA has in the register.
//
// RUN: %prove --launch %S/sums_begin.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t smem(const void *p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
}
__device__ __forceinline__ void ldsm2(uint32_t (&r)[2], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"(a));
}
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// 32 x 64 by four warps: two warps have rows in common.
__global__ void __launch_bounds__(128)
    biased(const half *A, const half *B, const float *bias, float *C, int N, int K) {
  __shared__ __align__(16) half sA[32][24], sB[64][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 16, wn = warp % 2 * 32;
  float acc[4][4];
#pragma unroll
  for (int j = 0; j < 4; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e)
      acc[j][e] = bias[wn + j * 8 + lane % 4 * 2 + (e & 1)];
  for (int k = 0; k < K; k += 16) {
    __syncthreads();
    const int r = threadIdx.x / 2, c = threadIdx.x % 2 * 8;
    if (r < 32)
      *(uint4 *)&sA[r][c] = *(const uint4 *)&A[r * K + k + c];
    *(uint4 *)&sB[r][c] = *(const uint4 *)&B[r * K + k + c];
    __syncthreads();
    uint32_t a[4], b[2];
    ldsm4(a, smem(&sA[wm + lane % 16][lane / 16 * 8]));
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      ldsm2(b, smem(&sB[wn + j * 8 + lane % 8][lane / 8 % 2 * 8]));
      mma(acc[j], a, b);
    }
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const int row = wm + lane / 4, col = wn + j * 8 + lane % 4 * 2;
    *(float2 *)&C[row * N + col] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&C[(row + 8) * N + col] = make_float2(acc[j][2], acc[j][3]);
  }
}

// 32 x 64 by two warps of 16 rows: they have B in common. C += A B, and C = beta * D + A B.
template <bool isOther>
__global__ void __launch_bounds__(64)
    accumulates(const half *A, const half *B, const float *D, float *C, float beta, int M, int K) {
  __shared__ __align__(16) half sA[32][24], sB[64][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = warp * 16 + lane / 4;
  float acc[8][4];
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    const int col = j * 8 + lane % 4 * 2;
    if constexpr (isOther) {
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        const float2 two = *(const float2 *)&D[(row + r * 8) * 64 + col];
        acc[j][2 * r] = beta * two.x;
        acc[j][2 * r + 1] = beta * two.y;
      }
    } else {
      acc[j][0] = row < M ? C[row * 64 + col] : 0.f;
      acc[j][1] = row < M ? C[row * 64 + col + 1] : 0.f;
      acc[j][2] = row + 8 < M ? C[(row + 8) * 64 + col] : 0.f;
      acc[j][3] = row + 8 < M ? C[(row + 8) * 64 + col + 1] : 0.f;
    }
  }
  for (int k = 0; k < K; k += 16) {
    __syncthreads();
    const int r = threadIdx.x / 2, c = threadIdx.x % 2 * 8;
    *(uint4 *)&sA[r][c] = *(const uint4 *)&A[r * K + k + c];
    *(uint4 *)&sB[r][c] = *(const uint4 *)&B[r * K + k + c];
    *(uint4 *)&sB[r + 32][c] = *(const uint4 *)&B[(r + 32) * K + k + c];
    __syncthreads();
    uint32_t a[4], b[2];
    ldsm4(a, smem(&sA[warp * 16 + lane % 16][lane / 16 * 8]));
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      ldsm2(b, smem(&sB[j * 8 + lane % 8][lane / 8 % 2 * 8]));
      mma(acc[j], a, b);
    }
  }
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    const int col = j * 8 + lane % 4 * 2;
    if (row < M)
      *(float2 *)&C[row * 64 + col] = make_float2(acc[j][0], acc[j][1]);
    if (row + 8 < M)
      *(float2 *)&C[(row + 8) * 64 + col] = make_float2(acc[j][2], acc[j][3]);
  }
}
template __global__ void accumulates<false>(const half *, const half *, const float *, float *, float, int, int);
template __global__ void accumulates<true>(const half *, const half *, const float *, float *, float, int, int);

// CHECK-LABEL: biased(
// CHECK-NOT: to_warp_layout
// CHECK: acc[j][e] = lp::of_element<1>(e, [&](int lane, int warp, int e) {
// CHECK: return bias[wn + j * 8 + lane % 4 * 2 + (e & 1)];
// CHECK-LABEL: accumulates(
// CHECK: acc[j][2 * r] = lp::of_element(r, [&](int lane, int warp, int r) {
// CHECK: const auto two = *(const float2 *)&D[(row + r * 8) * 64 + col];
// CHECK-NEXT: return beta * two.x;
// CHECK: acc[j][2] = lp::of_element(1, [&](int lane, int warp, int lower) {
