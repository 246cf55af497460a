// ties.cu, which takes the last of equal ones unless -DFIRST.
#include <hip/hip_runtime.h>

#ifdef FIRST
#define IS_BETTER(a, b) ((a) > (b))
#else
#define IS_BETTER(a, b) ((a) >= (b))
#endif

__global__ void largest(const float *X, int *I, int n) {
  const float *row = X + (blockIdx.x * blockDim.x + threadIdx.x) * n;
  int at = 0;
  for (int i = 1; i < n; ++i)
    if (IS_BETTER(row[i], row[at]))
      at = i;
  I[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
