// Gated linear units: two products share A, and their sums meet in one statement. They are handed on
// together, where both lie.
//
// RUN: %prove --launch %S/gated.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t smem(const void *p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}
__device__ __forceinline__ void ldsm2(uint32_t (&r)[2], uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"(at));
}
__device__ __forceinline__ void mma(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
               "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

constexpr int kPitch = 40;

struct Tiles {
  half x[32 * kPitch], gate[64 * kPitch], up[64 * kPitch];
};

__device__ __forceinline__ void stage(Tiles &t, const half *X, const half *G, const half *U, int k0, int K) {
  const int r = threadIdx.x / 4, c = threadIdx.x % 4 * 8;
  *(uint4 *)&t.x[r * kPitch + c] = *(const uint4 *)&X[r * K + k0 + c];
  for (int i = 0; i < 64; i += 32) {
    *(uint4 *)&t.gate[(r + i) * kPitch + c] = *(const uint4 *)&G[(blockIdx.x * 64 + r + i) * K + k0 + c];
    *(uint4 *)&t.up[(r + i) * kPitch + c] = *(const uint4 *)&U[(blockIdx.x * 64 + r + i) * K + k0 + c];
  }
}

__device__ __forceinline__ float squashed(float x) { return x / (1.f + x * x); }

// out = x / (1 + x^2) of X G^T, times X U^T
__global__ void __launch_bounds__(128)
    gated(const half *X, const half *G, const half *U, half *__restrict__ out, int N, int K) {
  __shared__ __align__(16) Tiles t;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 16, wn = warp % 2 * 32;
  float gate[4][4] = {}, up[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    stage(t, X, G, U, k0, K);
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[2];
      ldsm4(a, smem(&t.x[(wm + lane % 16) * kPitch + kk + lane / 16 * 8]));
      for (int j = 0; j < 4; ++j) {
        ldsm2(b, smem(&t.gate[(wn + j * 8 + lane % 8) * kPitch + kk + lane / 8 % 2 * 8]));
        mma(gate[j], a, b);
        ldsm2(b, smem(&t.up[(wn + j * 8 + lane % 8) * kPitch + kk + lane / 8 % 2 * 8]));
        mma(up[j], a, b);
      }
    }
    __syncthreads();
  }
  const int row = wm + lane / 4;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const int col = blockIdx.x * 64 + wn + j * 8 + lane % 4 * 2;
    *(half2 *)&out[row * N + col] =
        __floats2half2_rn(squashed(gate[j][0]) * up[j][0], squashed(gate[j][1]) * up[j][1]);
    *(half2 *)&out[(row + 8) * N + col] =
        __floats2half2_rn(squashed(gate[j][2]) * up[j][2], squashed(gate[j][3]) * up[j][3]);
  }
}

// The same of one array; the gate's elements are changed before they are stored.
__global__ void __launch_bounds__(128)
    inOneArray(const half *X, const half *G, const half *U, float *__restrict__ out, int N, int K) {
  __shared__ __align__(16) Tiles t;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 16, wn = warp % 2 * 32;
  float acc[2][4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    stage(t, X, G, U, k0, K);
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[2];
      ldsm4(a, smem(&t.x[(wm + lane % 16) * kPitch + kk + lane / 16 * 8]));
      for (int which = 0; which < 2; ++which)
        for (int j = 0; j < 4; ++j) {
          const half *tile = which ? t.up : t.gate;
          ldsm2(b, smem(&tile[(wn + j * 8 + lane % 8) * kPitch + kk + lane / 8 % 2 * 8]));
          mma(acc[which][j], a, b);
        }
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      acc[0][j][e] = squashed(acc[0][j][e]) * acc[1][j][e];
  for (int j = 0; j < 4; ++j) {
    const int row = wm + lane / 4, col = blockIdx.x * 64 + wn + j * 8 + lane % 4 * 2;
    *(float2 *)&out[row * N + col] = make_float2(acc[0][j][0], acc[0][j][1]);
    *(float2 *)&out[(row + 8) * N + col] = make_float2(acc[0][j][2], acc[0][j][3]);
  }
}

// CHECK-NOT: to_warp_layout
// CHECK: lp::each_pair(gate[j], up[j],
// CHECK: __floats2half2_rn(squashed(v[0]) * v2[0], squashed(v[1]) * v2[1]);
// CHECK: lp::each_pair{{.*}}(acc[0][j], acc[1][j], [&](int lower, auto &v, auto &v2) {
// CHECK: v[e & 1] = squashed(v[e & 1]) * v2[e & 1];
