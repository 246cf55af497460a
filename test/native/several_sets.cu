// Functions that multiply or read operands for several sets of fragments: both products of a backward
// pass, a function that hands each on to another, two instances of one template, and an object's
// method for two objects.
//
// RUN: %prove --launch %S/several_sets.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
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
__device__ __forceinline__ void ldsm2t(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}

__device__ __forceinline__ void stage(half *to, const half *from, int rows) {
  for (int i = threadIdx.x; i < rows * 32; i += blockDim.x)
    to[i / 32 * kLd + i % 32] = from[i];
}

__device__ __forceinline__ void store(float *C, int N, const float (&c)[4], int n, int lane, int warp) {
  float *out = C + (warp * 16 + lane / 4) * N + n * 8 + lane % 4 * 2;
  out[0] = c[0];
  out[1] = c[1];
  out[8 * N] = c[2];
  out[8 * N + 1] = c[3];
}

// acc += X * Y^T, 16 rows of a warp by 32.
// CHECK-LABEL: void scores(
// CHECK: lp::load_a(
// CHECK: lp::load_b(
// CHECK: lp::mma_m16n8k16_f32_f16_steps_wave(
// CHECK-NOT: lp::mma
// CHECK-LABEL: void accumulate(
__device__ __forceinline__ void scores(float (&acc)[4][4], const half *X, const half *Y, int lane) {
#pragma unroll
  for (int k = 0; k < 32; k += 16) {
    uint32_t a[4];
    ldsm4(a, X + lane % 16 * kLd + k + lane / 16 * 8);
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      uint32_t b[2];
      ldsm2(b, Y + (n * 8 + lane % 8) * kLd + k + lane / 8 % 2 * 8);
      mma(acc[n], a, b);
    }
  }
}

// acc += A * Y, A in registers.
__device__ __forceinline__ void accumulate(float (&acc)[4][4], const uint32_t (&a)[2][4], const half *Y,
                                           int lane) {
#pragma unroll
  for (int k = 0; k < 2; ++k)
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      uint32_t b[2];
      ldsm2t(b, Y + (k * 16 + lane % 16) * kLd + n * 8);
      mma(acc[n], a[k], b);
    }
}

__device__ __forceinline__ uint32_t pack(float x, float y) {
  const half2 h = __floats2half2_rn(x, y);
  return *reinterpret_cast<const uint32_t *>(&h);
}

// dV += P^T dO and dK += dS^T Q, with P = exp(K Q^T - lse) and dS = P (V dO^T - delta).
__global__ void __launch_bounds__(128)
    backward(const half *Q, const half *K, const half *V, const half *G, const float *lse, const float *delta,
             float *dK, float *dV, int steps) {
  __shared__ half sK[64 * kLd], sV[64 * kLd], sQ[32 * kLd], sG[32 * kLd];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  stage(sK, K, 64);
  stage(sV, V, 64);
  float dk[4][4] = {}, dv[4][4] = {};
  for (int step = 0; step < steps; ++step) {
    __syncthreads();
    stage(sQ, Q + step * 32 * 32, 32);
    stage(sG, G + step * 32 * 32, 32);
    __syncthreads();
    float s[4][4] = {}, dp[4][4] = {};
    scores(s, sK + warp * 16 * kLd, sQ, lane);
    scores(dp, sV + warp * 16 * kLd, sG, lane);
#pragma unroll
    for (int n = 0; n < 4; ++n)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int q = step * 32 + n * 8 + lane % 4 * 2 + i % 2;
        s[n][i] = __expf(s[n][i] - lse[q]);
        dp[n][i] = s[n][i] * (dp[n][i] - delta[q]);
      }
    uint32_t p[2][4], ds[2][4];
#pragma unroll
    for (int n = 0; n < 4; ++n)
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        p[n / 2][n % 2 * 2 + r] = pack(s[n][2 * r], s[n][2 * r + 1]);
        ds[n / 2][n % 2 * 2 + r] = pack(dp[n][2 * r], dp[n][2 * r + 1]);
      }
    accumulate(dv, p, sG, lane);
    accumulate(dk, ds, sQ, lane);
  }
#pragma unroll
  for (int n = 0; n < 4; ++n) {
    store(dV, 32, dv[n], n, lane, warp);
    store(dK, 32, dk[n], n, lane, warp);
  }
}

// A function for the half of a step, called by one for all of it, for either set.
__device__ __forceinline__ void halfStep(float (&acc)[2][4], const half *X, const half *Y, int k, int lane) {
  uint32_t a[4], b[2][2];
  ldsm4(a, X + lane % 16 * kLd + k + lane / 16 * 8);
#pragma unroll
  for (int n = 0; n < 2; ++n) {
    ldsm2(b[n], Y + (n * 8 + lane % 8) * kLd + k + lane / 8 % 2 * 8);
    mma(acc[n], a, b[n]);
  }
}
__device__ __forceinline__ void wholeStep(float (&acc)[2][4], const half *X, const half *Y, int lane) {
  halfStep(acc, X, Y, 0, lane);
  halfStep(acc, X, Y, 16, lane);
}
__global__ void __launch_bounds__(64) nested(const half *A, const half *B, float *C, float *D) {
  __shared__ half sA[32 * kLd], sB[32 * kLd];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  stage(sA, A, 32);
  stage(sB, B, 32);
  __syncthreads();
  float left[2][4] = {}, right[2][4] = {};
  wholeStep(left, sA + warp * 16 * kLd, sB, lane);
  wholeStep(right, sA + warp * 16 * kLd, sB + 16 * kLd, lane);
#pragma unroll
  for (int n = 0; n < 2; ++n) {
    store(C, 16, left[n], n, lane, warp);
    store(D, 16, right[n], n, lane, warp);
  }
}

// Four tiles and two: one text for both instances.
template <int kTiles>
__device__ __forceinline__ void tiles(float (&acc)[kTiles][4], const half *X, const half *Y, int lane) {
#pragma unroll
  for (int k = 0; k < 32; k += 16) {
    uint32_t a[4];
    ldsm4(a, X + lane % 16 * kLd + k + lane / 16 * 8);
#pragma unroll
    for (int n = 0; n < kTiles; ++n) {
      uint32_t b[2];
      ldsm2(b, Y + (n * 8 + lane % 8) * kLd + k + lane / 8 % 2 * 8);
      mma(acc[n], a, b);
    }
  }
}
__global__ void __launch_bounds__(64) instances(const half *A, const half *B, float *C, float *D) {
  __shared__ half sA[32 * kLd], sB[32 * kLd];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  stage(sA, A, 32);
  stage(sB, B, 32);
  __syncthreads();
  float wide[4][4] = {}, narrow[2][4] = {};
  tiles(wide, sA + warp * 16 * kLd, sB, lane);
  tiles(narrow, sA + warp * 16 * kLd, sB + 16 * kLd, lane);
#pragma unroll
  for (int n = 0; n < 4; ++n)
    store(C, 32, wide[n], n, lane, warp);
#pragma unroll
  for (int n = 0; n < 2; ++n)
    store(D, 16, narrow[n], n, lane, warp);
}

// An object for each of two products.
struct Warp {
  float c[2][4];
  __device__ __forceinline__ void clear() {
    for (int n = 0; n < 2; ++n)
      for (int i = 0; i < 4; ++i)
        c[n][i] = 0.f;
  }
  __device__ __forceinline__ void step(const half *X, const half *Y, int k, int lane) {
    uint32_t a[4];
    ldsm4(a, X + lane % 16 * kLd + k + lane / 16 * 8);
    for (int n = 0; n < 2; ++n) {
      uint32_t b[2];
      ldsm2(b, Y + (n * 8 + lane % 8) * kLd + k + lane / 8 % 2 * 8);
      mma(c[n], a, b);
    }
  }
};
__global__ void __launch_bounds__(64) objects(const half *A, const half *B, float *C, float *D) {
  __shared__ half sA[32 * kLd], sB[32 * kLd];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  stage(sA, A, 32);
  stage(sB, B, 32);
  __syncthreads();
  Warp upper, lower;
  upper.clear();
  lower.clear();
  for (int k = 0; k < 32; k += 16) {
    upper.step(sA + warp * 16 * kLd, sB, k, lane);
    lower.step(sA + warp * 16 * kLd, sB + 16 * kLd, k, lane);
  }
  for (int n = 0; n < 2; ++n) {
    store(C, 16, upper.c[n], n, lane, warp);
    store(D, 16, lower.c[n], n, lane, warp);
  }
}
