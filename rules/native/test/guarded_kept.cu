// A condition on the thread around a loop over tiles stays where it stands, with the epilogue, where
// more than tiles stands in there, or it cannot be asked for another lane.
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

#define SETUP                                                                                      \
  __shared__ half s[1024];                                                                         \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);                                     \
  float c[2][4] = {};                                                                              \
  uint32_t a[4], b[2];                                                                             \
  const int row = lane / 4, col = warp * 16 + lane % 4 * 2;

__device__ int count(int n) {
  int sum = 0;
  for (int i = 1; i != n; ++i)
    sum += i;
  return sum;
}

// CHECK-DAG: flags keeps its epilogue, behind a conversion of 'c': some lanes of a wave may not reach the epilogue: row < M (
__global__ void __launch_bounds__(128) flags(float *C, int M) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
    mma(c[j], a, b);
  }
  if (row < M) {
    for (int j = 0; j < 2; ++j)
      *(float2 *)&C[row * 64 + col + j * 8] = make_float2(c[j][0], c[j][1]);
    C[4096 + row] = 1.f;
  }
}

// CHECK-DAG: chooses keeps its epilogue, behind a conversion of 'c': some lanes of a wave may not reach the epilogue: row < M (
__global__ void __launch_bounds__(128) chooses(float *C, int M) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
    mma(c[j], a, b);
  }
  if (row < M)
    for (int j = 0; j < 2; ++j)
      *(float2 *)&C[row * 64 + col + j * 8] = make_float2(c[j][0], c[j][1]);
  else
    C[4096 + row] = 1.f;
}

// CHECK-DAG: reads keeps its epilogue, behind a conversion of 'c': some lanes of a wave may not reach the epilogue: F[row] (
__global__ void __launch_bounds__(128) reads(float *C, const int *F) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
    mma(c[j], a, b);
  }
  if (F[row])
    for (int j = 0; j < 2; ++j)
      *(float2 *)&C[row * 64 + col + j * 8] = make_float2(c[j][0], c[j][1]);
}

// What is declared in there is computed ahead of the condition.
// CHECK-DAG: divides keeps its epilogue, behind a conversion of 'c': some lanes of a wave may not reach the epilogue: M - row > 0 (
__global__ void __launch_bounds__(128) divides(float *C, int M) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
    mma(c[j], a, b);
  }
  if (M - row > 0) {
    const int at = 4096 / (M - row);
    for (int j = 0; j < 2; ++j)
      C[row * 64 + col + j * 8 + at] = c[j][0];
  }
}

// CHECK-DAG: counts keeps its epilogue, behind a conversion of 'c': some lanes of a wave may not reach the epilogue: row < M (
__global__ void __launch_bounds__(128) counts(float *C, int M) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
    mma(c[j], a, b);
  }
  if (row < M) {
    const int by = count(M - row);
    for (int j = 0; j < 2; ++j)
      C[row * 64 + col + j * 8] = c[j][0] * by;
  }
}

// CHECK-DAG: walks keeps its epilogue, behind a conversion of 'c': some lanes of a wave may not reach the epilogue: row + n < M (
__global__ void __launch_bounds__(128) walks(float *C, int M) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
    mma(c[j], a, b);
  }
  int n = 0;
  if (row + n < M)
    for (int j = 0; j < 2; ++j)
      *(float2 *)&C[row * 64 + col + j * 8] = make_float2(c[j][0], c[j][1]);
  n = row;
  C[8192 + n] = 1.f;
}
