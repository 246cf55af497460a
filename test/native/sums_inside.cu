// Products whose sums live for one step, and are added to others there: back in CUDA's layout, or followed.
// Where one of a kernel's sums is followed, the other is not for that.
//
// RUN: %prove --launch %S/sums_inside.yaml 2>&1 | FileCheck %S/Inputs/native_halves_tested.txt
// RUN: %layout-port %s -o %t.one.hip --target gfx942
// RUN: %ported %t.one.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void imma(int (&d)[2], int a, int b) {
  asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+r"(d[0]), "+r"(d[1]) : "r"(a), "r"(b));
}
__device__ __forceinline__ void dmma(double (&d)[2], double a, double b) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+d"(d[0]), "+d"(d[1]) : "d"(a), "d"(b));
}

// CHECK-LABEL: bytes(
// CHECK: lp::to_warp_layout
// CHECK: sums[i][j][e] += part[e];
__global__ void __launch_bounds__(64) bytes(const signed char *A, const signed char *B, int *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = warp * 16 + lane / 4;
  int sums[2][4][2] = {};
  for (int k = 0; k < K; k += 16) {
    int a[2], b[4];
    for (int i = 0; i < 2; ++i)
      a[i] = *(const int *)(A + (row + i * 8) * K + k + lane % 4 * 4);
    for (int j = 0; j < 4; ++j)
      b[j] = *(const int *)(B + (j * 8 + lane / 4) * K + k + lane % 4 * 4);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j) {
        int part[2] = {0, 0};
        imma(part, a[i], b[j]);
        for (int e = 0; e < 2; ++e)
          sums[i][j][e] += part[e];
      }
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      *(int2 *)&C[(row + i * 8) * 32 + j * 8 + lane % 4 * 2] = make_int2(sums[i][j][0], sums[i][j][1]);
}

// CHECK-LABEL: doubles(
// CHECK: lp::to_warp_layout
// CHECK: sums[j][e] += part[e];
__global__ void __launch_bounds__(64) doubles(const double *A, const double *B, double *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = warp * 8 + lane / 4;
  double sums[2][2] = {};
  for (int k = 0; k < K; k += 4) {
    double a[1], b[2];
    a[0] = A[row * K + k + lane % 4];
    for (int j = 0; j < 2; ++j)
      b[j] = B[(j * 8 + lane / 4) * K + k + lane % 4];
    for (int j = 0; j < 2; ++j) {
      double part[2] = {0, 0};
      dmma(part, a[0], b[j]);
      for (int e = 0; e < 2; ++e)
        sums[j][e] += part[e];
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 2; ++e)
      C[row * 16 + j * 8 + lane % 4 * 2 + e] = sums[j][e];
}
