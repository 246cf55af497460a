// One ldmatrix.x4 of two n8 tiles and two steps of k, one register each: the tile beside a tile is the
// one of its own step. In the order of the tiles, and in that of the steps.
//
// RUN: %prove --launch %S/tiles_by_steps.yaml 2>&1 | FileCheck %s
// CHECK-NOT: {{refuted|: manual:|could not|tensor-mma|is not native}}
// CHECK: verify gfx90a: tested
// CHECK: verify gfx942: tested
// CHECK: verify gfx950: tested
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int BK = 64, LD = BK + 16;

__device__ __forceinline__ uint32_t smem(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const int8_t *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(smem(p)));
}
__device__ __forceinline__ void ldsm2(uint32_t (&r)[2], const int8_t *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"(smem(p)));
}
__device__ __forceinline__ void mma(int (&c)[4], const uint32_t (&a)[2], uint32_t b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
               "{%0,%1,%2,%3};"
               : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(b));
}

// C (32 x 16) = A (32 x K) B^T (16 x K); two warps of 16 rows.
#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(64) name(const int8_t *A, const int8_t *B, int *C, int K)
#define BEGIN                                                                                      \
  __shared__ __align__(16) int8_t as[32 * LD], bs[16 * LD];                                        \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  int c[2][4] = {};
#define READ                                                                                       \
  __syncthreads();                                                                                 \
  for (int i = threadIdx.x; i < 32 * BK; i += 64)                                                  \
    as[i / BK * LD + i % BK] = A[i / BK * K + k0 + i % BK];                                        \
  for (int i = threadIdx.x; i < 16 * BK; i += 64)                                                  \
    bs[i / BK * LD + i % BK] = B[i / BK * K + k0 + i % BK];                                        \
  __syncthreads();
#define STORE                                                                                      \
  for (int j = 0; j < 2; ++j)                                                                      \
    for (int e = 0; e < 4; ++e)                                                                    \
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];

KERNEL(byTiles) {
  BEGIN
  for (int k0 = 0; k0 < K; k0 += BK) {
    READ
    for (int kk = 0; kk < BK; kk += 32) {
      uint32_t a[2][2], b[4];
      for (int s = 0; s < 2; ++s)
        ldsm2(a[s], as + (warp * 16 + lane % 16) * LD + kk + s * 16);
      ldsm4(b, bs + lane % 16 * LD + kk + lane / 16 * 16);
      mma(c[0], a[0], b[0]);
      mma(c[1], a[0], b[1]);
      mma(c[0], a[1], b[2]);
      mma(c[1], a[1], b[3]);
    }
  }
  STORE
}

KERNEL(bySteps) {
  BEGIN
  for (int k0 = 0; k0 < K; k0 += BK) {
    READ
    for (int kk = 0; kk < BK; kk += 32) {
      uint32_t a[2][2], b[4];
      for (int s = 0; s < 2; ++s)
        ldsm2(a[s], as + (warp * 16 + lane % 16) * LD + kk + s * 16);
      ldsm4(b, bs + (lane / 16 * 8 + lane % 8) * LD + kk + lane / 8 % 2 * 16);
      mma(c[0], a[0], b[0]);
      mma(c[1], a[0], b[2]);
      mma(c[0], a[1], b[1]);
      mma(c[1], a[1], b[3]);
    }
  }
  STORE
}
