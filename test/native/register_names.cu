// Ways to name registers: halves of a row of B as b[j] and b[j] + 2, operands in arrays of halves,
// dequantised pairs seen as words, a pointer to the tile, a wrapper with a constant `if`, tiles of a
// class template, sums set by one flat loop. No launch is in view: the warps have rows of their own.
//
// RUN: %prove --launch %S/register_names.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int BK = 32, LD = BK + 8;

template <bool Trans> __device__ __forceinline__ void ldsm4(uint32_t *r, const half *p) {
  if (Trans)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(p)));
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void mma(float *c, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void mmaWords(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ half2 seenAsPair(uint32_t w) { return *reinterpret_cast<half2 *>(&w); }

// C (32 x 32) = A B^T; two warps, 16 rows each.
#define BEGIN                                                                                      \
  __shared__ half as[32 * LD], bs[32 * LD];                                                        \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#define READ                                                                                       \
  __syncthreads();                                                                                 \
  for (int i = threadIdx.x; i < 32 * BK; i += blockDim.x) {                                        \
    as[i / BK * LD + i % BK] = A[i / BK * K + k0 + i % BK];                                        \
    bs[i / BK * LD + i % BK] = B[i / BK * K + k0 + i % BK];                                        \
  }                                                                                                \
  __syncthreads();
#define A_AT (as + (warp * 16 + lane % 16) * LD + kk + lane / 16 * 8)
#define B_AT (bs + (j * 16 + lane / 16 * 8 + lane % 8) * LD + kk + lane / 8 % 2 * 8)
#define STORE                                                                                      \
  for (int j = 0; j < 4; ++j)                                                                      \
    for (int e = 0; e < 4; ++e)                                                                    \
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];

// CHECK: lp::mma_m16n8k16_f32_f16_wave(c[(2 * j + 1) & ~3], {{.*}}, a, lp::tile<unsigned int, 2>(b, (j * 2 + 1) & ~1), lp::tile<unsigned int, 2>(b, (j * 2 + 1) | 1), (2 * j + 1) % 4 == 3);
__global__ void bareRow(const half *A, const half *B, float *C, int K) {
  BEGIN
  float c[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    READ
    for (int kk = 0; kk < BK; kk += 16) {
      uint32_t a[4], b[2][4];
      ldsm4<false>(a, A_AT);
      for (int j = 0; j < 2; ++j)
        ldsm4<false>(b[j], B_AT);
      for (int j = 0; j < 2; ++j) {
        mma(c[2 * j], a, b[j]);
        mma(c[2 * j + 1], a, b[j] + 2);
      }
    }
  }
  STORE
}

__global__ void halves(const half *A, const half *B, float *C, int K) {
  BEGIN
  float c[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    READ
    for (int kk = 0; kk < BK; kk += 16) {
      half a[8], b[2][8];
      ldsm4<false>((uint32_t *)a, A_AT);
      for (int j = 0; j < 2; ++j)
        ldsm4<false>((uint32_t *)b[j], B_AT);
      for (int j = 0; j < 4; ++j)
        mma(c[j], (uint32_t *)(a + 0), (uint32_t *)(b[j / 2] + j % 2 * 4));
    }
  }
  STORE
}

__global__ void pairsAsWords(const half *A, const half *B, float *C, int K) {
  BEGIN
  float c[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    READ
    for (int kk = 0; kk < BK; kk += 16) {
      uint32_t a[4];
      ldsm4<false>(a, A_AT);
      for (int j = 0; j < 4; ++j) {
        const uint32_t w = *(const uint32_t *)(bs + (j * 8 + lane / 4) * LD + kk + lane % 4 * 2);
        half2 b0 = __hmul2(seenAsPair(w), __float2half2_rn(2.0f));
        half2 b1 = __hadd2(seenAsPair(w), __float2half2_rn(1.0f));
        mmaWords(c[j], a, *(uint32_t *)&b0, *(uint32_t *)&b1);
      }
    }
  }
  STORE
}

// The tile under another name; and B along n, by the other branch of the wrapper.
// CHECK-NOT: float *d
// CHECK: lp::mma_m16n8k16_f32_f16_steps_wave{{[_0-9]*}}(c[j & ~1], c[j | 1], a,
__global__ void named(const half *A, const half *B, float *C, int K) {
  BEGIN
  float c[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    READ
    for (int kk = 0; kk < BK; kk += 16) {
      uint32_t a[4], b[2][4];
      ldsm4<false>(a, A_AT);
      for (int j = 0; j < 2; ++j)
        ldsm4<true>(b[j], bs + (kk + lane % 16) * LD + j * 16 + lane / 16 * 8);
      for (int j = 0; j < 4; ++j) {
        float *d = c[j];
        mma(d, a, &b[j / 2][j % 2 * 2]);
      }
    }
  }
  STORE
}

template <int N> struct Sums {
  float c[N][4];
};
template <int N> __device__ void store(const Sums<N> &sums, float *C, int warp, int lane) {
  const float *c = &sums.c[0][0]; // all of them by a pointer: back to CUDA's lanes first
  for (int j = 0; j < N; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j * 4 + e];
}
// CHECK: ofTemplate
// CHECK: for (int i = 0; i < 4; ++i)
// CHECK-NEXT: lp::to_warp_layout{{[_0-9]*}}(sums.c[i]);
__global__ void ofTemplate(const half *A, const half *B, float *C, int K) {
  BEGIN
  Sums<4> sums = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    READ
    for (int kk = 0; kk < BK; kk += 16) {
      uint32_t a[4], b[2][4];
      ldsm4<false>(a, A_AT);
      for (int j = 0; j < 2; ++j)
        ldsm4<false>(b[j], B_AT);
      for (int j = 0; j < 4; ++j)
        mma(sums.c[j], a, &b[j / 2][j % 2 * 2]);
    }
  }
  store(sums, C, warp, lane);
}

// Sums begun anew in each turn, as one array.
__global__ void setFlat(const half *A, const half *B, float *C, int K) {
  BEGIN
  for (int turn = 0; turn < 2; ++turn, C += 1024) {
    float c[4][4];
    for (int i = 0; i < 16; ++i)
      (&c[0][0])[i] = 0.f;
    for (int k0 = 0; k0 < K; k0 += BK) {
      READ
      for (int kk = 0; kk < BK; kk += 16) {
        uint32_t a[4], b[2][4];
        ldsm4<false>(a, A_AT);
        for (int j = 0; j < 2; ++j)
          ldsm4<false>(b[j], B_AT);
        for (int j = 0; j < 4; ++j)
          mma(c[j], a, &b[j / 2][j % 2 * 2]);
      }
    }
    STORE
  }
}
