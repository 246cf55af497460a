// Tiles that are numbered by the digits of one counter, or chosen by its parity, in another way
// than the registers lie: bridged, with the reason.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void mma(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(64) name(const half *A, const half *B, float *C, int n)
#define SETUP                                                                                      \
  __shared__ __align__(16) half sA[64][24], sB[32][24];                                            \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  for (int i = threadIdx.x; i < 64 * 2; i += 64)                                                   \
    *(uint4 *)&sA[i / 2][i % 2 * 8] = *(const uint4 *)&A[i * 8];                                   \
  *(uint4 *)&sB[threadIdx.x / 2][threadIdx.x % 2 * 8] = *(const uint4 *)&B[threadIdx.x * 8];       \
  __syncthreads();
#define STORE                                                                                      \
  for (int t = 0; t < 8; ++t) {                                                                    \
    float *c = C + (warp * 32 + t / 4 * 16 + lane / 4) * 32 + t % 4 * 8 + lane % 4 * 2;            \
    *(float2 *)c = make_float2(acc[t / 4][t % 4][0], acc[t / 4][t % 4][1]);                        \
    *(float2 *)(c + 256) = make_float2(acc[t / 4][t % 4][2], acc[t / 4][t % 4][3]);                \
  }

// A digit of a digit.
// CHECK-DAG: note: digitOfDigit is not native: an operand of mma.m16n8k16.f16 is not a register of a fragment variable (
KERNEL(digitOfDigit) {
  SETUP
  uint32_t fa[2][4], fb[2][4];
  for (int i = 0; i < 2; ++i)
    ldsm4(fa[i], &sA[warp * 32 + i * 16 + lane % 16][lane / 16 * 8]);
  for (int j = 0; j < 2; ++j)
    ldsm4(fb[j], &sB[j * 16 + lane / 16 * 8 + lane % 8][lane / 8 % 2 * 8]);
  float acc[2][4][4] = {};
  for (int t = 0; t < 8; ++t)
    mma(acc[t / 4][t % 4], fa[t / 4], fb[t % 4 / 2][t % 4 % 2 * 2],
        fb[t % 4 / 2][t % 4 % 2 * 2 + 1]);
  STORE
}

// From one on: which of the digits a turn has is not followed.
// CHECK-DAG: note: fromOne is not native: an operand of mma.m16n8k16.f16 is not a register of a fragment variable (
KERNEL(fromOne) {
  SETUP
  uint32_t fa[2][4], fb[2][4];
  for (int i = 0; i < 2; ++i)
    ldsm4(fa[i], &sA[warp * 32 + i * 16 + lane % 16][lane / 16 * 8]);
  for (int j = 0; j < 2; ++j)
    ldsm4(fb[j], &sB[j * 16 + lane / 16 * 8 + lane % 8][lane / 8 % 2 * 8]);
  float acc[2][4][4] = {};
  for (int t = 1; t < 4; ++t)
    mma(acc[t / 2][t % 2], fa[t / 2], fb[0][t % 2 * 2], fb[0][t % 2 * 2 + 1]);
  STORE
}

// The counter itself is named, too.
// CHECK-DAG: note: counterItself is not native: an operand of mma.m16n8k16.f16 is not a register of a fragment variable (
KERNEL(counterItself) {
  SETUP
  uint32_t fa[2][4], fb[2][4];
  for (int i = 0; i < 2; ++i)
    ldsm4(fa[i], &sA[warp * 32 + i * 16 + lane % 16][lane / 16 * 8]);
  for (int j = 0; j < 2; ++j)
    ldsm4(fb[j], &sB[j * 16 + lane / 16 * 8 + lane % 8][lane / 8 % 2 * 8]);
  float acc[2][4][4] = {};
  for (int t = 0; t < 4; ++t)
    if (t < n)
      mma(acc[t / 2][t % 2], fa[t / 2], fb[0][t % 2 * 2], fb[0][t % 2 * 2 + 1]);
  STORE
}

// The odd tile is the lower half of the registers.
// CHECK-DAG: note: otherWay is not native: an operand that is written into the call: its value reads 'fb', registers of the thread's own (
KERNEL(otherWay) {
  SETUP
  uint32_t fa[2][4], fb[2][4];
  for (int i = 0; i < 2; ++i)
    ldsm4(fa[i], &sA[warp * 32 + i * 16 + lane % 16][lane / 16 * 8]);
  for (int j = 0; j < 2; ++j)
    ldsm4(fb[j], &sB[j * 16 + lane / 16 * 8 + lane % 8][lane / 8 % 2 * 8]);
  float acc[2][4][4] = {};
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      mma(acc[i][j], fa[i], j & 1 ? fb[j / 2][0] : fb[j / 2][2],
          j & 1 ? fb[j / 2][1] : fb[j / 2][3]);
  STORE
}

// Chosen by the thread.
// CHECK-DAG: note: byLane is not native: an operand that is written into the call: its value reads 'fb', registers of the thread's own (
KERNEL(byLane) {
  SETUP
  uint32_t fa[2][4], fb[2][4];
  for (int i = 0; i < 2; ++i)
    ldsm4(fa[i], &sA[warp * 32 + i * 16 + lane % 16][lane / 16 * 8]);
  for (int j = 0; j < 2; ++j)
    ldsm4(fb[j], &sB[j * 16 + lane / 16 * 8 + lane % 8][lane / 8 % 2 * 8]);
  float acc[2][4][4] = {};
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      mma(acc[i][j], fa[i], lane & 1 ? fb[j / 2][2] : fb[j / 2][0],
          lane & 1 ? fb[j / 2][3] : fb[j / 2][1]);
  STORE
}
