// What SDK headers write as calls of their device libraries: shared memory, shuffles, exp,
// bits of floats, a last block that adds up.
#include <cuda_runtime.h>

__global__ void sdk(const float *in, float *out, float *parts, unsigned *ticket) {
  __shared__ float tile[256];
  __shared__ bool last;
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  tile[t] = in[i];
  __syncthreads();
  float x = tile[t ^ 1] + expf(tile[t]);
  for (int offset = 16; offset; offset /= 2)
    x += __shfl_xor_sync(0xffffffffu, x, offset);
  parts[i] = __int_as_float(__float_as_int(x) ^ 0x80000000) * __ffs(t | 4);
  __threadfence();
  __syncthreads();
  if (t == 0)
    last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last)
    return;
  float sum = 0.f;
  for (int b = 0; b < gridDim.x; ++b)
    sum += parts[b * blockDim.x + t];
  out[t] = sum;
}
