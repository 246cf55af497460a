// Shapes whose B is one register a lane: the registers of an array are as many tiles, along n in a
// loop, with numbers, or along k.
//
// RUN: %prove --launch %S/one_register.yaml 2>&1 | FileCheck %S/Inputs/native_tested.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void mma(float *c, const uint32_t *a, uint32_t b) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
               "{%0, %1, %2, %3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(b));
}
__device__ __forceinline__ void mmaBytes(int *c, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
               "{%0, %1, %2, %3};"
               : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}

// What a kernel is launched with. Results that go where one of its members points to are nothing that
// operands are made from.
template <class T, class S> struct Args {
  const T *a;
  int pitch;
  const T *b;
  S *c;
  int K;
};

// 4 warps of 16 rows and 16 columns read A and B where they lie.
//
// CHECK-LABEL: void __launch_bounds__(128) looped(
// CHECK:      for (int j = 0; j < 2; ++j)
// CHECK-NEXT:   lp::gather_b(lp::tile<unsigned int, 1>(b, j), [&](int lane, int, int j, int) {
__global__ void __launch_bounds__(128) looped(Args<half, float> at) {
  const int lane = threadIdx.x % 32, top = threadIdx.x / 32 * 16, g = lane / 4, t = lane % 4;
  const int K = at.K;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 8) {
    uint32_t a[2], b[2];
    for (int r = 0; r < 2; ++r)
      a[r] = *(const uint32_t *)&at.a[(blockIdx.y * 64 + top + g + r * 8) * K + k + t * 2];
    for (int j = 0; j < 2; ++j)
      b[j] = *(const uint32_t *)&at.b[(blockIdx.x * 16 + j * 8 + g) * K + k + t * 2];
    for (int j = 0; j < 2; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      at.c[(blockIdx.y * 64 + top + g + e / 2 * 8) * at.pitch + blockIdx.x * 16 + j * 8 + t * 2 +
           e % 2] = c[j][e];
}

// One after the other, each is a tile of its own.
//
// CHECK-LABEL: void __launch_bounds__(128) numbered(
// CHECK:      lp::gather_b_2(lp::tile<unsigned int, 1>(b, 0), [&](int lane, int, int) {
// CHECK:        return *(const uint32_t *)&at.b[(blockIdx.x * 16 + g) * K + k + t * 2];
// CHECK:      lp::gather_b_2(lp::tile<unsigned int, 1>(b, 1), [&](int lane, int, int) {
// CHECK:        return *(const uint32_t *)&at.b[(blockIdx.x * 16 + 8 + g) * K + k + t * 2];
__global__ void __launch_bounds__(128) numbered(Args<half, float> at) {
  const int lane = threadIdx.x % 32, top = threadIdx.x / 32 * 16, g = lane / 4, t = lane % 4;
  const int K = at.K;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 8) {
    uint32_t a[2], b[2];
    a[0] = *(const uint32_t *)&at.a[(blockIdx.y * 64 + top + g) * K + k + t * 2];
    a[1] = *(const uint32_t *)&at.a[(blockIdx.y * 64 + top + g + 8) * K + k + t * 2];
    b[0] = *(const uint32_t *)&at.b[(blockIdx.x * 16 + g) * K + k + t * 2];
    b[1] = *(const uint32_t *)&at.b[(blockIdx.x * 16 + 8 + g) * K + k + t * 2];
    mma(c[0], a, b[0]);
    mma(c[1], a, b[1]);
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      at.c[(blockIdx.y * 64 + top + g + e / 2 * 8) * at.pitch + blockIdx.x * 16 + j * 8 + t * 2 +
           e % 2] = c[j][e];
}

// Bytes, and two steps of k one after the other; arrays of one register.
//
// CHECK-LABEL: void __launch_bounds__(128) steps(
// CHECK:      for (int q = 0; q < 1; ++q)
// CHECK-NEXT:   lp::gather_b(b[s][j], [&](int lane, int, int j, int) {
__global__ void __launch_bounds__(128) steps(Args<int8_t, int> at) {
  const int lane = threadIdx.x % 32, top = threadIdx.x / 32 * 16, g = lane / 4, t = lane % 4;
  const int K = at.K;
  int c[2][4] = {};
  for (int k = 0; k < K; k += 32) {
    uint32_t a[2][2], b[2][2][1];
    for (int s = 0; s < 2; ++s) {
      for (int r = 0; r < 2; ++r)
        a[s][r] = *(const uint32_t *)&at.a[(blockIdx.y * 64 + top + g + r * 8) * K + k + s * 16 + t * 4];
      for (int j = 0; j < 2; ++j)
        for (int q = 0; q < 1; ++q)
          b[s][j][q] = *(const uint32_t *)&at.b[(blockIdx.x * 16 + j * 8 + g) * K + k + s * 16 + t * 4];
    }
    for (int s = 0; s < 2; ++s)
      for (int j = 0; j < 2; ++j)
        mmaBytes(c[j], a[s], b[s][j]);
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      at.c[(blockIdx.y * 64 + top + g + e / 2 * 8) * at.pitch + blockIdx.x * 16 + j * 8 + t * 2 +
           e % 2] = c[j][e];
}
