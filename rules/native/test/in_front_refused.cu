// Sums that begin in front of the loop in a way that does not end there.
//
// RUN: %layout-port %s -o %t.hip 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void mma(float *d, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ uint32_t pair(const half *p) { return *(const uint32_t *)p; }
__device__ float *kept;
__device__ void keep(float (&acc)[4][4], float *C) {
  kept = acc[1];
  for (int j = 0; j < 4; ++j)
    acc[j][j] = C[threadIdx.x];
}

#define HEAD                                                                                    \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;       \
  const int row = blockIdx.x * 64 + warp * 16;

// Another name of it, which the loop writes to.
// CHECK-DAG: note: pointer is not native: 'acc' is used between the products
__global__ void __launch_bounds__(128) pointer(const half *A, const half *B, float *C, int N, int K) {
  HEAD
  float acc[4][4] = {};
  float *one = acc[t];
  for (int k = 0; k < K; k += 16) {
    const half *p = A + (row + g) * K + k + t * 2;
    const uint32_t a[4] = {pair(p), pair(p + 8 * K), pair(p + 8), pair(p + 8 * K + 8)};
    for (int j = 0; j < 4; j++) {
      const half *q = B + (j * 8 + g) * K + k + t * 2;
      const uint32_t b[2] = {pair(q), pair(q + 8)};
      mma(acc[j], a, b);
    }
    one[0] += 1.f;
  }
  for (int j = 0; j < 4; j++)
    for (int e = 0; e < 4; e++)
      C[(row + g + e / 2 * 8) * N + j * 8 + t * 2 + e % 2] = acc[j][e];
}

// A function that keeps one.
// CHECK-DAG: note: function is not native: 'acc' is used between the products
__global__ void __launch_bounds__(128) function(const half *A, const half *B, float *C, int N, int K) {
  HEAD
  float acc[4][4];
  keep(acc, C);
  for (int k = 0; k < K; k += 16) {
    const half *p = A + (row + g) * K + k + t * 2;
    const uint32_t a[4] = {pair(p), pair(p + 8 * K), pair(p + 8), pair(p + 8 * K + 8)};
    for (int j = 0; j < 4; j++) {
      const half *q = B + (j * 8 + g) * K + k + t * 2;
      const uint32_t b[2] = {pair(q), pair(q + 8)};
      mma(acc[j], a, b);
    }
    kept[0] += 1.f;
  }
  for (int j = 0; j < 4; j++)
    for (int e = 0; e < 4; e++)
      C[(row + g + e / 2 * 8) * N + j * 8 + t * 2 + e % 2] = acc[j][e];
}

// In each turn of the loop.
// CHECK-DAG: note: within is not native: 'acc' is used between the products
__global__ void __launch_bounds__(128) within(const half *A, const half *B, float *C, int N, int K) {
  HEAD
  float acc[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    acc[t][warp] += C[lane];
    const half *p = A + (row + g) * K + k + t * 2;
    const uint32_t a[4] = {pair(p), pair(p + 8 * K), pair(p + 8), pair(p + 8 * K + 8)};
    for (int j = 0; j < 4; j++) {
      const half *q = B + (j * 8 + g) * K + k + t * 2;
      const uint32_t b[2] = {pair(q), pair(q + 8)};
      mma(acc[j], a, b);
    }
  }
  for (int j = 0; j < 4; j++)
    for (int e = 0; e < 4; e++)
      C[(row + g + e / 2 * 8) * N + j * 8 + t * 2 + e % 2] = acc[j][e];
}

// Where one of two branches multiplies, the other does not.
// CHECK-DAG: note: branches is not native: 'acc' is used between the products
__global__ void __launch_bounds__(128) branches(const half *A, const half *B, float *C, int N, int K, bool twice) {
  HEAD
  float acc[4][4];
  for (int j = 0; j < 4; j++)
    for (int e = 0; e < 4; e++)
      acc[j][(e + lane) % 4] = C[j];
  if (twice) {
    for (int k = 0; k < K; k += 16) {
      const half *p = A + (row + g) * K + k + t * 2;
      const uint32_t a[4] = {pair(p), pair(p + 8 * K), pair(p + 8), pair(p + 8 * K + 8)};
      for (int j = 0; j < 4; j++) {
        const half *q = B + (j * 8 + g) * K + k + t * 2;
        const uint32_t b[2] = {pair(q), pair(q + 8)};
        mma(acc[j], a, b);
      }
    }
  }
  for (int k = 0; k < K; k += 16) {
    const half *p = A + (row + g) * K + k + t * 2;
    const uint32_t a[4] = {pair(p), pair(p + 8 * K), pair(p + 8), pair(p + 8 * K + 8)};
    for (int j = 0; j < 4; j++) {
      const half *q = B + (j * 8 + g) * K + k + t * 2;
      const uint32_t b[2] = {pair(q), pair(q + 8)};
      mma(acc[j], a, b);
    }
  }
  for (int j = 0; j < 4; j++)
    for (int e = 0; e < 4; e++)
      C[(row + g + e / 2 * 8) * N + j * 8 + t * 2 + e % 2] = acc[j][e];
}

// Where nothing is multiplied, the elements stay where CUDA has them.
// CHECK-DAG: note: perhaps is not native: 'acc' is used between the products
__global__ void __launch_bounds__(128) perhaps(const half *A, const half *B, float *C, int N, int K, bool any) {
  HEAD
  float acc[4][4];
  for (int j = 0; j < 4; j++)
    for (int e = 0; e < 4; e++)
      acc[j][(e + lane) % 4] = C[j];
  if (any) {
    for (int k = 0; k < K; k += 16) {
      const half *p = A + (row + g) * K + k + t * 2;
      const uint32_t a[4] = {pair(p), pair(p + 8 * K), pair(p + 8), pair(p + 8 * K + 8)};
      for (int j = 0; j < 4; j++) {
        const half *q = B + (j * 8 + g) * K + k + t * 2;
        const uint32_t b[2] = {pair(q), pair(q + 8)};
        mma(acc[j], a, b);
      }
    }
  }
  for (int j = 0; j < 4; j++)
    for (int e = 0; e < 4; e++)
      C[(row + g + e / 2 * 8) * N + j * 8 + t * 2 + e % 2] = acc[j][e];
}
