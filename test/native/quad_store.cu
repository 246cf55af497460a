// The four lanes of a quad hand their accumulator words to the first one, which stores 128
// bits.
//
// RUN: %prove --launch %S/quad_store.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define WARP_SIZE 32
#define LDST128BITS(value) (reinterpret_cast<float4 *>(&(value))[0])

__global__ void __launch_bounds__(64) quadStore(const half *A, const half *B, half *C, int M, int N, int K) {
  __shared__ __align__(16) half s_a[32][16];
  __shared__ __align__(16) half s_b[16][32];
  const int tid = threadIdx.y * blockDim.x + threadIdx.x;
  const int warp_id = tid / WARP_SIZE, lane_id = tid % WARP_SIZE;
  const int by = blockIdx.y, bx = blockIdx.x;

  uint32_t RC[4][2] = {};
  for (int k = 0; k < K; k += 16) {
    LDST128BITS(s_a[tid / 2][tid % 2 * 8]) =
        *(const float4 *)&A[(by * 32 + tid / 2) * K + k + tid % 2 * 8];
    LDST128BITS(s_b[tid / 4][tid % 4 * 8]) =
        *(const float4 *)&B[(k + tid / 4) * N + bx * 32 + tid % 4 * 8];
    __syncthreads();
    uint32_t RA[4], RB[2];
    uint32_t p = __cvta_generic_to_shared(&s_a[warp_id * 16 + lane_id % 16][(lane_id / 16) * 8]);
    asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(RA[0]), "=r"(RA[1]), "=r"(RA[2]), "=r"(RA[3]) : "r"(p));
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      p = __cvta_generic_to_shared(&s_b[lane_id % 16][j * 8]);
      asm volatile("ldmatrix.sync.aligned.x2.trans.m8n8.shared.b16 {%0, %1}, [%2];\n"
                   : "=r"(RB[0]), "=r"(RB[1]) : "r"(p));
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, "
                   "{%2, %3, %4, %5}, {%6, %7}, {%8, %9};\n"
                   : "=r"(RC[j][0]), "=r"(RC[j][1])
                   : "r"(RA[0]), "r"(RA[1]), "r"(RA[2]), "r"(RA[3]), "r"(RB[0]), "r"(RB[1]),
                     "r"(RC[j][0]), "r"(RC[j][1]));
    }
    __syncthreads();
  }

#pragma unroll
  for (int j = 0; j < 4; ++j) {
    uint32_t RZ[2][4];
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      RZ[h][0] = RC[j][h];
      RZ[h][1] = __shfl_sync(0xffffffff, RC[j][h], lane_id + 1);
      RZ[h][2] = __shfl_sync(0xffffffff, RC[j][h], lane_id + 2);
      RZ[h][3] = __shfl_sync(0xffffffff, RC[j][h], lane_id + 3);
    }
    if (lane_id % 4 == 0) {
      const int row = by * 32 + warp_id * 16 + lane_id / 4, col = bx * 32 + j * 8;
      LDST128BITS(C[row * N + col]) = LDST128BITS(RZ[0][0]);
      LDST128BITS(C[(row + 8) * N + col]) = LDST128BITS(RZ[1][0]);
    }
  }
}
