// Registers by other names: sums as two rows of two, halves that a function looks at as a word, a
// half2 of its own for B, and operands of A that are read under a condition and worked on.
//
// RUN: %prove --launch %S/word_forms.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.one.hip --target gfx942
// RUN: %ported %t.one.hip | FileCheck %s
// CHECK: __global__ void twoByTwo(
// CHECK: lp::gather_a(qa[i].v, [&](int lane, int warp, int r) {
// CHECK: auto x = __float2half2_rn(0.f);
// CHECK-NEXT: if (row < rows) x = *(const half2 *)(A + row * k + k0 + i * 16 + col);
// CHECK-NEXT: return __hmul2(x, by);
// CHECK: const half2 b0 = lp::read_b([&](int lane, int, int j) {
// CHECK: lp::mma_m16n8k16_f32_f16_steps_wave(lp::tile<float, 4>(c, j & ~1), lp::tile<float, 4>(c, j | 1), qa[i].v, lp::scalars(b0, b1), j & 1, held[j], i);
// CHECK: __global__ void inFloats(
// CHECK: int givenWarp;
// CHECK: const int first = blockIdx.x * 64 + warp * 16 + lane / 4;
// CHECK-NEXT: if (r & 1) givenWarp = first + 8; else givenWarp = first;
// CHECK: float x = 0;
// CHECK-NEXT: float y = 0;
// CHECK: x *= 0.5f;
// CHECK-NOT: to_warp_
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t as_u32(const half2 &h) {
  return *reinterpret_cast<const uint32_t *>(&h);
}
struct Rows {
  half2 v[4];
};
__device__ __forceinline__ void mma16816(float (&d)[2][2], const Rows &a, half2 b0, half2 b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0][0]), "+f"(d[0][1]), "+f"(d[1][0]), "+f"(d[1][1])
               : "r"(as_u32(a.v[0])), "r"(as_u32(a.v[1])), "r"(as_u32(a.v[2])), "r"(as_u32(a.v[3])),
                 "r"(*(unsigned *)&b0), "r"(*(unsigned *)&b1));
}

// Rows of A beyond `rows` are zero; B is k x 32.
__global__ void twoByTwo(const half *__restrict__ A, const half *__restrict__ B,
                         float *__restrict__ C, int rows, int k, float scale) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int first = blockIdx.x * 64 + warp * 16 + lane / 4;
  const half2 by = __float2half2_rn(scale);
  float c[4][2][2] = {};
  for (int k0 = 0; k0 < k; k0 += 32) {
    Rows qa[2];
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        int row = first, col = lane % 4 * 2;
        if (r & 1)
          row += 8;
        if (r >= 2) {
          col += 8;
        }
        half2 x = __float2half2_rn(0.f);
        if (row < rows) x = *(const half2 *)(A + row * k + k0 + i * 16 + col);
        qa[i].v[r] = __hmul2(x, by);
      }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const half *p = B + (k0 + i * 16 + lane % 4 * 2) * 32 + j * 8 + lane / 4;
        const half2 b0 = __halves2half2(p[0], p[32]);
        const half2 b1 = __halves2half2(p[8 * 32], p[9 * 32]);
        mma16816(c[j], qa[i], b0, b1);
      }
  }
#pragma unroll
  for (int h = 0; h < 2; ++h)
#pragma unroll
    for (int j = 0; j < 4; ++j)
      *(float2 *)(C + (first + h * 8) * 32 + j * 8 + lane % 4 * 2) =
          make_float2(c[j][h][0], c[j][h][1]);
}

// Halves of A by floats, whose zeros are written as integers.
__global__ void inFloats(const half *__restrict__ A, const half *__restrict__ B,
                         float *__restrict__ C, int rows, int k) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int first = blockIdx.x * 64 + warp * 16 + lane / 4;
  float c[4][2][2] = {};
  for (int k0 = 0; k0 < k; k0 += 16) {
    Rows a;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      int warp; // of A's rows, beside the kernel's
      if (r & 1)
        warp = first + 8;
      else
        warp = first;
      const int col = k0 + lane % 4 * 2 + r / 2 * 8;
      float x = 0, y = 0;
      if (warp < rows) {
        x = __half2float(A[warp * k + col]);
        y = __half2float(A[warp * k + col + 1]);
      }
      x *= 0.5f;
      y *= 0.5f;
      a.v[r] = __floats2half2_rn(x, y);
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const half *p = B + (k0 + lane % 4 * 2) * 32 + j * 8 + lane / 4;
      mma16816(c[j], a, __halves2half2(p[0], p[32]), __halves2half2(p[8 * 32], p[9 * 32]));
    }
  }
#pragma unroll
  for (int h = 0; h < 2; ++h)
#pragma unroll
    for (int j = 0; j < 4; ++j)
      *(float2 *)(C + (first + h * 8) * 32 + j * 8 + lane % 4 * 2) =
          make_float2(c[j][h][0], c[j][h][1]);
}
