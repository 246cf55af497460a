// A kernel's numbers in a struct that it is launched with, and that nothing in it changes: the same
// for all threads. Lanes use them to compute operands, masks and places in C for each other.
//
// RUN: %prove --launch %S/struct_arguments.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

struct Shape {
  int K, N;
};
struct Window {
  int first, length;
  float scale[2];
  Shape shape;
};

__device__ __forceinline__ uint32_t word(const half *p) {
  return *reinterpret_cast<const uint32_t *>(p);
}
__device__ __forceinline__ uint32_t packed(float x, float y) {
  const half2 h = __floats2half2_rn(x, y);
  return *reinterpret_cast<const uint32_t *>(&h);
}
__device__ __forceinline__ int strideOf(Shape shape) { return shape.K; }

// 32 x 16 of C, 64 threads: (A B, masked) B2.
// CHECK: uint32_t a[4];
// CHECK: lp::gather_a(a, [&](
// CHECK: A + (warp * 16 + g + r % 2 * 8) * w.shape.K
// CHECK: lp::operand_b([&](
// CHECK: strideOf(w.shape)
// CHECK: lp::of_element<1>(e, [&](
// CHECK: < w.first + w.length
// CHECK: lp::each_pair(
// CHECK: w.shape.N
__global__ void __launch_bounds__(64)
    masked(const half *A, const half *B, const half *B2, float *C, Window w) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int g = lane / 4, t = lane % 4;
  float s[2][4] = {}, c[2][4] = {};
  for (int k = 0; k < w.shape.K; k += 16) {
    uint32_t a[4];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * w.shape.K + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 2; ++j) {
      const half *p = B + (j * 8 + g) * strideOf(w.shape) + k + t * 2;
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
          "{%8,%9}, {%0,%1,%2,%3};"
          : "+f"(s[j][0]), "+f"(s[j][1]), "+f"(s[j][2]), "+f"(s[j][3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(word(p)), "r"(word(p + 8)));
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e) {
      const int row = warp * 16 + g + e / 2 * 8, column = j * 8 + t * 2 + e % 2;
      const bool isKept = column >= w.first && row + column < w.first + w.length;
      s[j][e] = isKept ? s[j][e] * w.scale[1] : 0.f;
    }
  uint32_t q[4];
  q[0] = packed(s[0][0], s[0][1]);
  q[1] = packed(s[0][2], s[0][3]);
  q[2] = packed(s[1][0], s[1][1]);
  q[3] = packed(s[1][2], s[1][3]);
  for (int j = 0; j < 2; ++j) {
    const half *p = B2 + (j * 8 + g) * 16 + t * 2;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
                 : "r"(q[0]), "r"(q[1]), "r"(q[2]), "r"(q[3]), "r"(word(p)), "r"(word(p + 8)));
  }
  for (int j = 0; j < 2; ++j) {
    float *out = C + (warp * 16 + g) * w.shape.N + j * 8 + t * 2;
    out[0] = c[j][0];
    out[1] = c[j][1];
    out[8 * w.shape.N] = c[j][2];
    out[8 * w.shape.N + 1] = c[j][3];
  }
}
