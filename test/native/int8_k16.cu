// int8, the first shape with it: m8n8k16, fragments loaded as int by lane/4 and lane%4,
// 2x2 tiles a warp, int2 stores.
//
// RUN: %prove --launch %S/int8_k16.yaml 2>&1 | FileCheck %S/Inputs/native_tested.txt
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

__device__ inline void ldsm1(int &r, const void *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];\n"
               : "=r"(r) : "r"((unsigned)__cvta_generic_to_shared(p)));
}

// 2 x 2 warps of one tile each, read by ldmatrix: two warps of a wave share A.
__global__ void __launch_bounds__(128) immaOneTile(const signed char *A, const signed char *B, int *C, int ldc, int k) {
  __shared__ __align__(16) signed char sA[16][16], sB[16][16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2, wn = warp % 2;
  int a[1], b[1], sum[2] = {};
  for (int k0 = 0; k0 < k; k0 += 16) {
    for (int v = threadIdx.x; v < 16; v += 128) {
      *(int4 *)sA[v] = *(const int4 *)(A + (blockIdx.y * 16 + v) * k + k0);
      *(int4 *)sB[v] = *(const int4 *)(B + (blockIdx.x * 16 + v) * k + k0);
    }
    __syncthreads();
    ldsm1(a[0], sA[wm * 8 + lane % 8]);
    ldsm1(b[0], sB[wn * 8 + lane % 8]);
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};\n"
                 : "+r"(sum[0]), "+r"(sum[1]) : "r"(a[0]), "r"(b[0]));
    __syncthreads();
  }
  const int row = blockIdx.y * 16 + wm * 8 + lane / 4, col = blockIdx.x * 16 + wn * 8 + lane % 4 * 2;
  C[row * ldc + col] = sum[0];
  C[row * ldc + col + 1] = sum[1];
}

// Each warp has a tile of its own, of both operands: eight rows of A and of B of the pair.
__global__ void __launch_bounds__(64) immaDiagonal(const signed char *A, const signed char *B, int *C, int ldc, int k) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int m = (blockIdx.y * 2 + warp) * 8 + lane / 4, n = (blockIdx.x * 2 + warp) * 8 + lane / 4;
  int sum[2] = {};
  for (int k0 = 0; k0 < k; k0 += 16) {
    int a[1], b[1];
    a[0] = *(const int *)(A + m * k + k0 + lane % 4 * 4);
    b[0] = *(const int *)(B + n * k + k0 + lane % 4 * 4);
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};\n"
                 : "+r"(sum[0]), "+r"(sum[1]) : "r"(a[0]), "r"(b[0]));
  }
  const int col = (blockIdx.x * 2 + warp) * 8 + lane % 4 * 2;
  C[m * ldc + col] = sum[0];
  C[m * ldc + col + 1] = sum[1];
}

// Operands of one register each: the loop that fills them is one over tiles.
__global__ void __launch_bounds__(64) immaLooped(const signed char *A, const signed char *B, int *C, int ldc, int k) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = blockIdx.y * 32 + warp * 16 + lane / 4, n = blockIdx.x * 16 + lane / 4;
  int sums[2][2][2] = {};
  for (int k0 = 0; k0 < k; k0 += 16) {
    int a[2], b[2];
    for (int i = 0; i < 2; ++i)
      a[i] = *(const int *)(A + (row + i * 8) * k + k0 + lane % 4 * 4);
    for (int j = 0; j < 2; ++j)
      b[j] = *(const int *)(B + (n + j * 8) * k + k0 + lane % 4 * 4);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};\n"
                     : "+r"(sums[i][j][0]), "+r"(sums[i][j][1]) : "r"(a[i]), "r"(b[j]));
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      *(int2 *)&C[(row + i * 8) * ldc + blockIdx.x * 16 + j * 8 + lane % 4 * 2] =
          make_int2(sums[i][j][0], sums[i][j][1]);
}
