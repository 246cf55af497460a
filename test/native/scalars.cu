// Registers that are variables of their own: operands read by ldmatrix into a0..a3 and, two n8
// tiles at once, b0..b3; sums of f32 as eight scalars; operands put together in declarations; a
// single register for an operand of m16n8k8.
//
// RUN: %prove --launch %S/scalars.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define LDSM_X4(R0, R1, R2, R3, addr)                                                      \
  asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\n"        \
               : "=r"(R0), "=r"(R1), "=r"(R2), "=r"(R3) : "r"(addr))
#define LDSM_X2_T(R0, R1, addr)                                                            \
  asm volatile("ldmatrix.sync.aligned.x2.trans.m8n8.shared.b16 {%0, %1}, [%2];\n"          \
               : "=r"(R0), "=r"(R1) : "r"(addr))
#define HMMA(D0, D1, D2, D3, A0, A1, A2, A3, B0, B1)                                       \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "      \
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"                           \
               : "+f"(D0), "+f"(D1), "+f"(D2), "+f"(D3)                                    \
               : "r"(A0), "r"(A1), "r"(A2), "r"(A3), "r"(B0), "r"(B1))

// C[32][16] of two warps, 16 rows each; B lies along k.
__global__ void __launch_bounds__(64) allScalars(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half sA[32][16 + 8], sB[16][16 + 8];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  float c0 = 0.f, c1 = 0.f, c2 = 0.f, c3 = 0.f;
  float d0, d1, d2, d3;
  d0 = d1 = d2 = d3 = 0.f;
  for (int k = 0; k < K; k += 16) {
    *(uint4 *)&sA[tid / 2][tid % 2 * 8] = *(const uint4 *)&A[tid / 2 * K + k + tid % 2 * 8];
    if (tid < 32)
      *(uint4 *)&sB[tid / 2][tid % 2 * 8] = *(const uint4 *)&B[tid / 2 * K + k + tid % 2 * 8];
    __syncthreads();
    uint32_t a0, a1, a2, a3, b0, b1, b2, b3;
    LDSM_X4(a0, a1, a2, a3,
            (uint32_t)__cvta_generic_to_shared(&sA[warp * 16 + lane % 16][lane / 16 * 8]));
    LDSM_X4(b0, b1, b2, b3,
            (uint32_t)__cvta_generic_to_shared(&sB[lane / 16 * 8 + lane % 8][lane / 8 % 2 * 8]));
    HMMA(c0, c1, c2, c3, a0, a1, a2, a3, b0, b1);
    HMMA(d0, d1, d2, d3, a0, a1, a2, a3, b2, b3);
    __syncthreads();
  }
  float *row = C + (warp * 16 + lane / 4) * 16 + lane % 4 * 2;
  row[0] = c0;
  row[1] = c1;
  row[8 * 16] = c2;
  row[8 * 16 + 1] = c3;
  row[8] = d0;
  row[9] = d1;
  row[8 * 16 + 8] = d2;
  row[8 * 16 + 9] = d3;
}

// Two n8 tiles in an array of sums; the operands are scalars, B lies along n.
__global__ void __launch_bounds__(64)
    scalarOperands(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[32][16 + 8], sB[16][32 + 8];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  float acc[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    *(uint4 *)&sA[tid / 2][tid % 2 * 8] = *(const uint4 *)&A[tid / 2 * K + k + tid % 2 * 8];
    *(uint4 *)&sB[tid / 4][tid % 4 * 8] = *(const uint4 *)&B[(k + tid / 4) * N + tid % 4 * 8];
    __syncthreads();
    uint32_t ra0, ra1, ra2, ra3;
    LDSM_X4(ra0, ra1, ra2, ra3,
            (uint32_t)__cvta_generic_to_shared(&sA[warp * 16 + lane % 16][lane / 16 * 8]));
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      uint32_t rb0, rb1;
      LDSM_X2_T(rb0, rb1, (uint32_t)__cvta_generic_to_shared(&sB[lane % 16][j * 8]));
      HMMA(acc[j][0], acc[j][1], acc[j][2], acc[j][3], ra0, ra1, ra2, ra3, rb0, rb1);
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const int row = warp * 16 + lane / 4, col = j * 8 + lane % 4 * 2;
    *(float2 *)&C[row * N + col] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&C[(row + 8) * N + col] = make_float2(acc[j][2], acc[j][3]);
  }
}

__device__ __forceinline__ uint32_t word(const half *p) { return *(const uint32_t *)p; }

// m16n8k8 of operands that the kernel reads itself, without shared memory.
__global__ void __launch_bounds__(128)
    declaredScalars(const half *A, const half *B, float *C, int N, int K) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, q = lane & 3;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 8) {
    const half *p = A + (warp * 16 + g) * K + k + q * 2;
    const uint32_t a0 = word(p), a1 = word(p + 8 * K);
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const uint32_t b = word(B + (j * 8 + g) * K + k + q * 2);
      asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                   "{%4, %5}, {%6}, {%0, %1, %2, %3};\n"
                   : "+f"(acc[j][0]), "+f"(acc[j][1]), "+f"(acc[j][2]), "+f"(acc[j][3])
                   : "r"(a0), "r"(a1), "r"(b));
    }
  }
#pragma unroll
  for (int j = 0; j < 2; ++j)
#pragma unroll
    for (int r = 0; r < 4; ++r)
      C[(warp * 16 + g + r / 2 * 8) * N + j * 8 + q * 2 + r % 2] = acc[j][r];
}
