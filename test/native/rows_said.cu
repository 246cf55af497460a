// Blocks whose rows are no warps: a number in the text says how long they are.
//
// RUN: %prove --launch %S/rows_said.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.one.hip --target gfx942
// RUN: %ported %t.one.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t pair(const half *p) { return *(const uint32_t *)p; }

__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ void store(float *C, const float (&acc)[2][4], int lane) {
#pragma unroll
  for (int j = 0; j < 2; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e)
      C[(lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = acc[j][e];
}

// CHECK-LABEL: sixteen(
// CHECK-NEXT: lp::require_rows_of(16);
__global__ void __launch_bounds__(64) sixteen(const half *A, const half *B, float *C, int K) {
  const int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx;
  const int lane = tid % 32, row = (blockIdx.x * 2 + tid / 32) * 16;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    const half *p = A + (row + lane / 4) * K + k + lane % 4 * 2;
    const uint32_t a[4] = {pair(p), pair(p + 8 * K), pair(p + 8), pair(p + 8 * K + 8)};
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + lane / 4) * K + k + lane % 4 * 2;
      const uint32_t b[2] = {pair(q), pair(q + 8)};
      mma(acc[j], a, b);
    }
  }
  store(C + row * 16, acc, lane);
}

// CHECK-LABEL: four(
// CHECK: lp::require_rows_of(4);
__global__ void __launch_bounds__(64) four(const half *A, const half *B, float *C, float *D,
                                           int K) {
  const int tid = threadIdx.y * 4 + threadIdx.x, lane = threadIdx.y % 8 * 4 + threadIdx.x;
  const int row = (blockIdx.x * 2 + threadIdx.y / 8) * 16;
  if (tid < 32)
    D[blockIdx.x * 32 + tid] = 1;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    const half *p = A + (row + lane / 4) * K + k + lane % 4 * 2;
    const uint32_t a[4] = {pair(p), pair(p + 8 * K), pair(p + 8), pair(p + 8 * K + 8)};
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + lane / 4) * K + k + lane % 4 * 2;
      const uint32_t b[2] = {pair(q), pair(q + 8)};
      mma(acc[j], a, b);
    }
  }
  store(C + row * 16, acc, lane);
}

// CHECK-LABEL: two(
// CHECK-NEXT: lp::require_rows_of(2);
__global__ void __launch_bounds__(64) two(const half *A, const half *B, float *C, int K) {
  const int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 2 + tx;
  const int lane = tid % 32, row = (blockIdx.x * 2 + tid / 32) * 16;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    const half *p = A + (row + lane / 4) * K + k + lane % 4 * 2;
    const uint32_t a[4] = {pair(p), pair(p + 8 * K), pair(p + 8), pair(p + 8 * K + 8)};
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + lane / 4) * K + k + lane % 4 * 2;
      const uint32_t b[2] = {pair(q), pair(q + 8)};
      mma(acc[j], a, b);
    }
  }
  store(C + row * 16, acc, lane);
}

// CHECK-LABEL: sixtyFour(
// CHECK-NEXT: lp::require_rows_of(64);
__global__ void __launch_bounds__(128) sixtyFour(const half *A, const half *B, float *C, int K) {
  const int warp = (threadIdx.y * 64 + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  const int row = (blockIdx.x * 4 + warp) * 16;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    const half *p = A + (row + lane / 4) * K + k + lane % 4 * 2;
    const uint32_t a[4] = {pair(p), pair(p + 8 * K), pair(p + 8), pair(p + 8 * K + 8)};
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + lane / 4) * K + k + lane % 4 * 2;
      const uint32_t b[2] = {pair(q), pair(q + 8)};
      mma(acc[j], a, b);
    }
  }
  store(C + row * 16, acc, lane);
}

// A layer is a warp.
// CHECK-LABEL: inLayers(
// CHECK-NEXT: lp::require_rows_of(16);
__global__ void __launch_bounds__(64) inLayers(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x + threadIdx.y * 16, row = (blockIdx.x * 2 + threadIdx.z) * 16;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    const half *p = A + (row + lane / 4) * K + k + lane % 4 * 2;
    const uint32_t a[4] = {pair(p), pair(p + 8 * K), pair(p + 8), pair(p + 8 * K + 8)};
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + lane / 4) * K + k + lane % 4 * 2;
      const uint32_t b[2] = {pair(q), pair(q + 8)};
      mma(acc[j], a, b);
    }
  }
  store(C + row * 16, acc, lane);
}

// Sixteen columns a warp, which is a row of threads: no word of how long that is.
// CHECK-LABEL: places(
// CHECK-NEXT: lp::require_warp_rows();
__global__ void __launch_bounds__(64) places(const half *A, const half *B, float *C, float *D, int K) {
  const int lane = threadIdx.x, row = (blockIdx.x * 2 + threadIdx.y) * 16;
  if (threadIdx.x < 16)
    D[blockIdx.x * 32 + threadIdx.y * 16 + threadIdx.x] = 1;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    const half *p = A + (row + lane / 4) * K + k + lane % 4 * 2;
    const uint32_t a[4] = {pair(p), pair(p + 8 * K), pair(p + 8), pair(p + 8 * K + 8)};
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + lane / 4) * K + k + lane % 4 * 2;
      const uint32_t b[2] = {pair(q), pair(q + 8)};
      mma(acc[j], a, b);
    }
  }
  store(C + row * 16, acc, lane);
}

// Nor is there in a place of a tile of 64 columns.
// CHECK-LABEL: swizzled(
// CHECK-NEXT: lp::require_warp_rows();
__global__ void __launch_bounds__(64) swizzled(const half *A, const half *B, float *C, float *D, int K) {
  const int lane = threadIdx.x, row = (blockIdx.x * 2 + threadIdx.y) * 16;
  const int at = threadIdx.y * 64 + threadIdx.x;
  D[(at ^ at >> 5) + blockIdx.x * 128] = at;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    const half *p = A + (row + lane / 4) * K + k + lane % 4 * 2;
    const uint32_t a[4] = {pair(p), pair(p + 8 * K), pair(p + 8), pair(p + 8 * K + 8)};
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + lane / 4) * K + k + lane % 4 * 2;
      const uint32_t b[2] = {pair(q), pair(q + 8)};
      mma(acc[j], a, b);
    }
  }
  store(C + row * 16, acc, lane);
}
