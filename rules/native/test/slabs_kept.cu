// Elements that are staged in turns, at the same places in each: unless the whole block waits between
// the turns, the order in which other lanes write is lost.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s \
// RUN:   --implicit-check-not='{{(skips|byWarp|within) keeps}}'
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t (&r)[4], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
}
__device__ void ldsm2(uint32_t (&r)[2], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#define SLABS                                                                                      \
  __shared__ half s[2048];                                                                         \
  __shared__ float slab[2][16][16];                                                                \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);                                     \
  float c[2][2][4] = {};                                                                           \
  uint32_t a[4], b[2];                                                                             \
  const int r = lane / 4, t = lane % 4 * 2;

// CHECK-DAG: sometimes keeps its epilogue, behind a conversion of 'c': several elements are written to one place (
__global__ void __launch_bounds__(64) sometimes(float *C, int n) {
  SLABS
  for (int i = 0; i < 2; ++i) {
    ldsm4(a, base + (i * 16 + lane % 16) * 32 + lane / 16 * 16);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
      mma(c[i][j], a, b);
    }
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        slab[warp][r + e / 2 * 8][j * 8 + t + e % 2] = c[i][j][e];
    if (n > 7)
      __syncthreads();
    C[i * 64 + threadIdx.x] = slab[warp][lane / 8][lane % 8];
  }
}

// CHECK-DAG: late keeps its epilogue, behind a conversion of 'c': 'slab' is read behind the epilogue without a barrier (
__global__ void __launch_bounds__(64) late(float *C, int n) {
  SLABS
  for (int i = 0; i < 2; ++i) {
    ldsm4(a, base + (i * 16 + lane % 16) * 32 + lane / 16 * 16);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
      mma(c[i][j], a, b);
    }
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        slab[warp][r + e / 2 * 8][j * 8 + t + e % 2] = c[i][j][e];
    C[i * 64 + threadIdx.x] = slab[warp][lane / 8][lane % 8];
    __syncthreads();
  }
}

// Results stay where they lie: it is read as if it stood between two products.
__global__ void __launch_bounds__(64) skips(float *C, int n) {
  SLABS
  for (int i = 0; i < 2; ++i) {
    ldsm4(a, base + (i * 16 + lane % 16) * 32 + lane / 16 * 16);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
      mma(c[i][j], a, b);
    }
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        slab[warp][r + e / 2 * 8][j * 8 + t + e % 2] = c[i][j][e];
    if (i == n)
      continue;
    __syncthreads();
    C[i * 64 + threadIdx.x] = slab[warp][lane / 8][lane % 8];
    __syncthreads();
  }
}

// Results stay where they lie: it is read as if it stood between two products.
__global__ void __launch_bounds__(64) byWarp(float *C, int n) {
  SLABS
  for (int i = 0; i < 2; ++i) {
    ldsm4(a, base + (i * 16 + lane % 16) * 32 + lane / 16 * 16);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
      mma(c[i][j], a, b);
    }
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        slab[warp][r + e / 2 * 8][j * 8 + t + e % 2] = c[i][j][e];
    __syncwarp();
    C[i * 64 + threadIdx.x] = slab[warp][lane / 8][lane % 8];
    __syncwarp();
  }
}

// In one turn two tiles meet; waiting between turns does not help.
// Results stay where they lie: it is read as if it stood between two products.
__global__ void __launch_bounds__(64) within(float *C, int n) {
  SLABS
  for (int i = 0; i < 2; ++i) {
    ldsm4(a, base + (i * 16 + lane % 16) * 32 + lane / 16 * 16);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
      mma(c[i][j], a, b);
    }
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        slab[warp][r + e / 2 * 8][t + e % 2] = c[i][j][e];
    __syncthreads();
    C[i * 64 + threadIdx.x] = slab[warp][lane / 8][lane % 8];
    __syncthreads();
  }
}
