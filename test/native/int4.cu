// int4: m16n8k64 of signed nibbles read by ldmatrix, and m16n8k32 of unsigned by signed ones that
// the kernel reads itself. A nibble in the upper half of a byte is a signed byte 16 times as large:
// two MFMAs of bytes take the even and the odd ones.
//
// RUN: %prove --launch %S/int4.yaml 2>&1 | FileCheck %S/Inputs/native_tested.txt
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void __launch_bounds__(64)
    int4Gemm(const uint8_t *A, const uint8_t *B, const float *scales, float *C, int N, int K) {
  __shared__ __align__(16) uint8_t sA[32][64 + 16], sB[32][64 + 16];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int acc[4][4] = {};
  for (int k0 = 0; k0 < K / 2; k0 += 64) { // two elements a byte
    for (int i = threadIdx.x; i < 32 * 4; i += 64) {
      *(int4 *)&sA[i >> 2][(i & 3) << 4] =
          *(const int4 *)&A[(blockIdx.y * 32 + (i >> 2)) * (K / 2) + k0 + ((i & 3) << 4)];
      *(int4 *)&sB[i >> 2][(i & 3) << 4] =
          *(const int4 *)&B[(blockIdx.x * 32 + (i >> 2)) * (K / 2) + k0 + ((i & 3) << 4)];
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 64; kk += 32) {
      uint32_t a[4], b[4][2];
      uint32_t pa = __cvta_generic_to_shared(&sA[warp * 16 + lane % 16][kk + lane / 16 * 16]);
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                   : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(pa));
#pragma unroll
      for (int j = 0; j < 4; j++) {
        uint32_t pb = __cvta_generic_to_shared(&sB[j * 8 + lane % 8][kk + lane / 8 % 2 * 16]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];\n"
                     : "=r"(b[j][0]), "=r"(b[j][1]) : "r"(pb));
        asm volatile("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%0,%1,%2,%3}, "
                     "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                     : "+r"(acc[j][0]), "+r"(acc[j][1]), "+r"(acc[j][2]), "+r"(acc[j][3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[j][0]), "r"(b[j][1]));
      }
    }
    __syncthreads();
  }
  const int row = blockIdx.y * 32 + warp * 16 + lane / 4;
  const int col = blockIdx.x * 32 + lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < 4; j++)
#pragma unroll
    for (int r = 0; r < 4; r++)
      C[(row + r / 2 * 8) * N + col + j * 8 + r % 2] =
          (float)acc[j][r] * scales[col + j * 8 + r % 2];
}

__global__ void __launch_bounds__(64)
    nibbles(const uint32_t *A, const uint32_t *B, int *C, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, q = lane % 4;
  int acc[2][4] = {};
  for (int k = 0; k < K; k += 32) {
    const uint32_t *p = A + ((warp * 16 + g) * K + k) / 8 + q;
    uint32_t a[2];
    a[0] = p[0];
    a[1] = p[8 * K / 8];
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      uint32_t b[1];
      b[0] = B[((j * 8 + g) * K + k) / 8 + q];
      asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u4.s4.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
                   "{%0,%1,%2,%3};\n"
                   : "+r"(acc[j][0]), "+r"(acc[j][1]), "+r"(acc[j][2]), "+r"(acc[j][3])
                   : "r"(a[0]), "r"(a[1]), "r"(b[0]));
    }
  }
#pragma unroll
  for (int j = 0; j < 2; ++j)
#pragma unroll
    for (int r = 0; r < 4; ++r)
      C[(warp * 16 + g + r / 2 * 8) * N + j * 8 + q * 2 + r % 2] = acc[j][r];
}
