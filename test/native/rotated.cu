// Chunks of a row rotated, (chunk + row / 2) % 4: conflict-free for ldmatrix and not linear
// over F2.
//
// RUN: %prove --launch %S/rotated.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define BLOCK_M 64
#define BLOCK_N 32
#define CHUNK_K 32 // 4 chunks of 8 halves

#define ROTATE(row, chunk) ((((chunk) + ((row) / 2)) % 4) * 8)

__device__ uint32_t cvta(const half *p) { return (uint32_t)__cvta_generic_to_shared(p); }

__global__ void __launch_bounds__(128) rotatedKernel(const half *__restrict__ A, const half *__restrict__ B,
                              half *__restrict__ C, size_t M, size_t N, size_t K) {
  extern __shared__ half smem[][CHUNK_K]; // rows of A, then rows of B
  const size_t warp_id = threadIdx.x / 32;
  const size_t lane_id = threadIdx.x % 32;
  const size_t block_row = blockIdx.y * BLOCK_M, block_col = blockIdx.x * BLOCK_N;

  uint32_t RC[4][2];
#pragma unroll
  for (size_t j = 0; j < 4; ++j)
    RC[j][0] = RC[j][1] = 0;

#pragma unroll 1
  for (size_t tile_k = 0; tile_k < K; tile_k += CHUNK_K) {
#pragma unroll
    for (size_t i = 0; i < 3; ++i) {
      const size_t row = i * 32 + threadIdx.x / 4, chunk = threadIdx.x % 4;
      const half *from = row < BLOCK_M ? A + (block_row + row) * K
                                       : B + (block_col + row - BLOCK_M) * K;
      *(int4 *)&smem[row][ROTATE(row, chunk)] = *(const int4 *)(from + tile_k + chunk * 8);
    }
    __syncthreads();
#pragma unroll
    for (size_t k_step = 0; k_step < 2; ++k_step) {
      uint32_t RA[4], RB[4][2];
      const size_t row_a = warp_id * 16 + lane_id % 16;
      asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                   : "=r"(RA[0]), "=r"(RA[1]), "=r"(RA[2]), "=r"(RA[3])
                   : "r"(cvta(&smem[row_a][ROTATE(row_a, k_step * 2 + lane_id / 16)])));
#pragma unroll
      for (size_t j = 0; j < 4; ++j) {
        const size_t row_b = BLOCK_M + j * 8 + lane_id % 8;
        asm volatile("ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%0, %1}, [%2];\n"
                     : "=r"(RB[j][0]), "=r"(RB[j][1])
                     : "r"(cvta(&smem[row_b][ROTATE(row_b, k_step * 2 + (lane_id / 8) % 2)])));
      }
#pragma unroll
      for (size_t j = 0; j < 4; ++j)
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, "
            "{%6, %7}, {%8, %9};\n"
            : "=r"(RC[j][0]), "=r"(RC[j][1])
            : "r"(RA[0]), "r"(RA[1]), "r"(RA[2]), "r"(RA[3]), "r"(RB[j][0]), "r"(RB[j][1]),
              "r"(RC[j][0]), "r"(RC[j][1]));
    }
    __syncthreads();
  }
#pragma unroll
  for (size_t j = 0; j < 4; ++j) {
    half *out = C + (block_row + warp_id * 16 + lane_id / 4) * N + block_col + j * 8;
    *((uint32_t *)out + lane_id % 4) = RC[j][0];
    *((uint32_t *)(out + 8 * N) + lane_id % 4) = RC[j][1];
  }
}
