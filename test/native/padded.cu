// Rows of shared memory skewed by eight halves: affine addresses, no swizzle. A struct of
// fragments goes by reference through the loads and the multiply.
//
// RUN: %prove --launch %S/padded.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace {
constexpr unsigned kSkew = 8, kTileK = 32, kPitch = kTileK + kSkew;

struct Fragments {
  unsigned a[2][4];
  unsigned b[2][2];
  float c[2][2][4];
};

__device__ __forceinline__ void loadA(Fragments &f, int i, const __half *row) {
  unsigned p = __cvta_generic_to_shared(row);
  asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(f.a[i][0]), "=r"(f.a[i][1]), "=r"(f.a[i][2]), "=r"(f.a[i][3]) : "r"(p));
}
__device__ __forceinline__ void loadB(Fragments &f, int j, const __half *row) {
  unsigned p = __cvta_generic_to_shared(row);
  asm volatile("ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%0,%1}, [%2];"
               : "=r"(f.b[j][0]), "=r"(f.b[j][1]) : "r"(p));
}
__device__ __forceinline__ void multiply(Fragments &f) {
#pragma unroll
  for (int i = 0; i < 2; i++)
#pragma unroll
    for (int j = 0; j < 2; j++)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                   "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                   : "+f"(f.c[i][j][0]), "+f"(f.c[i][j][1]), "+f"(f.c[i][j][2]), "+f"(f.c[i][j][3])
                   : "r"(f.a[i][0]), "r"(f.a[i][1]), "r"(f.a[i][2]), "r"(f.a[i][3]),
                     "r"(f.b[j][0]), "r"(f.b[j][1]));
}
} // namespace

__global__ void __launch_bounds__(128) paddedGemm(const __half *A, const __half *B, float *C, int N, int K) {
  __shared__ __align__(16) __half tileA[64][kPitch], tileB[32][kPitch];
  const unsigned lane = threadIdx.x & 31u, warp = threadIdx.x >> 5;
  const unsigned warpRow = warp & 1, warpCol = warp >> 1; // 2 x 2 warps of 32 x 16
  Fragments f;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      for (int e = 0; e < 4; e++)
        f.c[i][j][e] = 0.f;

  for (int k0 = 0; k0 < K; k0 += kTileK) {
    for (unsigned v = threadIdx.x; v < 64 * kTileK / 8; v += blockDim.x)
      *(uint4 *)&tileA[v / 4][v % 4 * 8] =
          *(const uint4 *)&A[(blockIdx.y * 64 + v / 4) * K + k0 + v % 4 * 8];
    for (unsigned v = threadIdx.x; v < 32 * kTileK / 8; v += blockDim.x)
      *(uint4 *)&tileB[v / 4][v % 4 * 8] =
          *(const uint4 *)&B[(blockIdx.x * 32 + v / 4) * K + k0 + v % 4 * 8];
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kTileK; k += 16) {
      for (int i = 0; i < 2; i++)
        loadA(f, i, &tileA[warpRow * 32 + i * 16 + lane % 16][k + lane / 16 * 8]);
      for (int j = 0; j < 2; j++)
        loadB(f, j, &tileB[warpCol * 16 + j * 8 + lane % 8][k + lane / 8 % 2 * 8]);
      multiply(f);
    }
    __syncthreads();
  }

  const unsigned row = blockIdx.y * 64 + warpRow * 32 + lane / 4;
  const unsigned col = blockIdx.x * 32 + warpCol * 16 + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < 2; i++)
#pragma unroll
    for (int j = 0; j < 2; j++)
#pragma unroll
      for (int e = 0; e < 4; e++)
        C[(row + i * 16 + e / 2 * 8) * N + col + j * 8 + e % 2] = f.c[i][j][e];
}
