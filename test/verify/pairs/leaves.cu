// Twice what it reads; what it keeps beside that comes from behind its buffer.
__global__ void __launch_bounds__(64) twice(const float *in, float *out, int offset) {
  __shared__ volatile float kept[64];
  kept[threadIdx.x] = in[threadIdx.x + offset];
  out[threadIdx.x] = 2 * in[threadIdx.x];
}
