// Words that are filled value by value, but not by values that another lane can compute, or not all.
//
// RUN: %layout-port %s -o %t.hip 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ uint32_t word(const half *p) { return *(const uint32_t *)p; }
__device__ __forceinline__ void store(float *C, const float (&c)[4]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int e = 0; e < 4; ++e)
    C[(warp * 16 + lane / 4 + e / 2 * 8) * 8 + lane % 4 * 2 + e % 2] = c[e];
}
#define SETUP                                                                              \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;  \
  const half *p = A + (warp * 16 + g) * 16 + t * 2, *q = B + t * 2 * 8 + g;                \
  float c[4] = {};

// One is left out.
// CHECK-DAG: threeHalves keeps 'b' in CUDA's layout and moves it for each product: operand B of mma.m16n8k16.f16 is neither read by ldmatrix nor put together in one place
__global__ void __launch_bounds__(64) threeHalves(const half *A, const half *B, float *C, int *counter) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 8 * 16), word(p + 8), word(p + 8 * 16 + 8)};
  half b[4];
  b[0] = q[0];
  b[1] = q[8];
  b[2] = q[64];
  mma(c, a, (const uint32_t *)b);
  store(C, c);
}

// One is made from another.
// CHECK-DAG: ofItself keeps 'b' in CUDA's layout and moves it for each product: 'b': its value reads 'b', registers of the thread's own
__global__ void __launch_bounds__(64) ofItself(const half *A, const half *B, float *C, int *counter) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 8 * 16), word(p + 8), word(p + 8 * 16 + 8)};
  half b[4];
  b[0] = q[0];
  b[1] = b[0];
  b[2] = q[64];
  b[3] = q[72];
  mma(c, a, (const uint32_t *)b);
  store(C, c);
}

// The members of a word.
// CHECK-DAG: ofPairs keeps 'b' in CUDA's layout and moves it for each product: operand B of mma.m16n8k16.f16 is neither read by ldmatrix nor put together in one place
__global__ void __launch_bounds__(64) ofPairs(const half *A, const half *B, float *C, int *counter) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 8 * 16), word(p + 8), word(p + 8 * 16 + 8)};
  half2 b[2];
  b[0].x = q[0];
  b[0].y = q[8];
  b[1].x = q[64];
  b[1].y = q[72];
  mma(c, a, (const uint32_t *)b);
  store(C, c);
}

// What is computed changes something.
// CHECK-DAG: counts keeps 'b' in CUDA's layout and moves it for each product: 'b': its value calls 'atomicAdd'
__global__ void __launch_bounds__(64) counts(const half *A, const half *B, float *C, int *counter) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 8 * 16), word(p + 8), word(p + 8 * 16 + 8)};
  half b[4];
  for (int i = 0; i < 4; ++i)
    b[i] = q[atomicAdd(counter, 8)];
  mma(c, a, (const uint32_t *)b);
  store(C, c);
}

// What it holds elsewhere is not known.
// CHECK-DAG: underCondition keeps 'b' in CUDA's layout and moves it for each product: fragments are loaded under a condition on the thread: t < 3
__global__ void __launch_bounds__(64) underCondition(const half *A, const half *B, float *C, int *counter) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 8 * 16), word(p + 8), word(p + 8 * 16 + 8)};
  half b[4];
  if (t < 3) {
    b[0] = q[0];
    b[1] = q[8];
  }
  b[2] = q[64];
  b[3] = q[72];
  mma(c, a, (const uint32_t *)b);
  store(C, c);
}
