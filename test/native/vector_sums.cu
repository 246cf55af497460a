// Sums that are vectors, assigned as a whole: zeroed tile by tile where they are multiplied, scaled
// and made anew from their members between the products of an attention.
//
// RUN: %prove --launch %S/vector_sums.yaml 2>&1 | FileCheck %S/Inputs/native_halves_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kLd = 40; // halves

__device__ __forceinline__ uint32_t word(const half *p) { return *reinterpret_cast<const uint32_t *>(p); }
__device__ __forceinline__ uint32_t pack(float x, float y) {
  const half2 h = __floats2half2_rn(x, y);
  return *reinterpret_cast<const uint32_t *>(&h);
}
__device__ __forceinline__ void mma(float4 &c, uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint32_t b0,
                                    uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c.x), "+f"(c.y), "+f"(c.z), "+f"(c.w)
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
__device__ __forceinline__ float ofQuad(float x) {
  x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
  return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}

// O = softmax(Q K^T) V without the division; K is [key][d], V is [d][key].
// CHECK-LABEL: attend(const half
// CHECK: s[n] = make_float4(0.f, 0.f, 0.f, 0.f);
// CHECK: lp::mma_m16n8k16_f32_f16_steps_wave{{[_0-9]*}}(
// CHECK: o[n] = make_float4(o[n].x * f0, o[n].y * f0, o[n].z * f1, o[n].w * f1);
// CHECK: lp::mma_m16n8k16_f32_f16_steps_wave{{[_0-9]*}}(
__global__ void __launch_bounds__(64) attend(const half *Q, const half *K, const half *V, float *O, int steps) {
  __shared__ half sK[32 * kLd], sV[32 * kLd];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const int r0 = warp * 16 + g, r1 = r0 + 8;
  uint32_t q[2][4];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    q[i][0] = word(Q + r0 * 32 + i * 16 + t * 2);
    q[i][1] = word(Q + r1 * 32 + i * 16 + t * 2);
    q[i][2] = word(Q + r0 * 32 + i * 16 + t * 2 + 8);
    q[i][3] = word(Q + r1 * 32 + i * 16 + t * 2 + 8);
  }
  float4 o[4], s[4];
#pragma unroll
  for (int n = 0; n < 4; ++n)
    o[n] = s[n] = make_float4(0.f, 0.f, 0.f, 0.f);
  float m0 = -1e30f, m1 = -1e30f;
  for (int step = 0; step < steps; ++step) {
    __syncthreads();
    for (int i = threadIdx.x; i < 32 * 32; i += 64) {
      sK[i / 32 * kLd + i % 32] = K[step * 32 * 32 + i];
      sV[i / 32 * kLd + i % 32] = V[i / 32 * 64 + step * 32 + i % 32];
    }
    __syncthreads();
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      s[n] = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const half *p = sK + (n * 8 + g) * kLd + i * 16 + t * 2;
        mma(s[n], q[i][0], q[i][1], q[i][2], q[i][3], word(p), word(p + 8));
      }
    }
    float x0 = m0, x1 = m1;
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      x0 = fmaxf(x0, fmaxf(s[n].x, s[n].y));
      x1 = fmaxf(x1, fmaxf(s[n].z, s[n].w));
    }
    x0 = ofQuad(x0);
    x1 = ofQuad(x1);
    const float f0 = __expf(m0 - x0), f1 = __expf(m1 - x1);
    m0 = x0;
    m1 = x1;
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      o[n] = make_float4(o[n].x * f0, o[n].y * f0, o[n].z * f1, o[n].w * f1);
      const float4 old = s[n];
      s[n] = {__expf(old.x - m0), __expf(old.y - m0), __expf(old.z - m1), __expf(old.w - m1)};
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const uint32_t a0 = pack(s[2 * i].x, s[2 * i].y), a1 = pack(s[2 * i].z, s[2 * i].w);
      const uint32_t a2 = pack(s[2 * i + 1].x, s[2 * i + 1].y), a3 = pack(s[2 * i + 1].z, s[2 * i + 1].w);
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        const half *p = sV + (n * 8 + g) * kLd + i * 16 + t * 2;
        mma(o[n], a0, a1, a2, a3, word(p), word(p + 8));
      }
    }
  }
#pragma unroll
  for (int n = 0; n < 4; ++n) {
    *reinterpret_cast<float2 *>(O + r0 * 32 + n * 8 + t * 2) = make_float2(o[n].x, o[n].y);
    *reinterpret_cast<float2 *>(O + r1 * 32 + n * 8 + t * 2) = make_float2(o[n].z, o[n].w);
  }
}
