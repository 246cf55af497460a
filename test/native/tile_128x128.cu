// The size people really run: a 128x128x32 tile, 4x2 warps of 32x64, K-major operands through
// XOR-swizzled shared memory, cp.async with two stages. quality.py sets it beside a Composable
// Kernel GEMM of the same tile.
//
// RUN: %prove --launch %S/tile_128x128.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

namespace tile128 {
constexpr int kM = 128, kN = 128, kK = 32, kThreads = 256;
constexpr int kTilesM = 2, kTilesN = 8; // 16x8 tiles a warp

__device__ __forceinline__ int place(int row, int chunk) {
  return row * kK + ((chunk ^ (row >> 1)) & 3) * 8;
}

__device__ __forceinline__ void copyRows(half *to, const half *from, int pitch) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int row = i * 64 + threadIdx.x / 4, chunk = threadIdx.x % 4;
    const uint32_t target = __cvta_generic_to_shared(to + place(row, chunk));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(target),
                 "l"(from + row * pitch + chunk * 8));
  }
}

__global__ void __launch_bounds__(kThreads)
    gemm(const half *__restrict__ A, const half *__restrict__ B, half *__restrict__ C, int N,
         int K) {
  __shared__ __align__(16) half sA[2][kM * kK], sB[2][kN * kK];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 32, wn = warp % 2 * 64;
  A += blockIdx.y * kM * K;
  B += blockIdx.x * kN * K;
  float acc[kTilesM][kTilesN][4] = {};

  const int steps = K / kK;
  copyRows(sA[0], A, K);
  copyRows(sB[0], B, K);
  asm volatile("cp.async.commit_group;\n" ::: "memory");
  for (int s = 0; s < steps; ++s) {
    if (s + 1 < steps) {
      copyRows(sA[(s + 1) & 1], A + (s + 1) * kK, K);
      copyRows(sB[(s + 1) & 1], B + (s + 1) * kK, K);
    }
    asm volatile("cp.async.commit_group;\n" ::: "memory");
    asm volatile("cp.async.wait_group 1;\n" ::: "memory");
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      uint32_t a[kTilesM][4], b[kTilesN][2];
#pragma unroll
      for (int i = 0; i < kTilesM; ++i) {
        const int row = wm + i * 16 + lane % 16, chunk = k * 2 + lane / 16;
        const uint32_t p = __cvta_generic_to_shared(&sA[s & 1][place(row, chunk)]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                     : "=r"(a[i][0]), "=r"(a[i][1]), "=r"(a[i][2]), "=r"(a[i][3]) : "r"(p));
      }
#pragma unroll
      for (int j = 0; j < kTilesN; j += 2) {
        const int row = wn + j * 8 + lane % 8 + lane / 16 * 8, chunk = k * 2 + lane / 8 % 2;
        const uint32_t p = __cvta_generic_to_shared(&sB[s & 1][place(row, chunk)]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                     : "=r"(b[j][0]), "=r"(b[j][1]), "=r"(b[j + 1][0]), "=r"(b[j + 1][1])
                     : "r"(p));
      }
#pragma unroll
      for (int i = 0; i < kTilesM; ++i)
#pragma unroll
        for (int j = 0; j < kTilesN; ++j)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                       "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                       : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]),
                         "+f"(acc[i][j][3])
                       : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j][0]),
                         "r"(b[j][1]));
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < kTilesM; ++i)
#pragma unroll
    for (int j = 0; j < kTilesN; ++j) {
      const int row = blockIdx.y * kM + wm + i * 16 + lane / 4;
      half *c = C + row * N + blockIdx.x * kN + wn + j * 8 + lane % 4 * 2;
      *(half2 *)c = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
      *(half2 *)(c + 8 * N) = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
    }
}
} // namespace tile128
