// Odd numbers of n8 tiles: all but the last share an MFMA in pairs. Of warps that share B, in steps of
// k two at a time, and that share nothing; with B along n, put together by hand, in the product's call,
// in half as much of k, with sums of f16; and in a template of one, two, and three tiles.
//
// RUN: %prove --launch %S/odd_tiles.yaml 2>&1 | FileCheck %S/Inputs/native_halves_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t smem(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(smem(p)));
}
__device__ __forceinline__ void ldsm2(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"(smem(p)));
}
__device__ __forceinline__ void ldsm2t(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"(smem(p)));
}
__device__ __forceinline__ void mma(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void mma(uint32_t (&c)[2], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
               : "+r"(c[0]), "+r"(c[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void mma(float (&c)[4], uint32_t a0, uint32_t a1, uint32_t b) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a0), "r"(a1), "r"(b));
}

// 64 rows of A and of B, 32 of k at a time.
template <int Pitch> struct TilesOf {
  half a[64][Pitch], b[64][Pitch];
};
using Tiles = TilesOf<32 + 8>;
using Dense = TilesOf<32>;
template <class T> __device__ void fill(T &tiles, const half *A, const half *B, int K, int k) {
  __syncthreads();
  for (int i = threadIdx.x; i < 64 * 32; i += blockDim.x) {
    tiles.a[i / 32][i % 32] = A[i / 32 * K + k + i % 32];
    tiles.b[i / 32][i % 32] = B[i / 32 * K + k + i % 32];
  }
  __syncthreads();
}

// CHECK-LABEL: sharedB(
// CHECK: for (int kk = 0; kk < 32; kk += 32) {
// CHECK: lp::load_b(b[j], [&](int lane, int, int j, int kk) {
// CHECK: }, j, 3, kk);
// CHECK: lp::mma_m16n8k16_f32_f16_wave(c[j & ~1], c[j + 1 < 3 ? j | 1 : j], a, b[j], j, 3);
// CHECK: lp::each_pair(c[j], j, [&](int lane, int warp, int j, int lower, const auto &v) {
__global__ void __launch_bounds__(64) sharedB(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) Dense tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[3][4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[3][2];
      ldsm4(a, &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < 3; ++j)
        ldsm2(b[j], &tiles.b[j * 8 + lane % 8][kk + lane / 8 % 2 * 8]);
      for (int j = 0; j < 3; ++j)
        mma(c[j], a, b[j][0], b[j][1]);
    }
  }
  for (int j = 0; j < 3; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 24 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// Each warp has 16 rows and 24 columns of its own, and two of such rows.
__global__ void __launch_bounds__(64) ownMatrices(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) Dense tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[3][2][4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[2][4];
      for (int i = 0; i < 2; ++i)
        ldsm4(a[i], &tiles.a[warp * 32 + i * 16 + lane % 16][kk + lane / 16 * 8]);
      for (unsigned j = 0; j < 3; ++j) {
        uint32_t b[2];
        ldsm2(b, &tiles.b[warp * 24 + j * 8 + lane % 8][kk + lane / 8 % 2 * 8]);
        for (int i = 0; i < 2; ++i)
          mma(c[j][i], a[i], b[0], b[1]);
      }
    }
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int e = 0; e < 4; ++e)
        C[(warp * 32 + i * 16 + lane / 4 + e / 2 * 8) * 24 + j * 8 + lane % 4 * 2 + e % 2] = c[j][i][e];
}

// B of 40 columns lies along n.
__global__ void __launch_bounds__(64) alongN(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) Tiles tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[3][4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[3][2];
      ldsm4(a, &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < 3; ++j)
        ldsm2t(b[j], &tiles.b[kk + lane % 16][j * 8]);
      for (int j = 0; j < 3; ++j)
        mma(c[j], a, b[j][0], b[j][1]);
    }
  }
  for (int j = 0; j < 3; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 24 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

__device__ __forceinline__ uint32_t word(const half *p) { return *(const uint32_t *)p; }

// CHECK-LABEL: byHand(
// CHECK: lp::gather_b(b, [&](int lane, int warp, int j, int r) {
// CHECK: }, j, 3);
__global__ void __launch_bounds__(64) byHand(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[3][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4];
    const half *p = A + (warp * 16 + g) * K + k + t * 2;
    a[0] = word(p);
    a[1] = word(p + 8 * K);
    a[2] = word(p + 8);
    a[3] = word(p + 8 * K + 8);
    for (int j = 0; j < 3; ++j) {
      uint32_t b[2];
      const half *q = B + (warp * 24 + j * 8 + g) * K + k + t * 2;
      b[0] = word(q);
      b[1] = word(q + 8);
      mma(c[j], a, b[0], b[1]);
    }
  }
  for (int j = 0; j < 3; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + g + e / 2 * 8) * 24 + j * 8 + t * 2 + e % 2] = c[j][e];
}

// CHECK-LABEL: inTheCall(
// CHECK: lp::operand_b([&](int lane, int, int j, int) {
// CHECK: }, j, 5), j, 5, held[j], (k - k0) / 8);
__global__ void __launch_bounds__(64) inTheCall(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[5][4] = {};
  for (int k = 0; k < K; k += 8) {
    const half *p = A + (warp * 16 + g) * K + k + t * 2;
    const uint32_t a0 = word(p), a1 = word(p + 8 * K);
    for (int j = 0; j < 5; ++j)
      mma(c[j], a0, a1, word(B + (j * 8 + g) * K + k + t * 2));
  }
  for (int j = 0; j < 5; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + g + e / 2 * 8) * 40 + j * 8 + t * 2 + e % 2] = c[j][e];
}

__global__ void __launch_bounds__(64) halfSums(const half *A, const half *B, half *H, int K) {
  __shared__ __align__(16) Tiles tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  uint32_t c[3][2] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[3][2];
      ldsm4(a, &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < 3; ++j)
        ldsm2(b[j], &tiles.b[warp * 24 + j * 8 + lane % 8][kk + lane / 8 % 2 * 8]);
      for (int j = 0; j < 3; ++j)
        mma(c[j], a, b[j]);
    }
  }
  for (int j = 0; j < 3; ++j)
    for (int r = 0; r < 2; ++r)
      *(uint32_t *)&H[(warp * 16 + lane / 4 + r * 8) * 24 + j * 8 + lane % 4 * 2] = c[j][r];
}

// CHECK-LABEL: anyNumber(
// CHECK: c[j + 1 < TN ? j | 1 : j], a, b[j], j, TN, held_c[j], kk / 16);
template <int TN>
__global__ void __launch_bounds__(64) anyNumber(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) Tiles tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[TN][4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[TN][2];
      ldsm4(a, &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < TN; ++j)
        ldsm2(b[j], &tiles.b[j * 8 + lane % 8][kk + lane / 8 % 2 * 8]);
      for (int j = 0; j < TN; ++j)
        mma(c[j], a, b[j][0], b[j][1]);
    }
  }
  for (int j = 0; j < TN; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * TN * 8 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}
template __global__ void anyNumber<1>(const half *, const half *, float *, int);
template __global__ void anyNumber<2>(const half *, const half *, float *, int);
template __global__ void anyNumber<3>(const half *, const half *, float *, int);
