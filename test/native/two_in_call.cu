// One statement that is two products, m16n16k16 on float c[8]: a function of two asm, one that calls
// the n8 product twice, a macro; under a condition, for warps along n, and twice into the same sums.
//
// RUN: %prove --launch %S/two_in_call.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
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
#define MMA(c, i, a, b, j)                                                                         \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "  \
               "{%8,%9}, {%0,%1,%2,%3};"                                                           \
               : "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3])                        \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[j]), "r"(b[j + 1]))
__device__ __forceinline__ void mma16x16(float *c, uint32_t *a, uint32_t *b) {
  MMA(c, 0, a, b, 0);
  MMA(c, 4, a, b, 2);
}
__device__ __forceinline__ void mma16x8(float *c, const uint32_t *a, const uint32_t *b) { MMA(c, 0, a, b, 0); }
__device__ __forceinline__ void mmaTwice(float (&c)[8], const uint32_t (&a)[4], const uint32_t (&b)[4]) {
  mma16x8(c, a, b);
  mma16x8(c + 4, a, b + 2);
}
#define MMA_BOTH(c, a, b)                                                                          \
  do {                                                                                             \
    MMA(c, 0, a, b, 0);                                                                            \
    MMA(c, 4, a, b, 2);                                                                            \
  } while (0)
#define MMA_PLAIN(c, a, b)                                                                         \
  MMA(c, 0, a, b, 0);                                                                              \
  MMA(c, 4, a, b, 2)

// C (WM * 16 x WN * 32) = A B^T, tiles of 16 x 16.
#define BEGIN(WM, WN)                                                                              \
  __shared__ half as[WM * 16 * LD], bs[WN * 32 * LD];                                              \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, wm = warp % WM, wn = warp / WM;      \
  float c[2][8] = {};
#define READ(WM, WN)                                                                               \
  __syncthreads();                                                                                 \
  for (int i = threadIdx.x; i < WM * 16 * BK; i += blockDim.x)                                     \
    as[i / BK * LD + i % BK] = A[i / BK * K + k0 + i % BK];                                        \
  for (int i = threadIdx.x; i < WN * 32 * BK; i += blockDim.x)                                     \
    bs[i / BK * LD + i % BK] = B[i / BK * K + k0 + i % BK];                                        \
  __syncthreads();
#define READ_A ldsm4(a, as + (wm * 16 + lane % 16) * LD + kk + lane / 16 * 8)
#define READ_B                                                                                     \
  ldsm4(b, bs + (wn * 32 + j * 16 + lane / 16 * 8 + lane % 8) * LD + kk + lane / 8 % 2 * 8)
#define STORE(WN)                                                                                  \
  for (int j = 0; j < 2; ++j)                                                                      \
    for (int e = 0; e < 8; ++e)                                                                    \
      C[(wm * 16 + lane / 4 + e % 4 / 2 * 8) * (WN * 32) + wn * 32 + j * 16 + e / 4 * 8 +          \
        lane % 4 * 2 + e % 2] = c[j][e];

// CHECK-NOT: mma16x16
// CHECK: lp::mma_m16n8k16_f32_f16_wave(lp::tile<float, 4>(c, j * 2), lp::tile<float, 4>(c, j * 2 + 1), a, lp::tile<unsigned int, 2>(b, 0), 0),
// CHECK-NEXT: lp::mma_m16n8k16_f32_f16_wave(lp::tile<float, 4>(c, j * 2), lp::tile<float, 4>(c, j * 2 + 1), a, lp::tile<unsigned int, 2>(b, 1), 1);
__global__ void __launch_bounds__(128) twoAsm(const half *A, const half *B, float *C, int K) {
  BEGIN(4, 1)
  for (int k0 = 0; k0 < K; k0 += BK) {
    READ(4, 1)
    for (int kk = 0; kk < BK; kk += 16) {
      uint32_t a[4], b[4];
      READ_A;
      for (int j = 0; j < 2; ++j) {
        READ_B;
        mma16x16(c[j], a, b);
      }
    }
  }
  STORE(1)
}

// One MFMA for a tile of both warps: the statement stays two.
// CHECK: alongN
// CHECK: lp::mma_m16n8k16_f32_f16_wave{{[_0-9]*}}(lp::tile<float, 4>(c, j * 2), a, lp::tile<unsigned int, 2>(b, 0)),
// CHECK-NEXT: lp::mma_m16n8k16_f32_f16_wave{{[_0-9]*}}(lp::tile<float, 4>(c, j * 2 + 1), a, lp::tile<unsigned int, 2>(b, 1));
__global__ void __launch_bounds__(64) alongN(const half *A, const half *B, float *C, int K) {
  BEGIN(1, 2)
  for (int k0 = 0; k0 < K; k0 += BK) {
    READ(1, 2)
    for (int kk = 0; kk < BK; kk += 16) {
      uint32_t a[4], b[4];
      READ_A;
      for (int j = 0; j < 2; ++j) {
        READ_B;
        mma16x16(c[j], a, b);
      }
    }
  }
  STORE(2)
}

// It is the body of an 'if', and stays that whole.
// CHECK: twoCalls
// CHECK: if (kk < K)
// CHECK-NEXT: lp::mma_m16n8k16_f32_f16_two_wave(lp::tile<float, 4>(c, j * 2), lp::tile<float, 4>(c, j * 2 + 1), a, lp::tile<unsigned int, 2>(b, 0), lp::tile<unsigned int, 2>(b, 1));
// CHECK-NEXT: else
__global__ void __launch_bounds__(64) twoCalls(const half *A, const half *B, float *C, int K) {
  BEGIN(2, 1)
  for (int k0 = 0; k0 < K; k0 += BK) {
    READ(2, 1)
    for (int kk = 0; kk < BK; kk += 16) {
      uint32_t a[4], b[4];
      READ_A;
      for (int j = 0; j < 2; ++j) {
        READ_B;
        if (kk < K)
          mmaTwice(c[j], a, b);
        else
          C[0] = 1;
      }
    }
  }
  STORE(1)
}

__global__ void __launch_bounds__(64) inMacro(const half *A, const half *B, float *C, int K) {
  BEGIN(2, 1)
  for (int k0 = 0; k0 < K; k0 += BK) {
    READ(2, 1)
    for (int kk = 0; kk < BK; kk += 16) {
      uint32_t a[4], b[4];
      READ_A;
      for (int j = 0; j < 2; ++j) {
        READ_B;
        if (kk < K)
          MMA_BOTH(c[j], a, b);
        MMA_PLAIN(c[j], a, b);
      }
    }
  }
  STORE(1)
}

// Two steps of k into the same sums.
__device__ __forceinline__ void mma16x8x32(float *c, const uint32_t *a, const uint32_t *b) {
  MMA(c, 0, a, b, 0);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b[2]), "r"(b[3]));
}
__global__ void __launch_bounds__(64) twoSteps(const half *A, const half *B, float *C, int K) {
  __shared__ half as[32 * LD], bs[32 * LD];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, wm = warp;
  float c[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    READ(2, 1)
    uint32_t a[2][4], b[4];
    for (int s = 0; s < 2; ++s)
      ldsm4(a[s], as + (wm * 16 + lane % 16) * LD + s * 16 + lane / 16 * 8);
    for (int j = 0; j < 4; ++j) {
      ldsm4(b, bs + (j * 8 + lane % 8) * LD + lane / 8 * 8);
      mma16x8x32(c[j], a[0], b);
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(wm * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}
