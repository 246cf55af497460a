// The operands' registers collect what the quad's lanes have of C, as quad_store.cu does with an array
// of its own; and threads return on their own row, which the author says no wave is parted by.
//
// RUN: %prove --launch %S/reused.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define LDST128BITS(value) (reinterpret_cast<float4 *>(&(value))[0])
#define LDMATRIX_X4(R0, R1, R2, R3, addr)                                                  \
  asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\n"        \
               : "=r"(R0), "=r"(R1), "=r"(R2), "=r"(R3) : "r"(addr))
#define LDMATRIX_X2_T(R0, R1, addr)                                                        \
  asm volatile("ldmatrix.sync.aligned.x2.trans.m8n8.shared.b16 {%0, %1}, [%2];\n"          \
               : "=r"(R0), "=r"(R1) : "r"(addr))
#define HMMA16816(RD0, RD1, RA0, RA1, RA2, RA3, RB0, RB1, RC0, RC1)                        \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, "              \
               "{%2, %3, %4, %5}, {%6, %7}, {%8, %9};\n"                                   \
               : "=r"(RD0), "=r"(RD1)                                                      \
               : "r"(RA0), "r"(RA1), "r"(RA2), "r"(RA3), "r"(RB0), "r"(RB1), "r"(RC0), "r"(RC1))

// A block of 64 x 32, two warps along m with two m16 tiles each, and four n8 tiles.
template <const int TILE_M = 2, const int TILE_N = 4>
__global__ void __launch_bounds__(64)
    collected(const half *A, const half *B, half *C, int M, int N, int K) {
  __shared__ __align__(16) half s_a[64][16], s_b[16][32];
  const int tid = threadIdx.x, warp_id = tid / 32, lane_id = tid % 32;
  const int by = blockIdx.y, bx = blockIdx.x;
  // layout-port: assume uniform(by * 64 + tid >= M)
  if (by * 64 + tid >= M)
    return;
  uint32_t RC[TILE_M][TILE_N][2];
#pragma unroll
  for (int i = 0; i < TILE_M; ++i)
#pragma unroll
    for (int j = 0; j < TILE_N; ++j)
      RC[i][j][0] = RC[i][j][1] = 0;
  uint32_t RA[TILE_M][4], RB[TILE_N][2];
  for (int k = 0; k < K; k += 16) {
    LDST128BITS(s_a[tid][0]) = *(const float4 *)&A[(by * 64 + tid) * K + k];
    LDST128BITS(s_a[tid][8]) = *(const float4 *)&A[(by * 64 + tid) * K + k + 8];
    LDST128BITS(s_b[tid / 4][tid % 4 * 8]) = *(const float4 *)&B[(k + tid / 4) * N + bx * 32 + tid % 4 * 8];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE_M; ++i) {
      uint32_t p = __cvta_generic_to_shared(
          &s_a[warp_id * 32 + i * 16 + lane_id % 16][lane_id / 16 * 8]);
      LDMATRIX_X4(RA[i][0], RA[i][1], RA[i][2], RA[i][3], p);
    }
#pragma unroll
    for (int j = 0; j < TILE_N; ++j) {
      uint32_t p = __cvta_generic_to_shared(&s_b[lane_id % 16][j * 8]);
      LDMATRIX_X2_T(RB[j][0], RB[j][1], p);
    }
#pragma unroll
    for (int i = 0; i < TILE_M; ++i)
#pragma unroll
      for (int j = 0; j < TILE_N; ++j)
        HMMA16816(RC[i][j][0], RC[i][j][1], RA[i][0], RA[i][1], RA[i][2], RA[i][3], RB[j][0],
                  RB[j][1], RC[i][j][0], RC[i][j][1]);
    __syncthreads();
  }
  for (int i = 0; i < TILE_M; ++i)
#pragma unroll
    for (int j = 0; j < TILE_N; ++j) {
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        RA[h][0] = RC[i][j][h];
        RA[h][1] = __shfl_sync(0xffffffff, RC[i][j][h], lane_id + 1);
        RA[h][2] = __shfl_sync(0xffffffff, RC[i][j][h], lane_id + 2);
        RA[h][3] = __shfl_sync(0xffffffff, RC[i][j][h], lane_id + 3);
      }
      if (lane_id % 4 == 0) {
        const int row = by * 64 + warp_id * 32 + i * 16 + lane_id / 4, col = bx * 32 + j * 8;
        LDST128BITS(C[row * N + col]) = LDST128BITS(RA[0][0]);
        LDST128BITS(C[(row + 8) * N + col]) = LDST128BITS(RA[1][0]);
      }
    }
}
template __global__ void collected<2, 4>(const half *, const half *, half *, int, int, int);
