// Sums of both halves of a tile's rows, or of both columns, that are given one value in a chain of
// assignments. It is computed once, for the element of C that the MFMA has in the registers: those
// of rows r and r + 8 are one element's column of the two warps here, which is one bias.
//
// RUN: %prove --launch %S/begin_chained.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t word(const half *p) {
  return *reinterpret_cast<const uint32_t *>(p);
}
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void multiply(float (&c)[2][4], const half *A, const half *B, int K, int row,
                                         int column, int t) {
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (row + r % 2 * 8) * K + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (column + j * 8) * K + k + t * 2 + r * 8);
    for (int j = 0; j < 2; ++j)
      mma(c[j], a, b[j]);
  }
}

// 32 x 16 of C, 64 threads; a bias by column, as it is read and converted; by the row.
// CHECK-LABEL: byColumn(const half
// CHECK: c[j][0] = c[j][2] = lp::of_element(0,
// CHECK: c[j][1] = (c[j][3] = lp::of_element(0,
__global__ void __launch_bounds__(64)
    byColumn(const half *A, const half *B, const half *bias, const float *more, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int g = lane / 4, t = lane % 4;
  float c[2][4];
  for (int j = 0; j < 2; ++j) {
    const int column = j * 8 + t * 2;
    c[j][0] = c[j][2] = __half2float(bias[column]);
    c[j][1] = (c[j][3] = more[column + 1] * 2.f);
  }
  multiply(c, A, B, K, warp * 16 + g, g, t);
  float *out = C + (warp * 16 + g) * 16 + t * 2;
  for (int j = 0; j < 2; ++j) {
    out[j * 8] = c[j][0];
    out[j * 8 + 1] = c[j][1];
    out[8 * 16 + j * 8] = c[j][2];
    out[8 * 16 + j * 8 + 1] = c[j][3];
  }
}

// CHECK-LABEL: byRow(const half
// CHECK: c[j][0] = c[j][1] = lp::of_element(0,
// CHECK: c[j][2] = c[j][3] = lp::of_element(1,
__global__ void __launch_bounds__(64)
    byRow(const half *A, const half *B, const float *bias, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int g = lane / 4, t = lane % 4;
  float c[2][4];
  for (int j = 0; j < 2; ++j) {
    c[j][0] = c[j][1] = bias[warp * 16 + g];
    c[j][2] = c[j][3] = bias[warp * 16 + g + 8];
  }
  multiply(c, A, B, K, warp * 16 + g, g, t);
  float *out = C + (warp * 16 + g) * 16 + t * 2;
  for (int j = 0; j < 2; ++j) {
    out[j * 8] = c[j][0];
    out[j * 8 + 1] = c[j][1];
    out[8 * 16 + j * 8] = c[j][2];
    out[8 * 16 + j * 8 + 1] = c[j][3];
  }
}

// In a loop over the columns.
// CHECK-LABEL: looped(const half
// CHECK: c[j][e] = c[j][e + 2] = lp::of_element(0,
__global__ void __launch_bounds__(64)
    looped(const half *A, const half *B, const float *bias, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int g = lane / 4, t = lane % 4;
  float c[2][4];
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 2; ++e)
      c[j][e] = c[j][e + 2] = bias[j * 8 + t * 2 + e];
  multiply(c, A, B, K, warp * 16 + g, g, t);
  float *out = C + (warp * 16 + g) * 16 + t * 2;
  for (int j = 0; j < 2; ++j) {
    out[j * 8] = c[j][0];
    out[j * 8 + 1] = c[j][1];
    out[8 * 16 + j * 8] = c[j][2];
    out[8 * 16 + j * 8 + 1] = c[j][3];
  }
}

// The same for all lanes, which nobody needs to ask for.
// CHECK-LABEL: alike(const half
// CHECK: c[j][0] = c[j][1] = c[j][2] = c[j][3] = bias[j];
__global__ void __launch_bounds__(64)
    alike(const half *A, const half *B, const float *bias, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int g = lane / 4, t = lane % 4;
  float c[2][4];
  for (int j = 0; j < 2; ++j)
    c[j][0] = c[j][1] = c[j][2] = c[j][3] = bias[j];
  multiply(c, A, B, K, warp * 16 + g, g, t);
  float *out = C + (warp * 16 + g) * 16 + t * 2;
  for (int j = 0; j < 2; ++j) {
    out[j * 8] = c[j][0];
    out[j * 8 + 1] = c[j][1];
    out[8 * 16 + j * 8] = c[j][2];
    out[8 * 16 + j * 8 + 1] = c[j][3];
  }
}
