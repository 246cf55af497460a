// f16 sums that an epilogue changes through a view of halves, and stores by it.
//
// RUN: %prove --launch %S/half_views.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ uint32_t word(const half *p) { return *(const uint32_t *)p; }
__device__ void mma(uint32_t (&d)[2], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, "
               "{%0,%1};"
               : "+r"(d[0]), "+r"(d[1])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// CHECK-LABEL: scaledRows(
// CHECK:      half *v = (half *)acc[j];
// CHECK:        v[e] = __hmul(v[e], lp::of_element<1>(e, [&](int lane, int warp, int e) {
// CHECK:        *lp::of_element<1>(e, [&](int lane, int warp, int e) {
// CHECK-NOT:  to_warp_layout
__global__ void __launch_bounds__(64)
    scaledRows(const half *A, const half *B, const half *scales, half *C, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const int m0 = blockIdx.y * 32 + warp * 16, n0 = blockIdx.x * 32;
  uint32_t acc[4][2] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (m0 + g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (n0 + j * 8 + g) * K + k + t * 2 + r * 8);
    for (int j = 0; j < 4; ++j)
      mma(acc[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j) {
    half *v = (half *)acc[j];
    for (int e = 0; e < 4; ++e)
      v[e] = __hmul(v[e], scales[m0 + g + e / 2 * 8]);
    for (int e = 0; e < 4; ++e)
      C[(m0 + g + e / 2 * 8) * N + n0 + j * 8 + t * 2 + e % 2] = v[e];
  }
}
