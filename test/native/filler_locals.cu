// Functions that put operands together from locals of their own, which follow their parameters: a
// place that differs between the two warps of a wave does so through them, too. And a class template
// for the sums, in a kernel template whose own names are others.
//
// RUN: %prove --launch %S/filler_locals.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kLdA = 20, kLdB = 40; // floats

__device__ __forceinline__ void mma(float *c, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ void takeA(uint32_t f[4], const float *s, int row, int k, int lane) {
  const float *p = s + (row + (lane >> 2)) * kLdA + k + (lane & 3);
  const float *below = p + 8 * kLdA;
  f[0] = __float_as_uint(p[0]);
  f[1] = __float_as_uint(below[0]);
  f[2] = __float_as_uint(p[4]);
  f[3] = __float_as_uint(below[4]);
}
__device__ __forceinline__ void takeB(uint32_t f[2], const float *s, int k, int column, int lane) {
  const float *p = s + (k + (lane & 3)) * kLdB + column + (lane >> 2);
  f[0] = __float_as_uint(p[0]);
  f[1] = __float_as_uint(p[4 * kLdB]);
}

// The warps of a pair have columns of their own: B is another one's for the second.
// CHECK-LABEL: columns(const float
// CHECK: lp::gather_b(b[j], [&](int lane, int warp, int
__global__ void __launch_bounds__(128) columns(const float *A, const float *B, float *C) {
  __shared__ float sA[32 * kLdA], sB[16 * kLdB];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int warpRow = warp / 2, warpColumn = warp % 2;
  for (int i = threadIdx.x; i < 32 * 16; i += 128) {
    sA[i / 16 * kLdA + i % 16] = A[i];
    sB[i / 32 * kLdB + i % 32] = B[i];
  }
  __syncthreads();
  float c[2][4] = {};
  for (int k = 0; k < 16; k += 8) {
    uint32_t a[4], b[2][2];
    takeA(a, sA, warpRow * 16, k, lane);
    for (int j = 0; j < 2; ++j)
      takeB(b[j], sB, k, warpColumn * 16 + j * 8, lane);
    for (int j = 0; j < 2; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 2; ++j) {
    float *out = C + (warpRow * 16 + lane / 4) * 32 + warpColumn * 16 + j * 8 + lane % 4 * 2;
    out[0] = c[j][0];
    out[1] = c[j][1];
    out[8 * 32] = c[j][2];
    out[8 * 32 + 1] = c[j][3];
  }
}

// CHECK-LABEL: struct Sums
// CHECK: lp::gather_b{{[_0-9]*}}(
// CHECK: *lp::of_element<1>(i, [&](int lane, int warp, int i) { return &C[{{.*}}]; }) = c[i];
template <int M, int N> struct Sums {
  float c[M][N][4];
  __device__ void clear() {
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j)
        c[i][j][0] = c[i][j][1] = c[i][j][2] = c[i][j][3] = 0.f;
  }
  __device__ void add(const uint32_t (&a)[M][4], const uint32_t (&b)[N][2]) {
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j)
        mma(c[i][j], a[i], b[j]);
  }
};
template <int kTiles> __global__ void __launch_bounds__(64) ofClass(const float *A, const float *B, float *C) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Sums<1, kTiles> sums;
  sums.clear();
  for (int k = 0; k < 16; k += 8) {
    uint32_t a[1][4], b[kTiles][2];
    for (int r = 0; r < 4; ++r)
      a[0][r] = __float_as_uint(A[(warp * 16 + lane / 4 + r % 2 * 8) * 16 + k + lane % 4 + r / 2 * 4]);
    for (int j = 0; j < kTiles; ++j) {
      b[j][0] = __float_as_uint(B[(k + lane % 4) * 32 + j * 8 + lane / 4]);
      b[j][1] = __float_as_uint(B[(k + lane % 4 + 4) * 32 + j * 8 + lane / 4]);
    }
    sums.add(a, b);
  }
  // All tiles by one pointer.
  const float *c = &sums.c[0][0][0];
  for (int i = 0; i < kTiles * 4; ++i)
    C[(warp * 16 + lane / 4 + i / 2 % 2 * 8) * 32 + i / 4 * 8 + lane % 4 * 2 + i % 2] = c[i];
}
template __global__ void ofClass<4>(const float *, const float *, float *);
