// Statistics of rows that functions keep up, and leave where results say so: log-sum-exp of logits
// over tiles of the vocabulary, as in a fused cross entropy.
//
// RUN: %prove --launch %S/left_by_results.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

struct Stat {
  float top, sum;
  __device__ __forceinline__ void merge(float m, float s) {
    const float now = fmaxf(top, m);
    if (now == -INFINITY)
      return;
    sum = sum * expf(top - now) + s * expf(m - now);
    top = now;
  }
};

__device__ __forceinline__ void mma(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ uint32_t word(const half *p) { return *(const uint32_t *)p; }

// CHECK: if (now == -INFINITY)
// CHECK-LABEL: void logSumExp(
// CHECK-NOT: to_warp_layout
__global__ void logSumExp(const half *__restrict__ X, const half *__restrict__ W, float *lse, int V,
                          int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const int row0 = blockIdx.x * 64 + warp * 16;
  Stat stat[2];
  for (int h = 0; h < 2; ++h)
    stat[h] = Stat{-INFINITY, 0.f};
  for (int v = 0; v < V; v += 32) {
    float c[4][4] = {};
    for (int k = 0; k < K; k += 16) {
      uint32_t a[4];
      a[0] = word(X + (row0 + g) * K + k + t * 2);
      a[1] = word(X + (row0 + g + 8) * K + k + t * 2);
      a[2] = word(X + (row0 + g) * K + k + t * 2 + 8);
      a[3] = word(X + (row0 + g + 8) * K + k + t * 2 + 8);
      for (int j = 0; j < 4; ++j) {
        uint32_t b[2];
        b[0] = word(W + (v + j * 8 + g) * K + k + t * 2);
        b[1] = word(W + (v + j * 8 + g) * K + k + t * 2 + 8);
        mma(c[j], a, b);
      }
    }
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float top = -INFINITY, sum = 0.f;
#pragma unroll
      for (int j = 0; j < 4; ++j)
        top = fmaxf(top, fmaxf(c[j][2 * h], c[j][2 * h + 1]));
#pragma unroll
      for (int j = 0; j < 4; ++j)
        sum += expf(c[j][2 * h] - top) + expf(c[j][2 * h + 1] - top);
      stat[h].merge(top, sum);
    }
  }
  for (int h = 0; h < 2; ++h)
#pragma unroll
    for (int o = 1; o < 4; o *= 2) {
      const float m = __shfl_xor_sync(0xffffffffu, stat[h].top, o);
      const float s = __shfl_xor_sync(0xffffffffu, stat[h].sum, o);
      stat[h].merge(m, s);
    }
  if (t == 0)
    for (int h = 0; h < 2; ++h)
      lse[row0 + g + h * 8] = stat[h].top + logf(stat[h].sum);
}
