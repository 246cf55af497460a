// Sums of products of two kinds: of operands that are read, and of operands that are made from the
// results of others. A low-rank layer beside a dense one; and a chunk of linear attention, whose one
// function reads B along k or along n, as its template's argument says.
//
// RUN: %prove --launch %S/read_and_made.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kLd = 40; // halves

__device__ __forceinline__ void mma(float (&c)[4], const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void ldsm2(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
template <bool kAlongN> __device__ __forceinline__ void ldsm2Of(uint32_t (&r)[2], const half *p) {
  const uint32_t at = (uint32_t)__cvta_generic_to_shared(p);
  if constexpr (kAlongN)
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(at));
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(at));
}
__device__ __forceinline__ uint32_t pack(float x, float y) {
  const half2 h = __floats2half2_rn(x, y);
  return *reinterpret_cast<const uint32_t *>(&h);
}
__device__ __forceinline__ void stage(half *to, const half *from, int rows) {
  for (int i = threadIdx.x; i < rows * 32; i += blockDim.x)
    to[i / 32 * kLd + i % 32] = from[i];
}

// Y = X W^T + scale (X U^T) V^T, with X 64 by 32, W 32 by 32, U 16 by 32 and V 32 by 16 (of 32).
// CHECK-LABEL: lowRank(const half
// CHECK: lp::load_a(
// CHECK: lp::mma_m16n8k16_f32_f16_steps_wave(y[n & ~1],
// CHECK: lp::mma_m16n8k16_f32_f16_steps_wave(low[n & ~1],
// CHECK: lp::mma_m16n8k16_f32_f16_wave(y[n & ~1], y[n | 1], made, b, n & 1);
__global__ void __launch_bounds__(128)
    lowRank(const half *X, const half *W, const half *U, const half *V, float *Y, float scale) {
  __shared__ half sX[64 * kLd], sW[32 * kLd], sU[16 * kLd], sV[32 * kLd];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  stage(sX, X, 64);
  stage(sW, W, 32);
  stage(sU, U, 16);
  stage(sV, V, 32);
  __syncthreads();
  float y[4][4] = {}, low[2][4] = {};
#pragma unroll
  for (int k = 0; k < 32; k += 16) {
    uint32_t a[4];
    ldsm4(a, sX + (warp * 16 + lane % 16) * kLd + k + lane / 16 * 8);
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      uint32_t b[2];
      ldsm2(b, sW + (n * 8 + lane % 8) * kLd + k + lane / 8 % 2 * 8);
      mma(y[n], a, b);
    }
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      uint32_t b[2];
      ldsm2(b, sU + (n * 8 + lane % 8) * kLd + k + lane / 8 % 2 * 8);
      mma(low[n], a, b);
    }
  }
  uint32_t made[4];
  made[0] = pack(low[0][0] * scale, low[0][1] * scale);
  made[1] = pack(low[0][2] * scale, low[0][3] * scale);
  made[2] = pack(low[1][0] * scale, low[1][1] * scale);
  made[3] = pack(low[1][2] * scale, low[1][3] * scale);
#pragma unroll
  for (int n = 0; n < 4; ++n) {
    uint32_t b[2];
    ldsm2(b, sV + (n * 8 + lane % 8) * kLd + lane / 8 % 2 * 8);
    mma(y[n], made, b);
  }
#pragma unroll
  for (int n = 0; n < 4; ++n) {
    float *out = Y + (warp * 16 + lane / 4) * 32 + n * 8 + lane % 4 * 2;
    out[0] = y[n][0];
    out[1] = y[n][1];
    out[8 * 32] = y[n][2];
    out[8 * 32 + 1] = y[n][3];
  }
}

// CHECK-LABEL: void product(
// CHECK: static_assert(
// CHECK: if constexpr (kAlongN == 0)
// CHECK: lp::load_b
// CHECK: else
// CHECK: lp::load_b_2
// CHECK: lp::mma_m16n8k16_f32_f16_steps_wave(
template <bool kAlongN, int kSteps>
__device__ __forceinline__ void product(float (&acc)[4][4], const uint32_t (&a)[kSteps][4], const half *Y) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int k = 0; k < kSteps; ++k)
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      uint32_t b[2];
      ldsm2Of<kAlongN>(b, kAlongN ? Y + (k * 16 + lane % 16) * kLd + n * 8
                                  : Y + (n * 8 + lane % 8) * kLd + k * 16 + lane / 8 % 2 * 8);
      mma(acc[n], a[k], b);
    }
}

// O = decay (Q S) + (decays between two tokens) (Q K^T) V, one chunk of 32 tokens a pair of warps, heads of 32.
__global__ void __launch_bounds__(64)
    chunk(const half *Q, const half *K, const half *V, const half *S, const float *decay, float *O) {
  __shared__ half sQ[32 * kLd], sK[32 * kLd], sV[32 * kLd], sS[32 * kLd];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  stage(sQ, Q, 32);
  stage(sK, K, 32);
  stage(sV, V, 32);
  stage(sS, S, 32);
  __syncthreads();
  uint32_t q[2][4];
#pragma unroll
  for (int k = 0; k < 2; ++k)
    ldsm4(q[k], sQ + (warp * 16 + lane % 16) * kLd + k * 16 + lane / 16 * 8);
  const int r0 = warp * 16 + lane / 4, r1 = r0 + 8;
  const float d0 = decay[r0], d1 = decay[r1];
  float o[4][4] = {}, s[4][4] = {};
  product<false>(o, q, sS);
#pragma unroll
  for (int n = 0; n < 4; ++n) {
    o[n][0] *= __expf(d0);
    o[n][1] *= __expf(d0);
    o[n][2] *= __expf(d1);
    o[n][3] *= __expf(d1);
  }
  product<false>(s, q, sK);
  uint32_t p[2][4];
#pragma unroll
  for (int n = 0; n < 4; ++n) {
    const int column = n * 8 + lane % 4 * 2;
    s[n][0] *= __expf(d0 - decay[column]);
    s[n][1] *= __expf(d0 - decay[column + 1]);
    s[n][2] *= __expf(d1 - decay[column]);
    s[n][3] *= __expf(d1 - decay[column + 1]);
    p[n / 2][n % 2 * 2] = pack(s[n][0], s[n][1]);
    p[n / 2][n % 2 * 2 + 1] = pack(s[n][2], s[n][3]);
  }
  product<true>(o, p, sV);
#pragma unroll
  for (int n = 0; n < 4; ++n) {
    float *out = O + r0 * 32 + n * 8 + lane % 4 * 2;
    out[0] = o[n][0];
    out[1] = o[n][1];
    out[8 * 32] = o[n][2];
    out[8 * 32 + 1] = o[n][3];
  }
}
