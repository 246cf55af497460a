// Operands as objects that their class's constructor makes, and that have no other one: what
// another lane has of them is copied as it is.
//
// RUN: %prove --launch %S/made_objects.yaml 2>&1 | FileCheck %S/Inputs/native_halves_tested.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

// Eight weights of four bits: value q is (q - 8) * scale.
struct Weights {
  __half2 pair[4];
  __device__ Weights(uint32_t word, __half2 scale) {
    for (int i = 0; i < 4; ++i) {
      const uint32_t bits = (word >> 4 * i & 0x000f000f) | 0x64006400;
      pair[i] = __hmul2(__hsub2(*(const __half2 *)&bits, __float2half2_rn(1032.f)), scale);
    }
  }
  __device__ uint32_t operator[](int i) const { return ((const uint32_t *)pair)[i]; }
};
__device__ void mma(float4 &d, const uint4 &a, uint32_t b0, uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d.x), "+f"(d.y), "+f"(d.z), "+f"(d.w)
      : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
}

// Words that are read ahead, a group's scale that stays while the group lasts.
// CHECK-LABEL: weights(
// CHECK: lp::mma_m16n8k16_f32_f16
__global__ void __launch_bounds__(64)
    weights(const half *x, const uint32_t *packed, const half *scales, float *y, int K, int group) {
  __shared__ __align__(16) half rows[16 * 136];
  for (int i = threadIdx.x; i < 16 * K; i += 64)
    rows[i / K * 136 + i % K] = x[i];
  const int lane = threadIdx.x & 31, column = (threadIdx.x >> 5) * 8 + lane / 4;
  uint32_t at = (uint32_t)__cvta_generic_to_shared(rows + lane % 16 * 136 + lane / 16 * 8);
  const uint32_t *w = packed + threadIdx.x;
  uint32_t next = w[0];
  __half2 scale = __float2half2_rn(0.f);
  float4 sum = make_float4(0.f, 0.f, 0.f, 0.f);
  __syncthreads();
  for (int k = 0; k < K; k += 32) {
    if (k % group == 0)
      scale = __half2half2(scales[k / group * 16 + column]);
    const Weights b(next, scale);
    if (k + 32 < K) {
      w += 64;
      next = w[0];
    }
    for (int s = 0; s < 2; ++s) {
      uint4 a;
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(a.x), "=r"(a.y), "=r"(a.z), "=r"(a.w)
                   : "r"(at));
      mma(sum, a, b[2 * s], b[2 * s + 1]);
      at += 32;
    }
  }
  float *to = y + lane / 4 * 16 + (threadIdx.x >> 5) * 8 + lane % 4 * 2;
  to[0] = sum.x, to[1] = sum.y;
  to[8 * 16] = sum.z, to[8 * 16 + 1] = sum.w;
}
