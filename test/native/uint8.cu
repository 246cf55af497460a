// Unsigned bytes, alone and with signed ones: CDNA multiplies signed bytes only, so 128 is taken
// from each and what that makes is put back by a second MFMA.
//
// RUN: %prove --launch %S/uint8.yaml 2>&1 | FileCheck %S/Inputs/native_tested.txt
#include <cuda_runtime.h>
#include <stdint.h>

#define MMA(TYPES, D, A, B)                                                                        \
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32." TYPES ".s32 {%0,%1,%2,%3}, "               \
               "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"                                          \
               : "+r"((D)[0]), "+r"((D)[1]), "+r"((D)[2]), "+r"((D)[3])                            \
               : "r"((A)[0]), "r"((A)[1]), "r"((A)[2]), "r"((A)[3]), "r"((B)[0]), "r"((B)[1]))

__global__ void __launch_bounds__(64) bytes(const uint8_t *A, const uint8_t *B, int *C, int K) {
  __shared__ __align__(16) uint8_t sA[32][32 + 16], sB[16][32 + 16];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int both[2][4] = {}, first[2][4] = {}, second[2][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    *(int4 *)&sA[threadIdx.x >> 1][(threadIdx.x & 1) * 16] =
        *(const int4 *)&A[(threadIdx.x >> 1) * K + k0 + (threadIdx.x & 1) * 16];
    if (threadIdx.x < 32)
      *(int4 *)&sB[threadIdx.x >> 1][(threadIdx.x & 1) * 16] =
          *(const int4 *)&B[(threadIdx.x >> 1) * K + k0 + (threadIdx.x & 1) * 16];
    __syncthreads();
    unsigned a[4], b[2][2];
    unsigned pa = __cvta_generic_to_shared(&sA[warp * 16 + lane % 16][lane / 16 * 16]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(pa));
#pragma unroll
    for (int j = 0; j < 2; j++) {
      unsigned pb = __cvta_generic_to_shared(&sB[j * 8 + lane % 8][lane / 8 % 2 * 16]);
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];\n"
                   : "=r"(b[j][0]), "=r"(b[j][1]) : "r"(pb));
    }
#pragma unroll
    for (int j = 0; j < 2; j++) {
      MMA("u8.u8", both[j], a, b[j]);
      MMA("u8.s8", first[j], a, b[j]);
      MMA("s8.u8", second[j], a, b[j]);
    }
    __syncthreads();
  }
  const int row = warp * 16 + lane / 4, col = lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < 2; j++)
#pragma unroll
    for (int r = 0; r < 4; r++) {
      int *c = &C[(row + r / 2 * 8) * 48 + j * 8 + col + r % 2];
      c[0] = both[j][r];
      c[16] = first[j][r];
      c[32] = second[j][r];
    }
}
