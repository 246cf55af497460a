// Masks in functions that are handed a whole fragment: with a bound on the columns, on the
// diagonal by lane and warp, and as a template. What such a function asks of a lane it is told for
// the threads that CUDA has the lane's elements in.
//
// RUN: %prove --launch %S/mask_functions.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t s2u(const void *p) { return __cvta_generic_to_shared(p); }
__device__ __forceinline__ uint32_t pack(float lo, float hi) {
  half2 h = __floats2half2_rn(lo, hi);
  return *reinterpret_cast<uint32_t *>(&h);
}
__device__ __forceinline__ void mma(float *d, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

struct Window {
  int left, right;
};

// A bound on the columns: one condition for both rows.
// CHECK-LABEL: void pad(
// CHECK: const lp::halves<int> first, const int end
template <int NT>
__device__ __forceinline__ void pad(float (&s)[NT][4], const int first, const int end) {
#pragma unroll
  for (int j = 0; j < NT; ++j)
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      const int col = first + j * 8 + c;
      // CHECK: if (lp::of_element(0, [&, first_ = first](int, int [[W:.*]], int) {
      // CHECK-NEXT: const auto first = first_([[W]]);
      if (col < end)
        continue;
      s[j][c] = -8.f;
      s[j][2 + c] = -8.f;
    }
}

// By lane and warp, which it is handed, and a struct that all threads have alike.
// CHECK-LABEL: void window(
// CHECK-NOT: halves
__device__ __forceinline__ void window(float (*s)[4], int lane, int warp, Window w) {
  const int r0 = warp * 16 + lane / 4;
#pragma unroll
  for (int j = 0; j < 2; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int row = r0 + e / 2 * 8, col = j * 8 + lane % 4 * 2 + e % 2;
      // CHECK: if (lp::of_element<1>(e, [&](int lane, int warp, int e) {
      if (col > row + w.right || col + w.left < row)
        s[j][e] = -4.f;
    }
}

// By an index that it reads itself.
__device__ __forceinline__ void slope(float (&s)[2][4], float by) {
#pragma unroll
  for (int j = 0; j < 2; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e)
      // CHECK: s[j][e] += lp::of_element<1>(e, [&](int lane, int, int e) { return by * float(
      s[j][e] += by * float(threadIdx.x % 32 / 4 + e / 2 * 8);
}

// CHECK-LABEL: masks(
__global__ void __launch_bounds__(64)
    masks(const half *A, const half *B, const half *V, float *C, int n, Window w) {
  __shared__ __align__(16) half sA[32 * 16], sB[16 * 16], sV[16 * 16];
  const int lane = threadIdx.x & 31;
  const int warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 32 * 16; i += 64)
    sA[i] = A[blockIdx.x * 32 * 16 + i];
  for (int i = threadIdx.x; i < 16 * 16; i += 64)
    sB[i] = B[i], sV[i] = V[i];
  __syncthreads();
  float s[2][4] = {}, o[2][4] = {};
  uint32_t a[4], b[2];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
               : "r"(s2u(sA + (warp * 16 + lane % 16) * 16 + lane / 16 * 8)));
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(b[0]), "=r"(b[1])
                 : "r"(s2u(sB + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8)));
    mma(s[j], a, b);
  }
  // For some of the columns.
  // CHECK: if (lp::of_element(0, [&](int lane, int, int) { return lane % 2 == 0; }))
  // CHECK-NEXT: pad(s, lp::halves<int>([&](int lane, int) { return lane % 4 * 2; }), n);
  if (lane % 2 == 0)
    pad(s, lane % 4 * 2, n);
  // CHECK: window(s, lane, warp, w);
  window(s, lane, warp, w);
  slope(s, 0.25f);
  // A second bound, from the other end.
  // CHECK: pad(s, lp::halves<int>([&](int lane, int) { return 12 - lane % 4 * 2; }), n / 2);
  pad(s, 12 - lane % 4 * 2, n / 2);
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    const uint32_t p[4] = {pack(s[0][0], s[0][1]), pack(s[0][2], s[0][3]), pack(s[1][0], s[1][1]),
                           pack(s[1][2], s[1][3])};
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(b[0]), "=r"(b[1])
                 : "r"(s2u(sV + lane % 16 * 16 + j * 8)));
    mma(o[j], p, b);
  }
  const int row = blockIdx.x * 32 + warp * 16 + lane / 4;
#pragma unroll
  for (int j = 0; j < 2; ++j)
#pragma unroll
    for (int r = 0; r < 4; ++r)
      C[(row + r / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + r % 2] = o[j][r];
}
