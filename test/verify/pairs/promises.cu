// Kernels whose author tells the porter something (// layout-port: ...), for launches in which
// it is so and others in which it is not.

// layout-port: noalias(in)
__global__ void smooth(const float *in, const float *weights, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * weights[i % 4] + in[(i + 1) % n];
}

__global__ void parts(float *out, const int *cut, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 1;
  // layout-port: assume uniform(cut)
  if ((int)threadIdx.x < cut[0]) {
    for (int k = 0; k < n; ++k)
      sum = sum * 3 + out[i];
  }
  out[i] = sum;
}
