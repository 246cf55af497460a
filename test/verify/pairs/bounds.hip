// bounds.cu without the bound.
#include <hip/hip_runtime.h>

__global__ void bounds(const float *X, float *Y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.f;
  for (int k = 0; k < n; ++k)
    sum += X[i * n + k];
  Y[i] = sum;
}
