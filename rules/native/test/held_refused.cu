// Steps of k that do not wait for each other: whoever looks at the text finds a loop that does one
// thing, and it does more.
//
// RUN: %layout-port %s -o %t.hip --target gfx942,gfx950 --verify --launch %S/Inputs/held_refused.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: %ported %t.hip | FileCheck %s
//
// REPORT-NOT: {{refuted|unknown}}
// REPORT: note: shadowed is not native: 'k' is another variable where 'c' is multiplied
// REPORT: verify gfx942: proved
// REPORT: verify gfx950: proved
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void mma16(float *d, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
// Rows and columns of 64 elements of k, as 32 words.
__device__ void readA(uint32_t (&a)[4], const uint32_t *A, int words, int step, int row, int lane) {
  const uint32_t *at = A + (row + lane / 4) * words + step * 8 + lane % 4;
  a[0] = at[0];
  a[1] = at[8 * words];
  a[2] = at[4];
  a[3] = at[8 * words + 4];
}
__device__ void readB(uint32_t (&b)[2], const uint32_t *B, int words, int step, int column, int lane) {
  const uint32_t *at = B + (column + lane / 4) * words + step * 8 + lane % 4;
  b[0] = at[0];
  b[1] = at[4];
}
template <class T> __device__ void put(T *C, const T (&c)[4][4], int row, int lane) {
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(row + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// A step may be left out in the middle of an expression, its counter may be another variable's name
// where the product stands, and the sums may have another name.
// CHECK-LABEL: leftOut(
// CHECK-NOT: _steps
__global__ void __launch_bounds__(64) leftOut(const uint32_t *A, const uint32_t *B, float *C, int steps) {
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16;
  float c[4][4] = {};
  for (int k = 0; k < 4; ++k) {
    uint32_t a[4], b[2];
    readA(a, A, 32, k, row, lane);
    for (int j = 0; j < 4; ++j) {
      readB(b, B, 32, k, j * 8, lane);
      k < steps && (mma16(c[j], a, b), true);
    }
  }
  put(C, c, row, lane);
}
// CHECK-LABEL: otherName(
// CHECK-NOT: _steps
__global__ void __launch_bounds__(64) otherName(const uint32_t *A, const uint32_t *B, float *C) {
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16;
  float c[4][4] = {};
  float(&second)[4] = c[1];
  for (int k = 0; k < 4; ++k) {
    uint32_t a[4], b[2];
    readA(a, A, 32, k, row, lane);
    for (int j = 0; j < 4; ++j) {
      readB(b, B, 32, k, j * 8, lane);
      mma16(c[j], a, b);
    }
    for (int e = 0; e < 4; ++e)
      second[e] *= 0.5f;
  }
  put(C, c, row, lane);
}
// CHECK-LABEL: shadowed(
// CHECK-NOT: _steps
__global__ void __launch_bounds__(64) shadowed(const uint32_t *A, const uint32_t *B, float *C) {
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16;
  float c[4][4] = {};
  for (int k = 0; k < 4; ++k) {
    uint32_t a[4], b[2];
    readA(a, A, 32, k, row, lane);
    for (int j = 0; j < 4; ++j) {
      readB(b, B, 32, k, j * 8, lane);
      {
        const int k = j;
        mma16(c[k], a, b);
      }
    }
  }
  put(C, c, row, lane);
}
