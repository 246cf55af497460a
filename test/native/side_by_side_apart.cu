// Two n8 tiles that stand side by side and cannot be one MFMA. (side_by_side.cu has those that can.)
//
// RUN: %prove --launch %S/side_by_side_apart.yaml 2>&1 | FileCheck %S/Inputs/native_halves_proved.txt
// RUN: %ported %t.hip | FileCheck %s --implicit-check-not=_two_wave
// CHECK: ownB
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

// Each has an A of its own.
KERNEL(otherA) {
  BEGIN
  float c0[4] = {}, c1[4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[2][4], b[4];
      for (int i = 0; i < 2; ++i)
        LDSM4(a[i][0], a[i][1], a[i][2], a[i][3],
              &tiles.a[warp * 16 + lane % 16][(kk ^ i * 16) + lane / 16 * 8]);
      LDSM4(b[0], b[1], b[2], b[3], &tiles.b[lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
      mma(c0, a[0], b[0], b[1]);
      mma(c1, a[1], b[2], b[3]);
    }
  }
  for (int e = 0; e < 4; ++e) {
    float *to = C + (warp * 16 + lane / 4 + e / 2 * 8) * 16 + lane % 4 * 2 + e % 2;
    to[0] = c0[e];
    to[8] = c1[e];
  }
}

// A is read between.
KERNEL(readBetween) {
  BEGIN
  float c0[4] = {}, c1[4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[4];
      LDSM4(a[0], a[1], a[2], a[3], &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      LDSM4(b[0], b[1], b[2], b[3], &tiles.b[lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
      mma(c0, a, b[0], b[1]);
      LDSM4(a[0], a[1], a[2], a[3], &tiles.a[warp * 16 + lane % 16][(kk ^ 16) + lane / 16 * 8]);
      mma(c1, a, b[2], b[3]);
    }
  }
  for (int e = 0; e < 4; ++e) {
    float *to = C + (warp * 16 + lane / 4 + e / 2 * 8) * 16 + lane % 4 * 2 + e % 2;
    to[0] = c0[e];
    to[8] = c1[e];
  }
}

// Only one is under a condition.
KERNEL(underCondition) {
  BEGIN
  float c0[4] = {}, c1[4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[4];
      LDSM4(a[0], a[1], a[2], a[3], &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      LDSM4(b[0], b[1], b[2], b[3], &tiles.b[lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
      if (k == 32)
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

// Only one is in a loop.
KERNEL(inLoop) {
  BEGIN
  float c0[4] = {}, c1[4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[4];
      LDSM4(a[0], a[1], a[2], a[3], &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      LDSM4(b[0], b[1], b[2], b[3], &tiles.b[lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
      for (int t = 0; t < 2; ++t)
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

// Both go into the same sums.
KERNEL(sameSums) {
  BEGIN
  float c0[4] = {}, c1[4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[4];
      LDSM4(a[0], a[1], a[2], a[3], &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      LDSM4(b[0], b[1], b[2], b[3], &tiles.b[lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
      mma(c0, a, b[0], b[1]);
      mma(c0, a, b[2], b[3]);
      if (k == 0)
        mma(c1, a, b[2], b[3]);
    }
  }
  for (int e = 0; e < 4; ++e) {
    float *to = C + (warp * 16 + lane / 4 + e / 2 * 8) * 16 + lane % 4 * 2 + e % 2;
    to[0] = c0[e];
    to[8] = c1[e];
  }
}

// Each warp has a B of its own.
KERNEL(ownB) {
  BEGIN
  float c0[4] = {}, c1[4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[4];
      LDSM4(a[0], a[1], a[2], a[3], &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      LDSM4(b[0], b[1], b[2], b[3], &tiles.b[warp * 32 + lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
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

// What the second is made of changes between.
KERNEL(changedBetween) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 8) {
    const half *p = A + (warp * 16 + g) * K + k + t * 2;
    const uint32_t a0 = word(p), a1 = word(p + 8 * K);
    for (int j = 0; j < 4; j += 2) {
      uint32_t q = word(B + (j * 8 + g) * K + k + t * 2);
      mma8(c[j], a0, a1, twice(q));
      q ^= 0x80008000;
      mma8(c[j + 1], a0, a1, twice(q));
    }
  }
  STORE(4, 32)
}
