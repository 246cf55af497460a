// Half sums of each turn, added to others that are rescaled, all by views of their halves: they are
// asked about as what may fill an operand, since its registers collect the results, and fill none.
//
// RUN: %prove --launch %S/views_of_sums.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
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

// CHECK-LABEL: rescaled(
// CHECK: lp::mma_m16n8k16_f16_f16
__global__ void __launch_bounds__(64)
    rescaled(const half *A, const half *B, const float *__restrict__ F, half *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  uint32_t o[4][4], a[4];
  for (int j = 0; j < 4; ++j)
    for (int r = 0; r < 4; ++r)
      o[j][r] = 0;
  const float lower = F[warp * 16 + g], upper = F[warp * 16 + g + 8];
  for (int k = 0; k < K; k += 16) {
    uint32_t b[4][2], d[4][2];
    for (int j = 0; j < 4; ++j)
      d[j][0] = d[j][1] = 0;
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * K + k + t * 2 + r * 8);
    for (int j = 0; j < 4; ++j)
      mma(d[j], a, b[j]);
    for (int j = 0; j < 4; ++j) {
      half *s = reinterpret_cast<half *>(&d[j][0]);
      float *f = reinterpret_cast<float *>(&o[j][0]);
      f[0] = lower * f[0] + __half2float(s[0]);
      f[1] = lower * f[1] + __half2float(s[1]);
      f[2] = upper * f[2] + __half2float(s[2]);
      f[3] = upper * f[3] + __half2float(s[3]);
    }
  }
  for (int j = 0; j < 4; ++j) {
    float *f = reinterpret_cast<float *>(&o[j][0]);
    half *h = reinterpret_cast<half *>(&o[j][0]);
    h[0] = __float2half_rn(upper * f[0]);
    h[1] = __float2half_rn(upper * f[1]);
    h[2] = __float2half_rn(lower * f[2]);
    h[3] = __float2half_rn(lower * f[3]);
  }
  for (int j = 0; j < 4; ++j)
    for (int r = 0; r < 2; ++r) { // in registers of A, for one store of a quad
      a[0] = o[j][r];
      a[1] = __shfl_sync(~0u, o[j][r], lane + 1, 4);
      a[2] = __shfl_sync(~0u, o[j][r], lane + 2, 4);
      a[3] = __shfl_sync(~0u, o[j][r], lane + 3, 4);
      if (t == 0)
        *(uint4 *)(C + (warp * 16 + g + r * 8) * 32 + j * 8) = make_uint4(a[0], a[1], a[2], a[3]);
    }
}
