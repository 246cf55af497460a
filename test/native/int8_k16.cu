// int8, the first shape with it: m8n8k16, fragments loaded as int by lane/4 and lane%4,
// 2x2 tiles a warp, int2 stores.
//
// RUN: %prove --launch %S/int8_k16.yaml 2>&1 | FileCheck %S/Inputs/tested.txt
#include <cuda_runtime.h>

__device__ inline void imma8816(int2 &d, int a, int b) {
  asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%4, %5};\n"
               : "=r"(d.x), "=r"(d.y) : "r"(a), "r"(b), "r"(d.x), "r"(d.y));
}

__global__ void __launch_bounds__(64) imma(const signed char *A, const signed char *B, int *C, int ldc, int k) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int g = lane / 4, q = lane % 4;
  const int m0 = (blockIdx.y * (blockDim.x / 32) + warp) * 16, n0 = blockIdx.x * 16;
  int2 sum[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      sum[i][j] = make_int2(0, 0);

  for (int k0 = 0; k0 < k; k0 += 16) {
    int a[2], b[2];
    for (int t = 0; t < 2; t++) {
      a[t] = *(const int *)(A + (m0 + t * 8 + g) * k + k0 + q * 4);
      b[t] = *(const int *)(B + (n0 + t * 8 + g) * k + k0 + q * 4);
    }
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++)
        imma8816(sum[i][j], a[i], b[j]);
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      *(int2 *)(C + (m0 + i * 8 + g) * ldc + n0 + j * 8 + q * 2) = sum[i][j];
}
