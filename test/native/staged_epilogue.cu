// alpha * A B + bias through shared memory: the tile is staged where the operands were and
// leaves in 128-bit rows.
//
// RUN: %prove --launch %S/staged_epilogue.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define BM 32
#define BN 64
#define BK 32
#define PAD 8

__global__ void __launch_bounds__(128)
    stagedEpilogue(const half *A, const half *B, const half *bias, half *C, float alpha, int M,
                   int N, int K) {
  __shared__ __align__(16) char pool[(BM + BN) * (BK + PAD) * 2];
  half(*As)[BK + PAD] = reinterpret_cast<half(*)[BK + PAD]>(pool);
  half(*Bs)[BK + PAD] = reinterpret_cast<half(*)[BK + PAD]>(pool + BM * (BK + PAD) * 2);
  half(*Cs)[BN + PAD] = reinterpret_cast<half(*)[BN + PAD]>(pool);
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const int warpM = (warp & 1) * 16, warpN = (warp >> 1) * 32;

  float acc[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    const int r = threadIdx.x >> 2, c = (threadIdx.x & 3) * 8;
    *(int4 *)&As[r][c] = *(const int4 *)&A[(blockIdx.y * BM + r) * K + k0 + c];
    *(int4 *)&Bs[r][c] = *(const int4 *)&B[(blockIdx.x * BN + r) * K + k0 + c];
    *(int4 *)&Bs[r + 32][c] = *(const int4 *)&B[(blockIdx.x * BN + r + 32) * K + k0 + c];
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      uint32_t a[4], b[4][2];
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                   : "r"((uint32_t)__cvta_generic_to_shared(
                       &As[warpM + (lane & 15)][kk + (lane >> 4) * 8])));
#pragma unroll
      for (int j = 0; j < 4; j += 2) // one x4 feeds two n8 tiles
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(b[j][0]), "=r"(b[j][1]), "=r"(b[j + 1][0]), "=r"(b[j + 1][1])
                     : "r"((uint32_t)__cvta_generic_to_shared(
                         &Bs[warpN + j * 8 + (lane & 7) + (lane & 16) / 2][kk + (lane & 8)])));
#pragma unroll
      for (int j = 0; j < 4; j++)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                     "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(acc[j][0]), "+f"(acc[j][1]), "+f"(acc[j][2]), "+f"(acc[j][3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[j][0]), "r"(b[j][1]));
    }
    __syncthreads();
  }

#pragma unroll
  for (int j = 0; j < 4; j++) {
    const int col = warpN + j * 8 + (lane & 3) * 2, row = warpM + (lane >> 2);
    const float2 add = __half22float2(*(const half2 *)&bias[blockIdx.x * BN + col]);
    *(half2 *)&Cs[row][col] =
        __floats2half2_rn(alpha * acc[j][0] + add.x, alpha * acc[j][1] + add.y);
    *(half2 *)&Cs[row + 8][col] =
        __floats2half2_rn(alpha * acc[j][2] + add.x, alpha * acc[j][3] + add.y);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < BM * BN / 8; i += 128)
    *(int4 *)&C[(blockIdx.y * BM + i / 8) * N + blockIdx.x * BN + i % 8 * 8] =
        *(const int4 *)&Cs[i / 8][i % 8 * 8];
}
