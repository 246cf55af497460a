// The place of the largest of a row; of equal ones the first.
#include <cuda_runtime.h>

__global__ void largest(const float *X, int *I, int n) {
  const float *row = X + (blockIdx.x * blockDim.x + threadIdx.x) * n;
  int at = 0;
  for (int i = 1; i < n; ++i)
    if (row[i] > row[at])
      at = i;
  I[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
