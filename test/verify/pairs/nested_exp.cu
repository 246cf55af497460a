// An exponential of an exponential: exp(exp(x) + y).
#include <cuda_runtime.h>

__global__ void nested(const float *x, const float *y, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = expf(expf(x[i]) + y[i]);
}
