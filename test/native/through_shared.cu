// Results that go through shared memory into the next product's operand. Behind the barrier they are
// memory: whichever lane computes an operand's register reads what it is made of.
//
// RUN: %prove --launch %S/through_shared.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void mma(float (&d)[4], uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3,
                                    uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// 16 rows, 64 threads; each warp has 16 columns of S, and then 8 of C. Rows of S are scaled by what
// is their sum.
// CHECK: lp::to_warp_layout(d);
// CHECK: S[g + e / 2 * 8][column + 2 * t + e % 2] = d[e] * 0.125f;
// CHECK: __syncthreads();
// CHECK: lp::mma_m16n8k16_f32_f16_steps_wave_2(c, lp::operand_a([&](
// CHECK: return r == 0 ? *(uint32_t *)&P[g][k + 2 * t]
__global__ void __launch_bounds__(64)
    scaled(const half *A, const half *B, const half *B2, float *C) {
  __shared__ float S[16][36];
  __shared__ __align__(16) half P[16][40];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  for (int n = 0; n < 2; ++n) {
    float d[4] = {};
    const int column = warp * 16 + n * 8;
    for (int k = 0; k < 32; k += 16)
      mma(d, *(uint32_t *)&A[g * 32 + k + 2 * t], *(uint32_t *)&A[(g + 8) * 32 + k + 2 * t],
          *(uint32_t *)&A[g * 32 + k + 2 * t + 8], *(uint32_t *)&A[(g + 8) * 32 + k + 2 * t + 8],
          *(uint32_t *)&B[(column + g) * 32 + k + 2 * t],
          *(uint32_t *)&B[(column + g) * 32 + k + 2 * t + 8]);
    for (int e = 0; e < 4; ++e)
      S[g + e / 2 * 8][column + 2 * t + e % 2] = d[e] * 0.125f;
  }
  __syncthreads();
  const int row = threadIdx.x / 4, part = threadIdx.x % 4;
  float sum = 0.f;
  for (int i = 0; i < 8; ++i)
    sum += S[row][part * 8 + i];
  sum += __shfl_xor_sync(0xffffffff, sum, 1);
  sum += __shfl_xor_sync(0xffffffff, sum, 2);
  for (int i = 0; i < 8; ++i)
    P[row][part * 8 + i] = __float2half(S[row][part * 8 + i] * sum);
  __syncthreads();
  float c[4] = {};
  for (int k = 0; k < 32; k += 16)
    mma(c, *(uint32_t *)&P[g][k + 2 * t], *(uint32_t *)&P[g + 8][k + 2 * t],
        *(uint32_t *)&P[g][k + 2 * t + 8], *(uint32_t *)&P[g + 8][k + 2 * t + 8],
        *(uint32_t *)&B2[(warp * 8 + g) * 32 + k + 2 * t],
        *(uint32_t *)&B2[(warp * 8 + g) * 32 + k + 2 * t + 8]);
  float *out = C + g * 16 + warp * 8 + 2 * t;
  out[0] = c[0];
  out[1] = c[1];
  out[8 * 16] = c[2];
  out[8 * 16 + 1] = c[3];
}
