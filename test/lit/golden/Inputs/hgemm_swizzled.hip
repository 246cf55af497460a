// Two warps a 32x16 tile; the chunks of both tiles are xor-swizzled by row.
#include <hip/hip_fp16.h>
#include <stdint.h>
#include <hip/hip_runtime.h>

#include "layout_port_runtime.h"

template <int Columns> __device__ __forceinline__ int swizzle(int row, int chunk) {
  return row * Columns + ((chunk ^ (row / 2 % 4)) << 3);
}

__device__ __forceinline__ void ldmatrix(uint32_t (&r)[4], const half *p) {
  uint32_t address = static_cast<uint32_t>(lp::cvta_generic_to_shared(p));
  lp::ldmatrix_x4(r[0], r[1], r[2], r[3], address);
}

__device__ __forceinline__ void mma(float *d, const uint32_t *a, const uint32_t *b) {
  lp::mma_m16n8k16_f32_f16(d[0], d[1], d[2], d[3], a[0], a[1], a[2], a[3], b[0], b[1], d[0], d[1], d[2], d[3]);
}

__global__ void __launch_bounds__(64)
    hgemmSwizzled(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[32 * 32];
  __shared__ __align__(16) half sB[16 * 32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const half *a = A + blockIdx.y * 32 * K, *b = B + blockIdx.x * 16 * K;
  float acc[2][4] = {};

  for (int k0 = 0; k0 < K; k0 += 32) {
#pragma unroll
    for (int i = threadIdx.x; i < 128; i += 64)
      *reinterpret_cast<float4 *>(&sA[swizzle<32>(i / 4, i % 4)]) =
          *reinterpret_cast<const float4 *>(&a[i / 4 * K + k0 + i % 4 * 8]);
    *reinterpret_cast<float4 *>(&sB[swizzle<32>(threadIdx.x / 4, threadIdx.x % 4)]) =
        *reinterpret_cast<const float4 *>(&b[threadIdx.x / 4 * K + k0 + threadIdx.x % 4 * 8]);
    __syncthreads();

#pragma unroll
    for (int kk = 0; kk < 2; ++kk) {
      uint32_t fa[4], fb[4];
      ldmatrix(fa, &sA[swizzle<32>(warp * 16 + lane % 16, kk * 2 + lane / 16)]);
      ldmatrix(fb, &sB[swizzle<32>(lane % 8 + lane / 16 * 8, kk * 2 + lane / 8 % 2)]);
      mma(acc[0], fa, fb);
      mma(acc[1], fa, fb + 2);
    }
    __syncthreads();
  }

#pragma unroll
  for (int j = 0; j < 2; ++j) {
    float *c = C + (blockIdx.y * 32 + warp * 16 + lane / 4) * N + blockIdx.x * 16 + j * 8;
    *(float2 *)&c[lane % 4 * 2] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&c[8 * N + lane % 4 * 2] = make_float2(acc[j][2], acc[j][3]);
  }
}
