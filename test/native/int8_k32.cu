// int8: m16n8k32 with ldmatrix on bytes viewed as b16, int32 results scaled by row and
// column to f32, as quantised linear layers do.
//
// RUN: %prove --launch %S/int8_k32.yaml 2>&1 | FileCheck %S/Inputs/native_tested.txt
#include <cuda_runtime.h>
#include <stdint.h>

#define MMA_S8(D, A, B)                                                                 \
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, "        \
               "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"                               \
               : "+r"((D)[0]), "+r"((D)[1]), "+r"((D)[2]), "+r"((D)[3])                 \
               : "r"((A)[0]), "r"((A)[1]), "r"((A)[2]), "r"((A)[3]), "r"((B)[0]), "r"((B)[1]))

__global__ void __launch_bounds__(64) int8Gemm(const int8_t *A, const int8_t *B, const float *scaleA,
                         const float *scaleB, int *sums, float *C, int N, int K) {
  __shared__ __align__(16) int8_t sA[32][64 + 16], sB[32][64 + 16];
  const int lane_idx = threadIdx.x & 31, warp_idx = threadIdx.x >> 5;
  int acc[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 64) {
    for (int i = threadIdx.x; i < 32 * 4; i += 64) {
      *(int4 *)&sA[i >> 2][(i & 3) << 4] =
          *(const int4 *)&A[(blockIdx.y * 32 + (i >> 2)) * K + k0 + ((i & 3) << 4)];
      *(int4 *)&sB[i >> 2][(i & 3) << 4] =
          *(const int4 *)&B[(blockIdx.x * 32 + (i >> 2)) * K + k0 + ((i & 3) << 4)];
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 64; kk += 32) {
      unsigned a[4], b[4][2];
      unsigned pa = __cvta_generic_to_shared(
          &sA[warp_idx * 16 + lane_idx % 16][kk + lane_idx / 16 * 16]);
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                   : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(pa));
#pragma unroll
      for (int j = 0; j < 4; j++) {
        unsigned pb = __cvta_generic_to_shared(
            &sB[j * 8 + lane_idx % 8][kk + lane_idx / 8 % 2 * 16]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];\n"
                     : "=r"(b[j][0]), "=r"(b[j][1]) : "r"(pb));
        MMA_S8(acc[j], a, b[j]);
      }
    }
    __syncthreads();
  }
  const int row = blockIdx.y * 32 + warp_idx * 16 + lane_idx / 4;
  const int col = blockIdx.x * 32 + lane_idx % 4 * 2;
#pragma unroll
  for (int j = 0; j < 4; j++)
#pragma unroll
    for (int r = 0; r < 4; r++) {
      const int m = row + r / 2 * 8, n = col + j * 8 + r % 2;
      sums[m * N + n] = acc[j][r];
      C[m * N + n] = (float)acc[j][r] * scaleA[m] * scaleB[n];
    }
}
