// bf16 operands, f32 sums, bf16 result: tiles as small template structs, ldmatrix
// through generic 64-bit pointers.
//
// RUN: %prove --launch %S/bf16.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

template <int I, int J> struct Tile {
  static constexpr int words = I * J / 64;
  uint32_t x[words];
};
template <int I, int J> struct Sums {
  float x[I * J / 32];
};

__device__ __forceinline__ void load(Tile<16, 16> &t, const __nv_bfloat16 *rows, int stride) {
  const int lane = threadIdx.x % 32;
  const __nv_bfloat16 *p = rows + lane % 16 * stride + lane / 16 * 8;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(t.x[0]), "=r"(t.x[1]), "=r"(t.x[2]), "=r"(t.x[3]) : "l"(p));
}
__device__ __forceinline__ void load(Tile<8, 16> &t, const __nv_bfloat16 *rows, int stride) {
  const int lane = threadIdx.x % 32;
  const __nv_bfloat16 *p = rows + lane % 8 * stride + lane / 8 % 2 * 8;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.b16 {%0, %1}, [%2];"
               : "=r"(t.x[0]), "=r"(t.x[1]) : "l"(p));
}
__device__ __forceinline__ void mma(Sums<16, 8> &d, const Tile<16, 16> &a, const Tile<8, 16> &b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d.x[0]), "+f"(d.x[1]), "+f"(d.x[2]), "+f"(d.x[3])
               : "r"(a.x[0]), "r"(a.x[1]), "r"(a.x[2]), "r"(a.x[3]), "r"(b.x[0]), "r"(b.x[1]));
}

__global__ void __launch_bounds__(128)
    bf16Gemm(const __nv_bfloat16 *A, const __nv_bfloat16 *B, __nv_bfloat16 *C, int n, int k) {
  constexpr int kPitch = 32 + 8;
  __shared__ __align__(16) __nv_bfloat16 sA[32 * kPitch], sB[32 * kPitch];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int m0 = warp % 2 * 16, n0 = warp / 2 * 16;
  Sums<16, 8> d[2] = {};
  for (int k0 = 0; k0 < k; k0 += 32) {
    const int r = threadIdx.x / 4, c = threadIdx.x % 4 * 8;
    *(uint4 *)(sA + r * kPitch + c) = *(const uint4 *)(A + (blockIdx.y * 32 + r) * k + k0 + c);
    *(uint4 *)(sB + r * kPitch + c) = *(const uint4 *)(B + (blockIdx.x * 32 + r) * k + k0 + c);
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
      Tile<16, 16> a;
      load(a, sA + m0 * kPitch + kk, kPitch);
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        Tile<8, 16> b;
        load(b, sB + (n0 + j * 8) * kPitch + kk, kPitch);
        mma(d[j], a, b);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 2; ++j)
#pragma unroll
    for (int i = 0; i < 2; ++i)
      *(__nv_bfloat162 *)(C + (blockIdx.y * 32 + m0 + lane / 4 + i * 8) * n + blockIdx.x * 32 + n0 +
                          j * 8 + lane % 4 * 2) =
          __float22bfloat162_rn(make_float2(d[j].x[i * 2], d[j].x[i * 2 + 1]));
}
