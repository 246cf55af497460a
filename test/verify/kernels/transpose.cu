// Transpose through shared memory, swizzled by a thread index, with ragged edges.
#include <cuda_runtime.h>

__global__ void transpose(const float *in, float *out, int rows, int cols) {
  __shared__ float tile[32][32];
  const int x = threadIdx.x, y = threadIdx.y;
  for (int i = y; i < 32; i += 8) {
    const int row = blockIdx.y * 32 + i, col = blockIdx.x * 32 + x;
    if (row < rows && col < cols)
      tile[i][x ^ i] = in[row * cols + col];
  }
  __syncthreads();
  for (int i = y; i < 32; i += 8) {
    const int row = blockIdx.x * 32 + i, col = blockIdx.y * 32 + x;
    if (row < cols && col < rows)
      out[row * rows + col] = tile[x][i ^ x];
  }
}
