// Sum of each row: grid-stride loads, a butterfly in the warp, shared memory across
// warps, an atomic across blocks. Ragged columns.
#include <cuda_runtime.h>

__global__ void rowSums(const float *data, float *sums, int cols) {
  __shared__ float partial[4];
  const int row = blockIdx.y, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float sum = 0.f;
  for (int col = blockIdx.x * blockDim.x + threadIdx.x; col < cols; col += gridDim.x * blockDim.x)
    sum += data[row * cols + col];
  for (int offset = 16; offset > 0; offset >>= 1)
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (lane == 0)
    partial[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = lane < 4 ? partial[lane] : 0.f;
    sum += __shfl_down_sync(0xffffffffu, sum, 2);
    sum += __shfl_down_sync(0xffffffffu, sum, 1);
    if (lane == 0)
      atomicAdd(&sums[row], sum);
  }
}
