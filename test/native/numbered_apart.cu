// Tiles along n that have numbers and do not go together: done one by one, whatever stands between
// them. (numbered.cu has those that do.)
//
// RUN: %prove --launch %S/numbered_apart.yaml 2>&1 | FileCheck %S/Inputs/native_halves_proved.txt
// RUN: %layout-port %s --target gfx942 --explain-plan 2>&1 | FileCheck %s --check-prefix=WHY
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

// Each tile has an A of its own.
// WHY: c: the warps of a wave share B, 2 n8 tiles together{{.*}}: tiles of 'c' along n are not all multiplied alike
KERNEL(otherA) {
  BEGIN
  float c[2][4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[2][4], b[4];
      LDSM4(a[0][0], a[0][1], a[0][2], a[0][3], &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      LDSM4(a[1][0], a[1][1], a[1][2], a[1][3], &tiles.a[warp * 16 + lane % 16][(kk ^ 16) + lane / 16 * 8]);
      LDSM4(b[0], b[1], b[2], b[3], &tiles.b[lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
      mma(c[0], a[1], b[0], b[1]);
      mma(c[1], a[0], b[2], b[3]);
    }
  }
  STORE(2, 16)
}

// A is read between.
// WHY: c: the warps of a wave share B, 2 n8 tiles together{{.*}}: an operand is read between the n8 tiles of 'c'
KERNEL(readAgainA) {
  BEGIN
  float c[2][4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[4];
      LDSM4(a[0], a[1], a[2], a[3], &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      LDSM4(b[0], b[1], b[2], b[3], &tiles.b[lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
      mma(c[0], a, b[0], b[1]);
      LDSM4(a[0], a[1], a[2], a[3], &tiles.a[warp * 16 + lane % 16][(kk ^ 16) + lane / 16 * 8]);
      mma(c[1], a, b[2], b[3]);
    }
  }
  STORE(2, 16)
}

// B is read between.
// WHY: c: the warps of a wave share B, 2 n8 tiles together{{.*}}: an operand is read between the n8 tiles of 'c'
KERNEL(readAgainB) {
  BEGIN
  float c[2][4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[4];
      LDSM4(a[0], a[1], a[2], a[3], &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      LDSM4(b[0], b[1], b[2], b[3], &tiles.b[lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
      mma(c[0], a, b[0], b[1]);
      LDSM4(b[0], b[1], b[2], b[3], &tiles.b[16 + lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
      mma(c[1], a, b[2], b[3]);
    }
  }
  STORE(2, 16)
}

// One is left out in some turns.
// WHY: c: the warps of a wave share B, 2 n8 tiles together{{.*}}: tiles of 'c' along n are not all multiplied alike
KERNEL(oneSkipped) {
  BEGIN
  float c[2][4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[4];
      LDSM4(a[0], a[1], a[2], a[3], &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      LDSM4(b[0], b[1], b[2], b[3], &tiles.b[lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
      if (k == 32)
        mma(c[0], a, b[0], b[1]);
      mma(c[1], a, b[2], b[3]);
    }
  }
  STORE(2, 16)
}

// One or the other.
// WHY: c: the warps of a wave share B, 2 n8 tiles together{{.*}}: tiles of 'c' along n are not all multiplied alike
KERNEL(inBranches) {
  BEGIN
  float c[2][4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[4];
      LDSM4(a[0], a[1], a[2], a[3], &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      LDSM4(b[0], b[1], b[2], b[3], &tiles.b[lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
      if (k == 32) {
        mma(c[0], a, b[0], b[1]);
      } else {
        mma(c[1], a, b[2], b[3]);
      }
    }
  }
  STORE(2, 16)
}

// One is multiplied twice.
// WHY: c: the warps of a wave share B, 2 n8 tiles together{{.*}}: tiles of 'c' along n are not all multiplied alike
KERNEL(oneAgain) {
  BEGIN
  float c[2][4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[4];
      LDSM4(a[0], a[1], a[2], a[3], &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      LDSM4(b[0], b[1], b[2], b[3], &tiles.b[lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
      mma(c[0], a, b[0], b[1]);
      mma(c[1], a, b[2], b[3]);
      mma(c[1], a, b[2], b[3]);
    }
  }
  STORE(2, 16)
}

// One is multiplied in a loop.
// WHY: c: the warps of a wave share B, 2 n8 tiles together{{.*}}: tiles of 'c' along n are not all multiplied alike
KERNEL(looped) {
  BEGIN
  float c[2][4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[4];
      LDSM4(a[0], a[1], a[2], a[3], &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      LDSM4(b[0], b[1], b[2], b[3], &tiles.b[lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
      mma(c[0], a, b[0], b[1]);
      for (int t = 0; t < 2; ++t)
        mma(c[1], a, b[2], b[3]);
    }
  }
  STORE(2, 16)
}

// Both have one B.
// WHY: c: the warps of a wave share B, 2 n8 tiles together{{.*}}: which B belongs to which n8 tile of 'c' is not clear
KERNEL(sameB) {
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
    }
  }
  STORE(2, 16)
}

// Each is read by a statement of its own.
// WHY: c: the warps of a wave share B, 2 n8 tiles together{{.*}}: the tile that ldmatrix reads is no plain loop index
KERNEL(apartReads) {
  BEGIN
  float c[4][4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[8];
      LDSM4(a[0], a[1], a[2], a[3], &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      LDSM4(b[0], b[1], b[4], b[5], &tiles.b[lane % 8 + lane / 16 * 16][kk + lane / 8 % 2 * 8]);
      LDSM4(b[2], b[3], b[6], b[7], &tiles.b[8 + lane % 8 + lane / 16 * 16][kk + lane / 8 % 2 * 8]);
      mma(c[0], a, b[0], b[1]);
      mma(c[1], a, b[2], b[3]);
      mma(c[2], a, b[4], b[5]);
      mma(c[3], a, b[6], b[7]);
    }
  }
  STORE(4, 32)
}
