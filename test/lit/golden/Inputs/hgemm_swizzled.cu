// Two warps a 32x16 tile; the chunks of both tiles are xor-swizzled by row.
#include <cuda_fp16.h>
#include <stdint.h>

template <int Columns> __device__ __forceinline__ int swizzle(int row, int chunk) {
  return row * Columns + ((chunk ^ (row / 2 % 4)) << 3);
}

__device__ __forceinline__ void ldmatrix(uint32_t (&r)[4], const half *p) {
  uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(p));
  asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address));
}

__device__ __forceinline__ void mma(float *d, const uint32_t *a, const uint32_t *b) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(d[0]), "f"(d[1]),
        "f"(d[2]), "f"(d[3]));
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
