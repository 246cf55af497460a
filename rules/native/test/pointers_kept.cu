// Pointers of an epilogue that change otherwise than at the end of each turn, by the same for all
// threads, stay what they are in CUDA's lanes: the epilogue stays, too.
//
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
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

__device__ void products(float (&c)[2][4], uint32_t base, int lane, int warp) {
  uint32_t a[4], b[2];
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
    mma(c[j], a, b);
  }
}

#define SETUP                                                                                      \
  __shared__ half s[1024];                                                                         \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);                                     \
  const int row = lane / 4, col = warp * 16 + lane % 4 * 2;

// CHECK-DAG: skips keeps its epilogue, behind a conversion of 'c': 'p' is changed in the epilogue (
__global__ void __launch_bounds__(128) skips(float *C, int n) {
  SETUP
  float c[2][4] = {};
  products(c, base, lane, warp);
  float *p = C + row * 64 + col;
  for (int j = 0; j < 2; ++j) {
    if (col + j * 8 >= n)
      continue;
    *(float2 *)p = make_float2(c[j][0], c[j][1]);
    p += 8;
  }
}

// CHECK-DAG: goesOn keeps its epilogue, behind a conversion of 'c': 'p' is changed in the epilogue (
__global__ void __launch_bounds__(128) goesOn(float *C, int n) {
  SETUP
  float c[2][4] = {};
  products(c, base, lane, warp);
  float *p = C + row * 64 + col;
  for (int j = 0; j < 2; ++j) {
    *(float2 *)p = make_float2(c[j][0], c[j][1]);
    p += 8;
  }
  *p = 1.f;
}

// CHECK-DAG: twice keeps its epilogue, behind a conversion of 'c': 'p' is changed in the epilogue (
__global__ void __launch_bounds__(128) twice(float *C, int n) {
  SETUP
  float c[2][4] = {};
  products(c, base, lane, warp);
  float *p = C + row * 64 + col;
  p += n;
  for (int j = 0; j < 2; ++j) {
    *(float2 *)p = make_float2(c[j][0], c[j][1]);
    p += 8;
  }
}

// CHECK-DAG: byLane keeps its epilogue, behind a conversion of 'c': 'p' is changed in the epilogue (
__global__ void __launch_bounds__(128) byLane(float *C, int n) {
  SETUP
  float c[2][4] = {};
  products(c, base, lane, warp);
  float *p = C + row * 64 + col;
  for (int j = 0; j < 2; ++j) {
    *(float2 *)p = make_float2(c[j][0], c[j][1]);
    p += 8 + lane / 32;
  }
}

// CHECK-DAG: byMemory keeps its epilogue, behind a conversion of 'c': 'p' is changed in the epilogue (
__global__ void __launch_bounds__(128) byMemory(float *C, const int *n) {
  SETUP
  float c[2][4] = {};
  products(c, base, lane, warp);
  float *p = C + row * 64 + col;
  for (int j = 0; j < 2; ++j) {
    *(float2 *)p = make_float2(c[j][0], c[j][1]);
    p += n[0];
  }
}

// CHECK-DAG: between keeps its epilogue, behind a conversion of 'c': 'p' is changed in the epilogue (
__global__ void __launch_bounds__(128) between(float *C, int n) {
  SETUP
  float c[2][4] = {};
  products(c, base, lane, warp);
  float *p = C + row * 64 + col;
  for (int j = 0; j < 2; ++j) {
    *(float2 *)p = make_float2(c[j][0], c[j][1]);
    p += 8;
    p[n] = c[j][2];
  }
}

// CHECK-DAG: lent keeps its epilogue, behind a conversion of 'c': 'p' is kept in registers by lane (
__global__ void __launch_bounds__(128) lent(float *C, int n) {
  SETUP
  float c[2][4] = {};
  products(c, base, lane, warp);
  float *p = C + row * 64 + col;
  float **q = &p;
  for (int j = 0; j < 2; ++j) {
    *(float2 *)p = make_float2(c[j][0], c[j][1]);
    p += 8;
  }
  *q += n;
}

// CHECK-DAG: toOnePlace keeps its epilogue, behind a conversion of 'c': several elements are written to one place (
__global__ void __launch_bounds__(128) toOnePlace(float *C, int n) {
  SETUP
  float c[2][4] = {};
  products(c, base, lane, warp);
  float *p = C + row * 64 + col;
  for (int j = 0; j < 2; ++j) {
    *(float2 *)p = make_float2(c[j][0], c[j][1]);
    p += 0;
  }
}

// CHECK-DAG: overRows keeps its epilogue, behind a conversion of 'd': 'p' is changed in the epilogue (
__global__ void __launch_bounds__(128) overRows(float *C, int n) {
  SETUP
  uint32_t a[4], b[2];
  float d[2][2][4] = {};
  for (int i = 0; i < 2; ++i) {
    ldsm4(a, base + (i * 16 + lane % 16) * 32 + lane / 16 * 16);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
      mma(d[i][j], a, b);
    }
  }
  float *p = C + row * 64 + col;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      *(float2 *)p = make_float2(d[i][j][0], d[i][j][1]);
      *(float2 *)(p + 8 * 64) = make_float2(d[i][j][2], d[i][j][3]);
      p += 8;
    }
}

// CHECK-DAG: byFraction keeps its epilogue, behind a conversion of 'c': 'at' is changed in the epilogue (
__global__ void __launch_bounds__(128) byFraction(float *C, float by) {
  SETUP
  float c[2][4] = {};
  products(c, base, lane, warp);
  int at = row * 64 + col;
  for (int j = 0; j < 2; ++j) {
    *(float2 *)&C[at] = make_float2(c[j][0], c[j][1]);
    at += by;
  }
}

// CHECK-DAG: byTurn keeps its epilogue, behind a conversion of 'c': 'p' is changed in the epilogue (
__global__ void __launch_bounds__(128) byTurn(float *C, int n) {
  SETUP
  float c[2][4] = {};
  products(c, base, lane, warp);
  float *p = C + row * 64 + col;
  for (int j = 0; j < 2; ++j) {
    const int by = 8 * j;
    *(float2 *)p = make_float2(c[j][0], c[j][1]);
    p += by;
  }
}
