// Blocks whose rows are no warps: their launches say how long they are.
//
// RUN: %prove --launch %S/rows_launched.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
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

// CHECK-LABEL: longRows(
// CHECK-NEXT: lp::require_rows_of(64);
__global__ void longRows(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = (blockIdx.x * 4 + threadIdx.y * 2 + warp) * 16;
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

// CHECK-LABEL: shortRows(
// CHECK-NEXT: lp::require_rows_of(16);
__global__ void shortRows(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.y % 2 * 16 + threadIdx.x, row = (blockIdx.x * 2 + threadIdx.y / 2) * 16;
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

void launch(const half *A, const half *B, float *C, int K, cudaStream_t stream) {
  const dim3 block(64, 2);
  longRows<<<1, block, 0, stream>>>(A, B, C, K);
  shortRows<<<2, dim3(16, 4), 0, stream>>>(A, B, C, K);
}
