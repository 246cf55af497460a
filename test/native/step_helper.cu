// A function that does a whole step: its operands are put together there, from what it is handed.
//
// RUN: %prove --launch %S/step_helper.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
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

// The rows of A are a warp's own: where they begin is asked of the other.
// CHECK-LABEL: void step(
// CHECK: lp::gather_a(a, [&, A_ = A](int lane, int warp, int r) {
// CHECK-NEXT: const auto A = lp::of_warp(A_, warp);
// CHECK: uint32_t b[2];
// CHECK-NEXT: lp::gather_b(b, [&](int lane, int, int j, int r) {
// 16 rows and 16 columns of a product, for the lane of a warp.
__device__ __forceinline__ void step(float (&acc)[2][4], const half *A, const half *B, int K, int lane) {
  const int g = lane / 4, t = lane % 4;
  const half *p = A + g * K + t * 2;
  const uint32_t a[4] = {pair(p), pair(p + 8 * K), pair(p + 8), pair(p + 8 * K + 8)};
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    const half *q = B + (j * 8 + g) * K + t * 2;
    const uint32_t b[2] = {pair(q), pair(q + 8)};
    mma(acc[j], a, b);
  }
}

// CHECK-LABEL: stepHelper(
// CHECK: step(acc
__global__ void __launch_bounds__(128) stepHelper(const half *A, const half *B, float *C, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = blockIdx.y * 64 + warp * 16, col = blockIdx.x * 16;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16)
    step(acc, A + row * K + k, B + col * K + k, K, lane);
#pragma unroll
  for (int j = 0; j < 2; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e)
      C[(row + lane / 4 + e / 2 * 8) * N + col + j * 8 + lane % 4 * 2 + e % 2] = acc[j][e];
}
