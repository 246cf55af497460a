// .satfinite: a sum stays at the end of int's range, at each step of k. MFMAs do not saturate, but
// what one of them multiplies is far from that end: it is summed up from zero, and added so.
//
// RUN: %prove --launch %S/saturated.yaml 2>&1 | FileCheck %S/Inputs/native_tested.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_runtime.h>
#include <stdint.h>

// CHECK: return __builtin_elementwise_add_sat(sums, bits<int4x>(bits<words4>(c) - bits<words4>(less)));
// CHECK: return __builtin_elementwise_add_sat(sums, c);
__device__ void mma32(int (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 {%0,%1,%2,%3}, "
               "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void mma16(int (&d)[4], const uint32_t (&a)[2], uint32_t b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, "
               "{%6}, {%0,%1,%2,%3};"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(b));
}

// From either end: what is taken off comes back, what is added has no place.
// CHECK-LABEL: saturated(
__global__ void __launch_bounds__(64)
    saturated(const int8_t *A, const int8_t *B, int *C, int *D, int K) {
  const int lane = threadIdx.x % 32, top = threadIdx.x / 32 * 16, g = lane / 4, t = lane % 4;
  int high[4][4], low[4][4];
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      high[j][e] = 0x7fffff00, low[j][e] = -0x7fffff00;
  for (int k = 0; k < K; k += 32) {
    uint32_t a[4], b[4][2];
    for (int r = 0; r < 4; ++r)
      a[r] = *(const uint32_t *)&A[(top + g + r % 2 * 8) * K + k + r / 2 * 16 + t * 4];
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = *(const uint32_t *)&B[(j * 8 + g) * K + k + r * 16 + t * 4];
    for (int j = 0; j < 4; ++j)
      mma32(high[j], a, b[j]);
    for (int j = 0; j < 4; ++j)
      mma32(low[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e) {
      C[(top + g + e / 2 * 8) * 32 + j * 8 + t * 2 + e % 2] = high[j][e];
      D[(top + g + e / 2 * 8) * 32 + j * 8 + t * 2 + e % 2] = low[j][e];
    }
}

// Steps of k that a deeper MFMA could do together are added one by one.
// CHECK-LABEL: bySteps(
// CHECK-NOT: held
__global__ void __launch_bounds__(64) bySteps(const uint8_t *A, const int8_t *B, int *C, int K) {
  const int lane = threadIdx.x % 32, top = threadIdx.x / 32 * 16, g = lane / 4, t = lane % 4;
  int c[4][4];
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      c[j][e] = 0x7fffff00;
  for (int k = 0; k < K; k += 16) {
    uint32_t a[2], b[4];
    for (int r = 0; r < 2; ++r)
      a[r] = *(const uint32_t *)&A[(top + g + r * 8) * K + k + t * 4];
    for (int j = 0; j < 4; ++j)
      b[j] = *(const uint32_t *)&B[(j * 8 + g) * K + k + t * 4];
    for (int j = 0; j < 4; ++j)
      mma16(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(top + g + e / 2 * 8) * 32 + j * 8 + t * 2 + e % 2] = c[j][e];
}
