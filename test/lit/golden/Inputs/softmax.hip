// A row a block: reductions over warps by shuffles, then over the block through shared memory.
#include <hip/hip_runtime.h>
#include <hip/hip_math_constants.h>

#include "layout_port_runtime.h"

#define FULL_MASK 0xffffffff
#define WARP_SIZE 32

__inline__ __device__ float warpReduceMax(float v) {
#pragma unroll
  for (int offset = WARP_SIZE / 2; offset > 0; offset >>= 1)
    v = fmaxf(v, lp::reduce_step(v, 16 / offset));
  return v;
}
template <typename T> __inline__ __device__ T warpReduceSum(T v) {
  for (int mask = WARP_SIZE >> 1; mask; mask /= 2)
    v += lp::shfl_xor(v, mask, WARP_SIZE);
  return v;
}

__global__ void softmax(float *out, const float *in, int columns) {
  __shared__ float shared[WARP_SIZE];
  const int lane = threadIdx.x % WARP_SIZE, wid = threadIdx.x / WARP_SIZE;
  const float *x = in + blockIdx.x * columns;
  float *y = out + blockIdx.x * columns;

  float most = -HIP_INF_F;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    most = fmaxf(most, __ldg(&x[i]));
  most = warpReduceMax(most);
  if (lane == 0)
    shared[wid] = most;
  __syncthreads();
  most = threadIdx.x < blockDim.x / 32 /* warpSize */ ? shared[lane] : -HIP_INF_F;
  if (wid == 0)
    most = warpReduceMax(most);
  if (threadIdx.x == 0)
    shared[0] = most;
  __syncthreads();
  most = shared[0];
  __syncthreads();

  float sum = 0.f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const float e = __expf(lp::ldcs(x + i) - most);
    y[i] = e;
    sum += e;
  }
  sum = warpReduceSum(sum);
  if (lane == 0)
    shared[wid] = sum;
  __syncthreads();
  sum = warpReduceSum(lane < blockDim.x / WARP_SIZE ? shared[lane] : 0.f);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    lp::stcs(y + i, __fdividef(y[i], sum));
}
