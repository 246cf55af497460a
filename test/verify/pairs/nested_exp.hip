// nested_exp.cu as exp(exp(x)) exp(y): equal, but the inner exp is no sum any more.
#include <hip/hip_runtime.h>

__global__ void nested(const float *x, const float *y, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = expf(expf(x[i])) * expf(y[i]);
}
