// Two n8 tiles that were each read for an MFMA of its own, and stand side by side: where the warps
// share B they are one MFMA all the same. Sums in arrays of their own, one B for two tiles, sums of
// f16, and one word that both tiles are made of.
//
// RUN: %prove --launch %S/side_by_side.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t smem(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
#define LDSM4(r0, r1, r2, r3, p)                                                                   \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"                     \
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(smem(p)))
__device__ __forceinline__ void mma(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void mma8(float (&c)[4], uint32_t a0, uint32_t a1, uint32_t b) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a0), "r"(a1), "r"(b));
}
__device__ __forceinline__ void mmaHalf(uint32_t (&c)[2], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
               : "+r"(c[0]), "+r"(c[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ uint32_t word(const half *p) { return *(const uint32_t *)p; }
// A step of a pair of numbers.
__device__ __forceinline__ uint32_t twice(uint32_t q) {
  const half2 v = *(const half2 *)&q, sum = __hadd2(v, v);
  return *(const uint32_t *)&sum;
}

constexpr int kPitch = 32 + 8;
// 64 rows of A and of B, 32 of k at a time.
struct Tiles {
  half a[64][kPitch], b[64][kPitch];
};
__device__ void fill(Tiles &tiles, const half *A, const half *B, int K, int k) {
  __syncthreads();
  for (int i = threadIdx.x; i < 64 * 32; i += blockDim.x) {
    tiles.a[i / 32][i % 32] = A[i / 32 * K + k + i % 32];
    tiles.b[i / 32][i % 32] = B[i / 32 * K + k + i % 32];
  }
  __syncthreads();
}

#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(64) name(const half *A, const half *B, float *C, int K)
#define BEGIN                                                                                      \
  __shared__ __align__(16) Tiles tiles;                                                            \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#define STORE(tiles_n, ldc)                                                                        \
  for (int j = 0; j < tiles_n; ++j)                                                                \
    for (int e = 0; e < 4; ++e)                                                                    \
      C[(warp * 16 + lane / 4 + e / 2 * 8) * ldc + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];

// CHECK: lp::mma_m16n8k16_f32_f16_two_steps_wave(c0, c1, a, {{.*}}, held, kk / 16);
// Sums that have an array each.
KERNEL(ownArrays) {
  BEGIN
  float c0[4] = {}, c1[4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[4];
      LDSM4(a[0], a[1], a[2], a[3], &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      LDSM4(b[0], b[1], b[2], b[3], &tiles.b[lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
      mma(c0, a, b[0], b[1]);
      mma(c1, a, b[2], b[3]);
    }
  }
  for (int e = 0; e < 4; ++e) {
    float *to = C + (warp * 16 + lane / 4 + e / 2 * 8) * 16 + lane % 4 * 2 + e % 2;
    to[0] = c0[e];
    to[8] = c1[e];
  }
}

// Both have one B, and the next of it.
KERNEL(oneB) {
  BEGIN
  float c[2][4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[4];
      LDSM4(a[0], a[1], a[2], a[3], &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      LDSM4(b[0], b[1], b[2], b[3], &tiles.b[lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
      mma(c[0], a, b[0], b[1]);
      mma(c[1], a, b[0], b[1]);
      mma(c[1], a, b[2], b[3]);
      mma(c[0], a, b[2], b[3]);
    }
  }
  STORE(2, 16)
}

// CHECK: mma_m16n8k16_f16_f16_two_steps_wave(c0, c1, a, {{.*}}, held, kk / 16);
// Sums of f16.
KERNEL(halfSums) {
  BEGIN
  uint32_t c0[2] = {}, c1[2] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[4];
      LDSM4(a[0], a[1], a[2], a[3], &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      LDSM4(b[0], b[1], b[2], b[3], &tiles.b[lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
      mmaHalf(c0, a, b[0], b[1]);
      mmaHalf(c1, a, b[2], b[3]);
    }
  }
  for (int r = 0; r < 2; ++r) {
    float *to = C + (warp * 16 + lane / 4 + r * 8) * 16 + lane % 4 * 2;
    const float2 first = __half22float2(*(half2 *)&c0[r]), second = __half22float2(*(half2 *)&c1[r]);
    to[0] = first.x;
    to[1] = first.y;
    to[8] = second.x;
    to[9] = second.y;
  }
}

// One word of what is read makes both tiles, in half as much of k.
// CHECK: lp::mma_m16n8k8_f32_f16_two_steps_wave(c[j], c[j + 1], {{.*}}, lp::scalars(b0), lp::scalars(b1), held[j / 2], (k - k0) / 8);
KERNEL(madeOfOne) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 8) {
    const half *p = A + (warp * 16 + g) * K + k + t * 2;
    const uint32_t a0 = word(p), a1 = word(p + 8 * K);
    for (int j = 0; j < 4; j += 2) {
      const uint32_t q = word(B + (j * 8 + g) * K + k + t * 2);
      const uint32_t b0 = twice(q), b1 = twice(b0);
      mma8(c[j], a0, a1, b0);
      mma8(c[j + 1], a0, a1, b1);
    }
  }
  STORE(4, 32)
}
