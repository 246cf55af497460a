// Inclusive prefix sums of each block's 128 numbers: shuffles up in a warp, warp
// totals through shared memory.
#include <cuda_runtime.h>

__global__ void scanBlocks(const float *in, float *out, int count) {
  __shared__ float totals[4];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  float value = at < count ? in[at] : 0.f;
  for (int offset = 1; offset < 32; offset *= 2) {
    const float other = __shfl_up_sync(0xffffffffu, value, offset);
    if (lane >= offset)
      value += other;
  }
  if (lane == 31)
    totals[warp] = value;
  __syncthreads();
  float before = 0.f;
  for (int w = 0; w < warp; ++w)
    before += totals[w];
  if (at < count)
    out[at] = value + before;
}
