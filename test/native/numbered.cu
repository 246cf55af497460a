// Tiles along n that have numbers: two n8 tiles of one ldmatrix.x4, multiplied one behind the other
// where they stand. By halves of a row of registers, by variables, under two rows of A, along n, with
// the upper half first, every other one, by warps that share nothing; and one tile in two steps of k.
//
// RUN: %prove --launch %S/numbered.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t smem(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
#define LDSM4(r0, r1, r2, r3, p)                                                                   \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"                     \
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(smem(p)))
#define LDSM4T(r0, r1, r2, r3, p)                                                                  \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"               \
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

// CHECK-NOT: mma_m16n8k16{{.*}}(c[(2 * j)
// CHECK: lp::mma_m16n8k16_f32_f16_wave(c[(2 * j + 1) & ~3], {{.*}}, lp::tile<unsigned int, 2>(b, (j * 2 + 1) | 1), (2 * j + 1) % 4 == 3);
KERNEL(byHalves) {
  BEGIN
  float c[4][4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[2][4];
      LDSM4(a[0], a[1], a[2], a[3], &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < 2; ++j)
        LDSM4(b[j][0], b[j][1], b[j][2], b[j][3],
              &tiles.b[j * 16 + lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
      for (int j = 0; j < 2; ++j) {
        mma(c[2 * j], a, b[j][0], b[j][1]);
        mma(c[2 * j + 1], a, b[j][2], b[j][3]);
      }
    }
  }
  STORE(4, 32)
}

// CHECK: lp::load_b_tiles{{[_0-9]*}}(lp::scalars(b0, b1), lp::scalars(b2, b3), [&](int lane, int, int) {{.*}}, 0, 1);
// CHECK: lp::mma_m16n8k16_f32_f16_steps_wave{{[_0-9]*}}(c[0], c[1], a, lp::scalars(b0, b1), 0, held, kk / 16);
// CHECK: lp::mma_m16n8k16_f32_f16_steps_wave{{[_0-9]*}}(c[0], c[1], a, lp::scalars(b2, b3), 1, held2, kk / 16);
KERNEL(byVariables) {
  BEGIN
  float c[2][4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b0, b1, b2, b3;
      LDSM4(a[0], a[1], a[2], a[3], &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      LDSM4(b0, b1, b2, b3, &tiles.b[lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
      mma(c[0], a, b0, b1);
      mma(c[1], a, b2, b3);
    }
  }
  STORE(2, 16)
}

// All four tiles of two rows by their numbers; the order of the two rows is another in each.
KERNEL(underTwoRows) {
  BEGIN
  float c[2][2][4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[2][4], b[4];
      for (int i = 0; i < 2; ++i)
        LDSM4(a[i][0], a[i][1], a[i][2], a[i][3],
              &tiles.a[warp * 32 + i * 16 + lane % 16][kk + lane / 16 * 8]);
      LDSM4(b[0], b[1], b[2], b[3], &tiles.b[lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
      mma(c[0][0], a[0], b[0], b[1]);
      mma(c[1][0], a[1], b[0], b[1]);
      mma(c[1][1], a[1], b[2], b[3]);
      mma(c[0][1], a[0], b[2], b[3]);
    }
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        C[(warp * 32 + i * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = c[i][j][e];
}

// B lies along n; a warp has its own 16 columns of 32.
KERNEL(alongN) {
  BEGIN
  float c[2][4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[4];
      LDSM4(a[0], a[1], a[2], a[3], &tiles.a[lane % 16][kk + lane / 16 * 8]);
      LDSM4T(b[0], b[1], b[2], b[3], &tiles.b[kk + lane % 16][warp * 16 + lane / 16 * 8]);
      mma(c[0], a, b[0], b[1]);
      mma(c[1], a, b[2], b[3]);
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(lane / 4 + e / 2 * 8) * 32 + warp * 16 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// The lower half of the registers is the tile behind.
KERNEL(upperFirst) {
  BEGIN
  float c[2][4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[4];
      LDSM4(a[0], a[1], a[2], a[3], &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      LDSM4(b[0], b[1], b[2], b[3], &tiles.b[lane % 8 + (lane / 16 ^ 1) * 8][kk + lane / 8 % 2 * 8]);
      mma(c[1], a, b[0], b[1]);
      mma(c[0], a, b[2], b[3]);
    }
  }
  STORE(2, 16)
}

// The tiles of a pair are every other one in the registers.
KERNEL(everyOther) {
  BEGIN
  float c[4][4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[8];
      LDSM4(a[0], a[1], a[2], a[3], &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      LDSM4(b[0], b[1], b[4], b[5], &tiles.b[lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
      LDSM4(b[2], b[3], b[6], b[7], &tiles.b[16 + lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
      mma(c[0], a, b[0], b[1]);
      mma(c[1], a, b[4], b[5]);
      mma(c[2], a, b[2], b[3]);
      mma(c[3], a, b[6], b[7]);
    }
  }
  STORE(4, 32)
}

// Each warp has matrices of its own: 16 rows of A, 16 columns of B.
KERNEL(ownMatrices) {
  BEGIN
  float c[2][4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[4];
      LDSM4(a[0], a[1], a[2], a[3], &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      LDSM4(b[0], b[1], b[2], b[3],
            &tiles.b[warp * 32 + lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
      mma(c[0], a, b[0], b[1]);
      mma(c[1], a, b[2], b[3]);
    }
  }
  STORE(2, 16)
}

// One ldmatrix.x4 reads two steps of k of one tile.
KERNEL(twoSteps) {
  BEGIN
  float c[4][4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(tiles, A, B, K, k);
    uint32_t a[2][4];
    for (int s = 0; s < 2; ++s)
      LDSM4(a[s][0], a[s][1], a[s][2], a[s][3],
            &tiles.a[warp * 16 + lane % 16][s * 16 + lane / 16 * 8]);
    for (int j = 0; j < 4; ++j) {
      uint32_t b[4];
      LDSM4(b[0], b[1], b[2], b[3], &tiles.b[j * 8 + lane % 8][lane / 8 * 8]);
      mma(c[j], a[0], b[0], b[1]);
      mma(c[j], a[1], b[2], b[3]);
    }
  }
  STORE(4, 32)
}
