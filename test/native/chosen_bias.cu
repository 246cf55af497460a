// What is added to both rows of a tile is made by statements, under a condition that has nothing to
// do with rows: each row's turn makes its own. Where they stand between the rows, the epilogue stays
// behind a conversion.
//
// RUN: %prove --launch %S/chosen_bias.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.note.hip 2>&1 | FileCheck --check-prefix=NOTE %s
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t word(const half *p) {
  return *reinterpret_cast<const uint32_t *>(p);
}
__device__ __forceinline__ void multiply(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void product(float (&acc)[4][4], const half *A, const half *B, int K, int lane, int warp) {
  for (int k = 0; k < K; k += 16) {
    const half *p = A + (warp * 16 + lane / 4) * K + k + lane % 4 * 2;
    const uint32_t a[4] = {word(p), word(p + 8 * K), word(p + 8), word(p + 8 * K + 8)};
    for (int j = 0; j < 4; ++j) {
      const half *q = B + (j * 8 + lane / 4) * K + k + lane % 4 * 2;
      multiply(acc[j], a, word(q), word(q + 8));
    }
  }
}

// CHECK: byTemplate(
// CHECK-NOT: to_warp_layout
// CHECK: lp::each_pair(acc[j], j, [&](int lane, int warp, int j, int lower, const auto &v) {
// CHECK: float bias0 = 0.f, bias1 = 0.f;
// CHECK-NEXT: if (kHasBias) {
// CHECK: __floats2half2_rn(v[0] + bias0, v[1] + bias1)
template <bool kHasBias>
__global__ void __launch_bounds__(64)
    byTemplate(const half *A, const half *B, const half *bias, half *C, int M, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[4][4] = {};
  product(acc, A, B, K, lane, warp);
  const int row = warp * 16 + lane / 4;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const int col = j * 8 + lane % 4 * 2;
    float bias0 = 0.f, bias1 = 0.f;
    if (kHasBias) {
      const half2 both = *reinterpret_cast<const half2 *>(bias + col);
      bias0 = __low2float(both);
      bias1 = __high2float(both);
    }
    if (row < M)
      *reinterpret_cast<half2 *>(&C[row * N + col]) = __floats2half2_rn(acc[j][0] + bias0, acc[j][1] + bias1);
    if (row + 8 < M)
      *reinterpret_cast<half2 *>(&C[(row + 8) * N + col]) = __floats2half2_rn(acc[j][2] + bias0, acc[j][3] + bias1);
  }
}
template __global__ void byTemplate<true>(const half *, const half *, const half *, half *, int, int, int);
template __global__ void byTemplate<false>(const half *, const half *, const half *, half *, int, int, int);

// The same by a pointer that may be null, into a struct and a factor.
//
// CHECK: byPointer(
// CHECK-NOT: to_warp_layout
// CHECK: lp::each_pair(
// CHECK: if (bias)
__global__ void __launch_bounds__(64)
    byPointer(const half *A, const half *B, const float *bias, float *C, float scale, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[4][4] = {};
  product(acc, A, B, K, lane, warp);
  for (int j = 0; j < 4; ++j) {
    const int row = warp * 16 + lane / 4, col = j * 8 + lane % 4 * 2;
    float2 add = make_float2(0.f, 0.f);
    float factor = 1.f;
    if (bias) {
      add.x = bias[col];
      add.y = bias[col + 1];
      factor *= scale;
    }
    *(float2 *)&C[row * N + col] = make_float2(acc[j][0] * factor + add.x, acc[j][1] * factor + add.y);
    *(float2 *)&C[(row + 8) * N + col] = make_float2(acc[j][2] * factor + add.x, acc[j][3] * factor + add.y);
  }
}

// NOTE: note: betweenRows keeps its epilogue, behind a conversion of 'acc': the epilogue does more than hand on the accumulator's elements ({{.*}}chosen_bias.cu:[[#@LINE+14]])
//
// CHECK: betweenRows(
// CHECK: to_warp_layout(acc
__global__ void __launch_bounds__(64)
    betweenRows(const half *A, const half *B, const float *bias, float *C, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[4][4] = {};
  product(acc, A, B, K, lane, warp);
  for (int j = 0; j < 4; ++j) {
    const int row = warp * 16 + lane / 4, col = j * 8 + lane % 4 * 2;
    float add = 0.f;
    if (bias)
      add = bias[col];
    C[row * N + col] = acc[j][0] + add;
    C[row * N + col + 1] = acc[j][1] + add;
    if (bias)
      add = bias[col + 1];
    C[(row + 8) * N + col] = acc[j][2] + add;
    C[(row + 8) * N + col + 1] = acc[j][3] + add;
  }
}
