// C = alpha A B + beta C, where what both rows of a tile have stands in one declaration: its first
// variable goes with the upper row's statements, and the other one is of either row. Two of one row
// in one declaration go together.
//
// RUN: %prove --launch %S/scaled_together.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t word(const half *p) { return *(const uint32_t *)p; }
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(64)                                                            \
      name(const half *A, const half *B, float *C, int K, float alpha, float beta)
#define BEGIN                                                                                      \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4 * 2;      \
  float c[2][4] = {};                                                                              \
  for (int k = 0; k < K; k += 16) {                                                                \
    const half *p = A + (warp * 16 + g) * K + k + t;                                               \
    const half *q = B + g * K + k + t;

// CHECK-LABEL: (pairs)
// CHECK: lp::each_pair(
// CHECK: float2 v = *(lower ? bottom : top);
// CHECK-NEXT: v.x = alpha * pair[0] + beta * v.x;
// CHECK-NEXT: v.y = alpha * pair[1] + beta * v.y;
// CHECK-NEXT: *(lower ? bottom : top) = v;
KERNEL(pairs) {
  BEGIN
    uint32_t a[4] = {word(p), word(p + 8 * K), word(p + 8), word(p + 8 * K + 8)};
    for (int j = 0; j < 2; ++j) {
      uint32_t b[2] = {word(q + j * 8 * K), word(q + j * 8 * K + 8)};
      mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 2; ++j) {
    float2 *top = (float2 *)(C + (warp * 16 + g) * 16 + j * 8 + t);
    float2 *bottom = (float2 *)(C + (warp * 16 + g + 8) * 16 + j * 8 + t);
    float2 u = *top, v = *bottom;
    u.x = alpha * c[j][0] + beta * u.x;
    u.y = alpha * c[j][1] + beta * u.y;
    v.x = alpha * c[j][2] + beta * v.x;
    v.y = alpha * c[j][3] + beta * v.y;
    *top = u;
    *bottom = v;
  }
}

// CHECK-LABEL: (numbers)
// CHECK: lp::each_pair(
// CHECK: float z = {{.*}}, w = {{.*}};
// CHECK-NOT: float x
// CHECK: }
KERNEL(numbers) {
  BEGIN
    uint32_t a[4] = {word(p), word(p + 8 * K), word(p + 8), word(p + 8 * K + 8)};
    for (int j = 0; j < 2; ++j) {
      uint32_t b[2] = {word(q + j * 8 * K), word(q + j * 8 * K + 8)};
      mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 2; ++j) {
    float *p = C + (warp * 16 + g) * 16 + j * 8 + t;
    float x = p[0] * beta, y = p[1] * beta;
    float z = p[128] * beta, w = p[129] * beta;
    x += c[j][0] * alpha;
    y += c[j][1] * alpha;
    z += c[j][2] * alpha;
    w += c[j][3] * alpha;
    p[0] = x;
    p[1] = y;
    p[128] = z;
    p[129] = w;
  }
}

// CHECK-LABEL: (crossed)
// CHECK: lp::each_pair(
// CHECK: const float z = {{.*}}, w = {{.*}};
KERNEL(crossed) {
  BEGIN
    uint32_t a[4] = {word(p), word(p + 8 * K), word(p + 8), word(p + 8 * K + 8)};
    for (int j = 0; j < 2; ++j) {
      uint32_t b[2] = {word(q + j * 8 * K), word(q + j * 8 * K + 8)};
      mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 2; ++j) {
    float *p = C + (warp * 16 + g) * 16 + j * 8 + t;
    const float x = c[j][0] * alpha, z = c[j][2] * alpha, y = c[j][1] * alpha, w = c[j][3] * alpha;
    *(float2 *)p = make_float2(x, y);
    *(float2 *)(p + 128) = make_float2(z, w);
  }
}
