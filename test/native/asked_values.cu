// Operands made of values that a thread reads or computes once, and may use otherwise too: numbers
// of 16, 32 and 64 bits, and structs of words. A lane asks for them whoever has them.
//
// RUN: %prove --launch %S/asked_values.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

struct __align__(16) Words {
  uint32_t u[4];
};

__device__ __forceinline__ uint32_t pack(float x, float y) {
  const half2 h = __floats2half2_rn(x, y);
  return *(const uint32_t *)&h;
}
__device__ __forceinline__ uint32_t pair(half x, half y) {
  const half2 h = __halves2half2(x, y);
  return *(const uint32_t *)&h;
}
__device__ __forceinline__ void mma(float (&d)[4], uint32_t a0, uint32_t a1, uint32_t a2,
                                    uint32_t a3, uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void store(float *C, const float (&c)[4], int row, int col, int N) {
  *(float2 *)&C[row * N + col] = make_float2(c[0], c[1]);
  *(float2 *)&C[(row + 8) * N + col] = make_float2(c[2], c[3]);
}

// Rows weighed by the sum of their powers of two, which go into the sum and into the product.
__global__ void __launch_bounds__(64) weighed(const float *S, const half *V, float *O, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const float *top = S + (warp * 16 + g) * K, *low = top + 8 * K;
  float c[2][4] = {}, sum0 = 0.f, sum1 = 0.f;
  for (int k = 0; k < K; k += 16) {
    const int at = k + t * 2;
    const float e0 = exp2f(top[at]), e1 = exp2f(top[at + 1]);
    const float e2 = exp2f(low[at]), e3 = exp2f(low[at + 1]);
    const float2 e4 = make_float2(exp2f(top[at + 8]), exp2f(top[at + 9]));
    const float2 e5 = make_float2(exp2f(low[at + 8]), exp2f(low[at + 9]));
    sum0 += e0 + e1 + e4.x + e4.y;
    sum1 += e2 + e3 + e5.x + e5.y;
    const uint32_t a0 = pack(e0, e1), a1 = pack(e2, e3);
    const uint32_t a2 = pack(e4.x, e4.y), a3 = pack(e5.x, e5.y);
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const half *p = V + (j * 8 + g) * K + at;
      mma(c[j], a0, a1, a2, a3, *(const uint32_t *)p, *(const uint32_t *)(p + 8));
    }
  }
  sum0 += __shfl_xor_sync(~0u, sum0, 1);
  sum0 += __shfl_xor_sync(~0u, sum0, 2);
  sum1 += __shfl_xor_sync(~0u, sum1, 1);
  sum1 += __shfl_xor_sync(~0u, sum1, 2);
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    float *out = O + (warp * 16 + g) * 16 + j * 8 + t * 2;
    out[0] = c[j][0] + sum0;
    out[1] = c[j][1] + sum0;
    out[8 * 16] = c[j][2] + sum1;
    out[8 * 16 + 1] = c[j][3] + sum1;
  }
}

// A^T: halves are read one by one.
__global__ void __launch_bounds__(64) columns(const half *A, const half *B, float *C, int M, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    const half *p = A + (k + t * 2) * M + warp * 16 + g;
    uint32_t a[4];
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const half h0 = p[0], h1 = p[M], h2 = p[8], h3 = p[M + 8];
      const half h4 = p[8 * M], h5 = p[9 * M], h6 = p[8 * M + 8], h7 = p[9 * M + 8];
      a[0] = pair(h0, h1);
      a[1] = pair(h2, h3);
      a[2] = pair(h4, h5);
      a[3] = pair(h6, h7);
      const half *q = B + (j * 8 + g) * K + k + t * 2;
      mma(c[j], a[0], a[1], a[2], a[3], *(const uint32_t *)q, *(const uint32_t *)(q + 8));
    }
  }
#pragma unroll
  for (int j = 0; j < 2; ++j)
    store(C, c[j], warp * 16 + g, j * 8 + t * 2, 16);
}

// Eight neighbours along k at once, for two products; rows from M on are zero.
__global__ void __launch_bounds__(64)
    skinny(const half *__restrict__ X, const half *__restrict__ W, float *__restrict__ Y, int M,
           int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const Words zero = {{0, 0, 0, 0}};
  float c[2][4] = {};
  for (int k = 0; k < K; k += 32) {
    const int at = k + t * 8;
    const Words upper = g < M ? *(const Words *)(X + g * K + at) : zero;
    const Words lower = g + 8 < M ? *(const Words *)(X + (g + 8) * K + at) : zero;
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const Words w = *(const Words *)(W + (warp * 16 + j * 8 + g) * K + at);
      mma(c[j], upper.u[0], lower.u[0], upper.u[1], lower.u[1], w.u[0], w.u[1]);
      mma(c[j], upper.u[2], lower.u[2], upper.u[3], lower.u[3], w.u[2], w.u[3]);
    }
  }
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    float *out = Y + g * 32 + warp * 16 + j * 8 + t * 2;
    if (g < M) {
      out[0] = c[j][0];
      out[1] = c[j][1];
    }
    if (g + 8 < M) {
      out[8 * 32] = c[j][2];
      out[8 * 32 + 1] = c[j][3];
    }
  }
}
