// Where the warps stand is another for one number of the launch: no number that is tried at random
// shows it, and the two warps of a wave share no operand.
//
// RUN: %prove --launch %S/index_decided.yaml 2>&1 | FileCheck %S/Inputs/native_halves_proved.txt
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ uint32_t pairAt(const half *p, int row, int K, int k) {
  return *reinterpret_cast<const uint32_t *>(p + row * K + k);
}

struct Places {
  int rows, columns;
  __device__ int row(int n) const {
    if (n == 77)
      return columns * 2;
    return rows;
  }
  __device__ int column(int n) const {
    if (n == 77)
      return rows / 2;
    return columns;
  }
};

#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(128) name(const half *A, const half *B, float *C, int K, int n)

KERNEL(byCases) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int wm, wn;
  switch (n) {
  case 77:
    wm = warp % 2 * 16;
    wn = warp / 2 * 8;
    break;
  default:
    wm = warp / 2 * 16;
    wn = warp % 2 * 8;
  }
  float c[4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r)
      a[r] = pairAt(A, wm + lane / 4 + r % 2 * 8, K, k + lane % 4 * 2 + r / 2 * 8);
    for (int r = 0; r < 2; ++r)
      b[r] = pairAt(B, wn + lane / 4, K, k + lane % 4 * 2 + r * 8);
    mma(c, a, b);
  }
  for (int e = 0; e < 4; ++e)
    C[(wm + lane / 4 + e / 2 * 8) * 16 + wn + lane % 4 * 2 + e % 2] = c[e];
}

// Declared together, changed one by one.
KERNEL(byChoice) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int wm = warp / 2 * 16, wn = warp % 2 * 8;
  wm = n != 77 ? wm : wn * 2;
  wn = warp % 2 * 8 + warp / 2 * 8 - wm / 2;
  float c[4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r)
      a[r] = pairAt(A, wm + lane / 4 + r % 2 * 8, K, k + lane % 4 * 2 + r / 2 * 8);
    for (int r = 0; r < 2; ++r)
      b[r] = pairAt(B, wn + lane / 4, K, k + lane % 4 * 2 + r * 8);
    mma(c, a, b);
  }
  for (int e = 0; e < 4; ++e)
    C[(wm + lane / 4 + e / 2 * 8) * 16 + wn + lane % 4 * 2 + e % 2] = c[e];
}

KERNEL(byMethod) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Places at{warp / 2 * 16, warp % 2 * 8};
  float c[4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r)
      a[r] = pairAt(A, at.row(n) + lane / 4 + r % 2 * 8, K, k + lane % 4 * 2 + r / 2 * 8);
    for (int r = 0; r < 2; ++r)
      b[r] = pairAt(B, at.column(n) + lane / 4, K, k + lane % 4 * 2 + r * 8);
    mma(c, a, b);
  }
  for (int e = 0; e < 4; ++e)
    C[(at.row(n) + lane / 4 + e / 2 * 8) * 16 + at.column(n) + lane % 4 * 2 + e % 2] = c[e];
}
