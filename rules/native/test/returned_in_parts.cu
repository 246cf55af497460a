// Sums that a function takes and returns as a struct of two vectors, and an operand that is read in
// the call: that one is not followed, with a reason, and moves.
//
// RUN: %layout-port %s -o %t.hip 2>&1 | FileCheck %s
// CHECK-NOT: crashed
// CHECK: inVectors keeps 'x.v' in CUDA's layout and moves it for each product: operand A of mma.m16n8k16.f16 is neither read by ldmatrix nor put together in one place: rows r and r + 8 of a tile are not treated alike in 'c'
#include <cuda_fp16.h>
#include <stdint.h>

struct Rows {
  half2 v[4];
};
struct Columns {
  half2 v[2];
};
struct Sums {
  float2 top, bottom;
};
__device__ __forceinline__ const uint32_t &bits(const half2 &h) {
  return reinterpret_cast<const uint32_t &>(h);
}
__device__ __forceinline__ Sums mma(const Rows &a, const Columns &b, const Sums &c) {
  Sums d;
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%10,%11,%12,%13};"
      : "=f"(d.top.x), "=f"(d.top.y), "=f"(d.bottom.x), "=f"(d.bottom.y)
      : "r"(bits(a.v[0])), "r"(bits(a.v[1])), "r"(bits(a.v[2])), "r"(bits(a.v[3])),
        "r"(bits(b.v[0])), "r"(bits(b.v[1])), "f"(c.top.x), "f"(c.top.y), "f"(c.bottom.x),
        "f"(c.bottom.y));
  return d;
}
struct View {
  const half *p;
  int ld;
  __device__ half2 operator()(int r, int c) const { return *reinterpret_cast<const half2 *>(p + r * ld + c); }
};
__device__ __forceinline__ Rows rows(View m, int r, int c) {
  return {{m(r, c), m(r + 8, c), m(r, c + 8), m(r + 8, c + 8)}};
}
__device__ __forceinline__ Columns columns(View m, int r, int c) { return {{m(r, c), m(r, c + 8)}}; }

__global__ void __launch_bounds__(64) inVectors(const half *A, const half *B, float *C, int K) {
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4 * 2;
  const View a{A, K}, b{B, K};
  Sums c[2];
  for (auto &sums : c)
    sums = {make_float2(0, 0), make_float2(0, 0)};
  for (int k = 0; k < K; k += 16) {
    const Rows x = rows(a, warp * 16 + g, k + t);
    for (int j = 0; j < 2; ++j)
      c[j] = mma(x, columns(b, j * 8 + g, k + t), c[j]);
  }
  for (int j = 0; j < 2; ++j) {
    *(float2 *)&C[(warp * 16 + g) * 16 + j * 8 + t] = c[j].top;
    *(float2 *)&C[(warp * 16 + g + 8) * 16 + j * 8 + t] = c[j].bottom;
  }
}
