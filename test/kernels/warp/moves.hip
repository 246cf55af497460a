// moves.cu by HIP's own shuffles, with the width of a CUDA warp.
#include <hip/hip_runtime.h>

__global__ void warp_sum(float *p) {
  float v = p[threadIdx.x];
  for (int offset = 16; offset > 0; offset >>= 1)
    v += __shfl_xor(v, offset, 32);
  p[threadIdx.x] = v;
}
__global__ void warp_count(int *p) {
  int v = p[threadIdx.x];
  for (int offset = 16; offset > 0; offset >>= 1)
    v += __shfl_xor(v, offset, 32);
  p[threadIdx.x] = v;
}
__global__ void warp_max(float *p) {
  float v = p[threadIdx.x];
  for (int offset = 16; offset > 0; offset >>= 1)
    v = fmaxf(v, __shfl_xor(v, offset, 32));
  p[threadIdx.x] = v;
}
__global__ void down_sum(float *p) {
  float v = p[threadIdx.x];
  for (int offset = 16; offset > 0; offset >>= 1)
    v += __shfl_down(v, offset, 32);
  if (threadIdx.x % 32 == 0)
    p[threadIdx.x] = v;
}
__global__ void quad_sum(float *p) {
  float v = p[threadIdx.x];
  v += __shfl_xor(v, 1, 32);
  v += __shfl_xor(v, 2, 32);
  p[threadIdx.x] = v;
}
__device__ int scan(int v) {
  for (int delta = 1; delta < 32; delta <<= 1) {
    const int below = __shfl_up(v, delta, 32);
    if (threadIdx.x % 32 >= delta)
      v += below;
  }
  return v;
}
__global__ void shuffle_scan(int *p) { p[threadIdx.x] = scan(p[threadIdx.x]); }
__global__ void group_scan(int *p) { p[threadIdx.x] = scan(p[threadIdx.x]); }
__global__ void broadcast(float *p) { p[threadIdx.x] = __shfl(p[threadIdx.x], 0, 32); }
