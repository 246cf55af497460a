// Results in shared memory that are read without a barrier behind them, or where it cannot be told:
// a thread may count on what it wrote itself, and another lane must not. By name and reason; nothing
// of it is native.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
// RUN: %ported %t.hip | FileCheck %s --check-prefix=OUT
// OUT-NOT: lp::operand_a
#include <cuda_fp16.h>
#include <stdint.h>

__device__ __forceinline__ void mma(float (&d)[4], uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3,
                                    uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

#define SETUP                                                                                      \
  __shared__ __align__(16) half P[32][24];                                                         \
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;          \
  float d[4] = {}, c[4] = {};
#define STORE                                                                                      \
  float *out = C + g * 16 + warp * 8 + 2 * t;                                                      \
  out[0] = c[0];                                                                                   \
  out[1] = c[1];                                                                                   \
  out[8 * 16] = c[2];                                                                              \
  out[8 * 16 + 1] = c[3];
#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(64) name(const half *A, const half *B, float *C, int n)

// CHECK-DAG: atOnce is not native: an operand that is written into the call is read from 'P', which results may go into without a barrier behind them
KERNEL(atOnce) {
  SETUP
  mma(d, *(uint32_t *)&A[g * 16 + 2 * t], *(uint32_t *)&A[(g + 8) * 16 + 2 * t],
      *(uint32_t *)&A[g * 16 + 2 * t + 8], *(uint32_t *)&A[(g + 8) * 16 + 2 * t + 8],
      *(uint32_t *)&B[(warp * 8 + g) * 16 + 2 * t],
      *(uint32_t *)&B[(warp * 8 + g) * 16 + 2 * t + 8]);
  for (int e = 0; e < 4; ++e)
    P[g + e / 2 * 8][warp * 8 + 2 * t + e % 2] = __float2half(d[e]);
  mma(c, *(uint32_t *)&P[g][2 * t], *(uint32_t *)&P[g + 8][2 * t], *(uint32_t *)&P[g][2 * t + 8],
      *(uint32_t *)&P[g + 8][2 * t + 8], *(uint32_t *)&B[(warp * 8 + g) * 16 + 2 * t],
      *(uint32_t *)&B[(warp * 8 + g) * 16 + 2 * t + 8]);
  STORE
}

// CHECK-DAG: atTimes is not native: an operand that is written into the call is read from 'P', which results may go into without a barrier behind them
KERNEL(atTimes) {
  SETUP
  mma(d, *(uint32_t *)&A[g * 16 + 2 * t], *(uint32_t *)&A[(g + 8) * 16 + 2 * t],
      *(uint32_t *)&A[g * 16 + 2 * t + 8], *(uint32_t *)&A[(g + 8) * 16 + 2 * t + 8],
      *(uint32_t *)&B[(warp * 8 + g) * 16 + 2 * t],
      *(uint32_t *)&B[(warp * 8 + g) * 16 + 2 * t + 8]);
  for (int e = 0; e < 4; ++e)
    P[g + e / 2 * 8][warp * 8 + 2 * t + e % 2] = __float2half(d[e]);
  if (n > 3)
    __syncthreads();
  mma(c, *(uint32_t *)&P[g][2 * t], *(uint32_t *)&P[g + 8][2 * t], *(uint32_t *)&P[g][2 * t + 8],
      *(uint32_t *)&P[g + 8][2 * t + 8], *(uint32_t *)&B[(warp * 8 + g) * 16 + 2 * t],
      *(uint32_t *)&B[(warp * 8 + g) * 16 + 2 * t + 8]);
  STORE
}

// What one turn writes the next one reads.
// CHECK-DAG: nextTurn is not native: an operand that is written into the call is read from 'P', which results may go into without a barrier behind them
KERNEL(nextTurn) {
  SETUP
  P[threadIdx.x % 32][threadIdx.x / 32] = A[threadIdx.x];
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    mma(c, *(uint32_t *)&P[g][2 * t], *(uint32_t *)&P[g + 8][2 * t], *(uint32_t *)&P[g][2 * t + 8],
      *(uint32_t *)&P[g + 8][2 * t + 8], *(uint32_t *)&B[(warp * 8 + g) * 16 + 2 * t],
      *(uint32_t *)&B[(warp * 8 + g) * 16 + 2 * t + 8]);
    mma(d, *(uint32_t *)&A[g * 16 + 2 * t], *(uint32_t *)&A[(g + 8) * 16 + 2 * t],
      *(uint32_t *)&A[g * 16 + 2 * t + 8], *(uint32_t *)&A[(g + 8) * 16 + 2 * t + 8],
      *(uint32_t *)&B[(warp * 8 + g) * 16 + 2 * t],
      *(uint32_t *)&B[(warp * 8 + g) * 16 + 2 * t + 8]);
    for (int e = 0; e < 4; ++e)
    P[g + e / 2 * 8][warp * 8 + 2 * t + e % 2] = __float2half(d[e]);
  }
  STORE
}

// CHECK-DAG: byPointer is not native: an operand that is written into the call is made from the fragment 'Q'
KERNEL(byPointer) {
  SETUP
  half(*Q)[24] = P;
  mma(d, *(uint32_t *)&A[g * 16 + 2 * t], *(uint32_t *)&A[(g + 8) * 16 + 2 * t],
      *(uint32_t *)&A[g * 16 + 2 * t + 8], *(uint32_t *)&A[(g + 8) * 16 + 2 * t + 8],
      *(uint32_t *)&B[(warp * 8 + g) * 16 + 2 * t],
      *(uint32_t *)&B[(warp * 8 + g) * 16 + 2 * t + 8]);
  for (int e = 0; e < 4; ++e)
    P[g + e / 2 * 8][warp * 8 + 2 * t + e % 2] = __float2half(d[e]);
  __syncthreads();
  mma(c, *(uint32_t *)&Q[g][2 * t], *(uint32_t *)&Q[g + 8][2 * t], *(uint32_t *)&Q[g][2 * t + 8],
      *(uint32_t *)&Q[g + 8][2 * t + 8], *(uint32_t *)&B[(warp * 8 + g) * 16 + 2 * t],
      *(uint32_t *)&B[(warp * 8 + g) * 16 + 2 * t + 8]);
  STORE
}
