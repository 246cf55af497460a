// HGEMM by 2x4 warps, each 32x16 of C: A by ldmatrix.x4, row-major B by ldmatrix.x2.trans,
// half2 stores.
//
// RUN: %prove --launch %S/warps_2x4.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int BM = 64, BN = 64, BK = 32;
constexpr int WM = 32, WN = 16;

__device__ __forceinline__ uint32_t smemAddress(const void *p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ __forceinline__ void ldmatrixX4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(smemAddress(p)));
}

__device__ __forceinline__ void ldmatrixX2Trans(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];\n"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(smemAddress(p)));
}

__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
               "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void __launch_bounds__(256)
    hgemm2x4(const half *__restrict__ A, const half *__restrict__ B, half *__restrict__ C, int M,
             int N, int K) {
  __shared__ __align__(16) half sA[BM * BK];
  __shared__ __align__(16) half sB[BK * BN];
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const int wm = (warp / 4) * WM, wn = (warp % 4) * WN;
  const int bm = blockIdx.y * BM, bn = blockIdx.x * BN;

  float acc[WM / 16][WN / 8][4] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    *reinterpret_cast<int4 *>(&sA[tid * 8]) =
        *reinterpret_cast<const int4 *>(&A[(bm + tid / 4) * K + k0 + tid % 4 * 8]);
    *reinterpret_cast<int4 *>(&sB[tid * 8]) =
        *reinterpret_cast<const int4 *>(&B[(k0 + tid / 8) * N + bn + tid % 8 * 8]);
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      uint32_t a[WM / 16][4], b[WN / 8][2];
#pragma unroll
      for (int i = 0; i < WM / 16; ++i)
        ldmatrixX4(a[i], &sA[(wm + i * 16 + lane % 16) * BK + kk + lane / 16 * 8]);
#pragma unroll
      for (int j = 0; j < WN / 8; ++j)
        ldmatrixX2Trans(b[j], &sB[(kk + lane % 16) * BN + wn + j * 8]);
#pragma unroll
      for (int i = 0; i < WM / 16; ++i)
#pragma unroll
        for (int j = 0; j < WN / 8; ++j)
          mma(acc[i][j], a[i], b[j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int j = 0; j < WN / 8; ++j) {
      half *c = C + (bm + wm + i * 16 + lane / 4) * N + bn + wn + j * 8 + lane % 4 * 2;
      *reinterpret_cast<half2 *>(c) = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
      *reinterpret_cast<half2 *>(c + 8 * N) = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
    }
}
