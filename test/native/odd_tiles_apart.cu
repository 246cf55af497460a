// Odd numbers of n8 tiles that do not go in pairs: done one by one. (odd_tiles.cu has those that do.)
//
// RUN: %prove --launch %S/odd_tiles_apart.yaml 2>&1 | FileCheck %S/Inputs/native_halves_proved.txt
// RUN: %layout-port %s --target gfx942 --explain-plan 2>&1 | FileCheck %s --check-prefix=WHY
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
__device__ __forceinline__ void mma(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
// 64 rows of A and of B, 32 of k at a time.
struct Tiles {
  half a[64][32 + 8], b[64][32 + 8];
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
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  float c[3][4] = {};
#define STORE                                                                                      \
  for (int j = 0; j < 3; ++j)                                                                      \
    for (int e = 0; e < 4; ++e)                                                                    \
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 24 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];

// The last is multiplied elsewhere.
// WHY: share B{{.*}} and the last by itself{{.*}}: no plain loop over the n tiles of 'c'
KERNEL(lastApart) {
  BEGIN
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[3][2];
      ldsm4(a, &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < 3; ++j)
        ldsm2(b[j], &tiles.b[j * 8 + lane % 8][kk + lane / 8 % 2 * 8]);
      for (int j = 0; j < 2; ++j)
        mma(c[j], a, b[j][0], b[j][1]);
      mma(c[2], a, b[2][0], b[2][1]);
    }
  }
  STORE
}

// The last is read elsewhere.
// WHY: share B{{.*}} and the last by itself{{.*}}: tiles that are read together are not all read in one loop
KERNEL(readApart) {
  BEGIN
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[3][2];
      ldsm4(a, &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < 2; ++j)
        ldsm2(b[j], &tiles.b[j * 8 + lane % 8][kk + lane / 8 % 2 * 8]);
      ldsm2(b[2], &tiles.b[16 + lane % 8][kk + lane / 8 % 2 * 8]);
      for (int j = 0; j < 3; ++j)
        mma(c[j], a, b[j][0], b[j][1]);
    }
  }
  STORE
}

// Tiles are read in pairs, and one more than there are.
// WHY: share B{{.*}} and the last by itself{{.*}}: tiles that are read together are not all read in one loop
KERNEL(oneTooMany) {
  BEGIN
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[2][4];
      ldsm4(a, &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int p = 0; p < 2; ++p)
        ldsm4(b[p], &tiles.b[p * 16 + lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
      for (int j = 0; j < 3; ++j)
        mma(c[j], a, b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    }
  }
  STORE
}

// Each tile has an A of its own.
// WHY: share B{{.*}} and the last by itself{{.*}}: A is another for each n8 tile of 'c'
KERNEL(otherA) {
  BEGIN
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[2][4], b[3][2];
      for (int j = 0; j < 3; ++j)
        ldsm2(b[j], &tiles.b[j * 8 + lane % 8][kk + lane / 8 % 2 * 8]);
      for (int j = 0; j < 3; ++j) {
        ldsm4(a[0], &tiles.a[warp * 16 + (lane ^ j) % 16][kk + lane / 16 * 8]);
        mma(c[j], a[0], b[j][0], b[j][1]);
      }
    }
  }
  STORE
}

// Not all in each turn.
// WHY: share B{{.*}} and the last by itself{{.*}}: tiles of 'c' along n are not all multiplied alike
KERNEL(notAll) {
  BEGIN
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[3][2];
      ldsm4(a, &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < 3; ++j)
        ldsm2(b[j], &tiles.b[j * 8 + lane % 8][kk + lane / 8 % 2 * 8]);
      for (int j = 0; j < 3; ++j) {
        if (k == 32 && j == 1)
          continue;
        mma(c[j], a, b[j][0], b[j][1]);
      }
    }
  }
  STORE
}

// The first tile is multiplied once more.
// WHY: share B{{.*}} and the last by itself{{.*}}: no plain loop over the n tiles of 'c'
KERNEL(twice) {
  BEGIN
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[3][2];
      ldsm4(a, &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < 3; ++j)
        ldsm2(b[j], &tiles.b[j * 8 + lane % 8][kk + lane / 8 % 2 * 8]);
      for (int j = 0; j < 3; ++j)
        mma(c[j], a, b[j][0], b[j][1]);
      for (int j = 0; j < 1; ++j)
        mma(c[j], a, b[j][0], b[j][1]);
    }
  }
  STORE
}

// From the last to the first.
// WHY: share B{{.*}} and the last by itself{{.*}}: no plain loop over the n tiles of 'c'
KERNEL(backwards) {
  BEGIN
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[3][2];
      ldsm4(a, &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < 3; ++j)
        ldsm2(b[j], &tiles.b[j * 8 + lane % 8][kk + lane / 8 % 2 * 8]);
      for (int j = 2; j >= 0; --j)
        mma(c[j], a, b[j][0], b[j][1]);
    }
  }
  STORE
}
