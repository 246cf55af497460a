// f64 in registers with names of their own, where an object says how the thread stands.
//
// RUN: %prove --launch %S/doubles_named.yaml 2>&1 | FileCheck %S/Inputs/native_halves_proved.txt
#include <cuda_runtime.h>

__device__ inline void dmma884(double (&d)[2], double a, double b) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};\n"
               : "+d"(d[0]), "+d"(d[1]) : "d"(a), "d"(b));
}

struct Stand {
  int row, k;
  __device__ Stand() : row(threadIdx.x % 32 / 4), k(threadIdx.x % 4) {}
};
__global__ void __launch_bounds__(128) named884(const double *A, const double *B, double *C, int n,
                                                int k) {
  const Stand at;
  const int wm = threadIdx.x / 32 % 2 * 16, wn = threadIdx.x / 64 * 16;
  double acc[2][2][2] = {};
  for (int k0 = 0; k0 < k; k0 += 4) {
    double a0 = A[(blockIdx.y * 32 + wm + at.row) * k + k0 + at.k];
    double a1 = A[(blockIdx.y * 32 + wm + 8 + at.row) * k + k0 + at.k];
    double b0 = B[(blockIdx.x * 32 + wn + at.row) * k + k0 + at.k];
    double b1 = B[(blockIdx.x * 32 + wn + 8 + at.row) * k + k0 + at.k];
    dmma884(acc[0][0], a0, b0);
    dmma884(acc[0][1], a0, b1);
    dmma884(acc[1][0], a1, b0);
    dmma884(acc[1][1], a1, b1);
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      for (int e = 0; e < 2; e++)
        C[(blockIdx.y * 32 + wm + i * 8 + at.row) * n + blockIdx.x * 32 + wn + j * 8 + at.k * 2 + e] =
            acc[i][j][e];
}
