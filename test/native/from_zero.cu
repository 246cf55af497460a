// Products that begin their sums: C is the constant 0, as a number, in the text of the asm, in a
// variable or an array that holds nothing else. The sums need no fill of their own.
//
// RUN: %prove --launch %S/from_zero.yaml 2>&1 | FileCheck %S/Inputs/native_halves_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int BK = 32, LD = BK + 8;

__device__ __forceinline__ void ldsm4(uint32_t *r, const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void ldsm2(uint32_t *r, const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
enum class Mode { Begin, Add };
template <Mode mode = Mode::Add>
__device__ __forceinline__ void mma16x16(float *c, const uint32_t *a, const uint32_t *b) {
  if constexpr (mode == Mode::Begin) {
    asm volatile(MMA "{%10,%11,%12,%13};"
                 : "=f"(c[0]), "=f"(c[1]), "=f"(c[2]), "=f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(0.f), "f"(0.f), "f"(0.f),
                   "f"(0.f));
    asm volatile(MMA "{%10,%11,%12,%13};"
                 : "=f"(c[4]), "=f"(c[5]), "=f"(c[6]), "=f"(c[7])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[2]), "r"(b[3]), "f"(0.f), "f"(0.f), "f"(0.f),
                   "f"(0.f));
  } else {
    asm volatile(MMA "{%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    asm volatile(MMA "{%0,%1,%2,%3};"
                 : "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[2]), "r"(b[3]));
  }
}
__device__ __forceinline__ void mma(float *d, const uint32_t *a, const uint32_t *b, const float *c) {
  asm volatile(MMA "{%10,%11,%12,%13};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]), "f"(c[2]),
                 "f"(c[3]));
}
__device__ __forceinline__ void mmaInText(float *d, const uint32_t *a, const uint32_t *b) {
  asm volatile(MMA "{0f00000000, 0f00000000, 0f00000000, 0f00000000};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void mmaHalf(uint32_t *d, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%8};"
               : "=r"(d[0]), "=r"(d[1])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(0));
}

// C (64 x 32) = A B^T of four warps along m.
#define BEGIN                                                                                      \
  __shared__ half as[64 * LD], bs[32 * LD];                                                        \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#define READ                                                                                       \
  __syncthreads();                                                                                 \
  for (int i = threadIdx.x; i < 64 * BK; i += blockDim.x)                                          \
    as[i / BK * LD + i % BK] = A[i / BK * K + k0 + i % BK];                                        \
  for (int i = threadIdx.x; i < 32 * BK; i += blockDim.x)                                          \
    bs[i / BK * LD + i % BK] = B[i / BK * K + k0 + i % BK];                                        \
  __syncthreads();
#define READ_A ldsm4(a, as + (warp * 16 + lane % 16) * LD + kk + lane / 16 * 8)
#define READ_B4 ldsm4(b, bs + (j * 16 + lane / 16 * 8 + lane % 8) * LD + kk + lane / 8 % 2 * 8)
#define READ_B2 ldsm2(b, bs + (j * 8 + lane % 8) * LD + kk + lane / 8 % 2 * 8)

// The first step of k begins the sums, which hold anything before.
// CHECK: byMode
// CHECK: if (k0 + kk == 0)
// CHECK-NEXT: lp::mma_m16n8k16_f32_f16_from_zero_wave(lp::tile<float, 4>(c, j * 2), lp::tile<float, 4>(c, j * 2 + 1), a, lp::tile<unsigned int, 2>(b, 0), 0),
// CHECK-NEXT: lp::mma_m16n8k16_f32_f16_from_zero_wave(lp::tile<float, 4>(c, j * 2), lp::tile<float, 4>(c, j * 2 + 1), a, lp::tile<unsigned int, 2>(b, 1), 1);
// CHECK-NEXT: else
// CHECK-NEXT: lp::mma_m16n8k16_f32_f16_wave(
__global__ void __launch_bounds__(128) byMode(const half *A, const half *B, float *C, int K) {
  BEGIN
  float c[2][8];
  for (int k0 = 0; k0 < K; k0 += BK) {
    READ
    for (int kk = 0; kk < BK; kk += 16) {
      uint32_t a[4], b[4];
      READ_A;
      for (int j = 0; j < 2; ++j) {
        READ_B4;
        if (k0 + kk == 0)
          mma16x16<Mode::Begin>(c[j], a, b);
        else
          mma16x16(c[j], a, b);
      }
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 8; ++e)
      C[(warp * 16 + lane / 4 + e % 4 / 2 * 8) * 32 + j * 16 + e / 4 * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// Each step's sums are scaled and added up: no lane moves anything between.
// CHECK: scaled
// CHECK: lp::mma_m16n8k16_f32_f16_from_zero_wave(
__global__ void __launch_bounds__(128) scaled(const half *A, const half *B, float *C, int K) {
  BEGIN
  const float zero[4] = {};
  float c[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    READ
    const float scale = 1.0f + k0 / BK;
    for (int kk = 0; kk < BK; kk += 16) {
      uint32_t a[4], b[2];
      float part[4][4];
      READ_A;
      for (int j = 0; j < 4; ++j) {
        READ_B2;
        mma(part[j], a, b, zero);
      }
      for (int j = 0; j < 4; ++j)
        for (int e = 0; e < 4; ++e)
          c[j][e] += scale * part[j][e];
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK: inText
// CHECK: lp::mma_m16n8k16_f32_f16_from_zero_wave{{[_0-9]*}}(
__global__ void __launch_bounds__(128) inText(const half *A, const half *B, float *C, int K) {
  BEGIN
  float c[4][4];
  const int k0 = 0, kk = 16;
  uint32_t a[4], b[2];
  READ
  READ_A;
  for (int j = 0; j < 4; ++j) {
    READ_B2;
    mmaInText(c[j], a, b);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK: halfSums
// CHECK: lp::mma_m16n8k16_f16_f16_from_zero_wave{{[_0-9]*}}(
__global__ void __launch_bounds__(128) halfSums(const half *A, const half *B, float *C, int K) {
  BEGIN
  uint32_t c[4][2];
  const int k0 = 0, kk = 0;
  uint32_t a[4], b[2];
  READ
  READ_A;
  for (int j = 0; j < 4; ++j) {
    READ_B2;
    mmaHalf(c[j], a, b);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 2; ++e) {
      const half2 v = *(half2 *)&c[j][e];
      C[(warp * 16 + lane / 4 + e * 8) * 32 + j * 8 + lane % 4 * 2] = __low2float(v);
      C[(warp * 16 + lane / 4 + e * 8) * 32 + j * 8 + lane % 4 * 2 + 1] = __high2float(v);
    }
}

// Two tiles with a B each share an MFMA; one begins and its neighbour does not: they do not.
// CHECK: oneBegins
// CHECK: lp::mma_m16n8k16_f32_f16_from_zero_wave{{[_0-9]*}}(c[0], a, b0)
// CHECK: lp::mma_m16n8k16_f32_f16_steps_wave{{[_0-9]*}}(c[1], a, b1, held, (k0 - k00) / BK)
// CHECK: lp::mma_m16n8k16_f32_f16_two_from_zero_wave(d[0], d[1], a, b0, b1)
__global__ void __launch_bounds__(128) oneBegins(const half *A, const half *B, float *C, int K) {
  BEGIN
  float c[2][4] = {}, d[2][4];
  const int kk = 0;
  uint32_t a[4], b0[2], b1[2];
  for (int k0 = 0; k0 < K; k0 += BK) {
    READ
    READ_A;
    ldsm2(b0, bs + lane % 8 * LD + lane / 8 % 2 * 8);
    ldsm2(b1, bs + (8 + lane % 8) * LD + lane / 8 % 2 * 8);
    mmaInText(c[0], a, b0);
    mma(c[1], a, b1, c[1]);
    mmaInText(d[0], a, b0);
    mmaInText(d[1], a, b1);
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e) {
      const int at = (warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2;
      C[at] = c[j][e];
      C[at + 16] = d[j][e];
    }
}
