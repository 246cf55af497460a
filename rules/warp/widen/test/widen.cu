// Block reductions over waves of 64 lanes, and why others keep 32.
// RUN: %layout-port %s --widen --target gfx90a,gfx942,gfx950 -o %t.hip --verify --launch %S/Inputs/widen.yaml 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: FileCheck %s --check-prefix=NOTE < %t.err
// RUN: %layout-port %s -o %t.32.hip
// RUN: not grep -E "^ *v .*wave_xor" %t.32.hip
// NOTE-DAG: note: --widen: the reduction in rows keeps 32 lanes: the lane and the warp of a thread are not seen to come from its number
// NOTE-DAG: note: --widen: the reduction in everyone keeps 32 lanes: threads other than the first look at the result
// NOTE-DAG: note: --widen: the reduction in roots keeps 32 lanes: 'v' is used between the levels
// NOTE-DAG: note: --widen: the reduction in laned keeps 32 lanes: 'lane' is used for something else too
// NOTE-DAG: note: --widen: the reduction in some keeps 32 lanes: not all threads of the block are seen to come to it
// NOTE: verify gfx90a: proved
// NOTE: verify gfx942: proved
// NOTE: verify gfx950: proved
#define FULL 0xffffffff
// CHECK-LABEL: float warpSum(float v) {
__device__ float warpSum(float v) {
  // CHECK: for (int o = 32; o > 0; o >>= 1)
  // CHECK-NEXT: v += lp::wave_xor(v, o);
  for (int o = 16; o > 0; o >>= 1)
    v += __shfl_down_sync(FULL, v, o);
  return v;
}
__device__ float blockSum(float v) {
  __shared__ float part[32];
  // CHECK: int lane = threadIdx.x % 64, warp = threadIdx.x / 64;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  v = warpSum(v);
  if (lane == 0)
    part[warp] = v;
  __syncthreads();
  // CHECK: v = threadIdx.x < blockDim.x / 64 ? part[lane] : 0.f;
  v = threadIdx.x < blockDim.x / 32 ? part[lane] : 0.f;
  if (warp == 0)
    v = warpSum(v);
  return v;
}
__global__ void total(const float *in, float *out, int n) {
  float v = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    v += in[blockIdx.x * n + i];
  float sum = blockSum(v);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}
// Inline, with a butterfly of its own for the largest.
__global__ void largest(const float *in, float *out) {
  __shared__ float part[32];
  const int tid = threadIdx.x;
  // CHECK: const int lane = tid & 63;
  const int lane = tid & 31;
  // CHECK: const int wid = tid >> 6;
  const int wid = tid >> 5;
  float v = in[blockIdx.x * blockDim.x + tid];
#pragma unroll
  // CHECK: for (int o = 32; o > 0; o /= 2)
  // CHECK-NEXT: v = fmaxf(v, lp::wave_xor(v, o));
  for (int o = warpSize / 2; o > 0; o /= 2)
    v = fmaxf(v, __shfl_xor_sync(FULL, v, o));
  if (lane == 0)
    part[wid] = v;
  __syncthreads();
  // CHECK: v = lane < blockDim.x / 64 ? part[lane] : -1e30f;
  v = lane < blockDim.x / warpSize ? part[lane] : -1e30f;
  // CHECK: if (tid < 64) {
  if (tid < 32) {
#pragma unroll
    // CHECK: for (int o = 32; o > 0; o /= 2)
    for (int o = 16; o > 0; o /= 2)
      v = fmaxf(v, __shfl_xor_sync(FULL, v, o));
  }
  if (tid == 0)
    out[blockIdx.x] = v;
}
// A sum for each warp is not one of a block.
// CHECK: v += lp::shfl_xor(v, o);
__global__ void rows(const float *in, float *out) {
  float v = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int o = 16; o > 0; o /= 2)
    v += __shfl_xor_sync(FULL, v, o);
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void everyone(const float *in, float *out) {
  __shared__ float part[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float v = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int o = 16; o > 0; o /= 2)
    v += __shfl_xor_sync(FULL, v, o);
  if (lane == 0)
    part[warp] = v;
  __syncthreads();
  v = lane < blockDim.x / 32 ? part[lane] : 0;
  for (int o = 16; o > 0; o /= 2)
    v += __shfl_xor_sync(FULL, v, o);
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void roots(const float *in, float *out) {
  __shared__ float part[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float v = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int o = 16; o > 0; o /= 2)
    v += __shfl_xor_sync(FULL, v, o);
  v = v * v;
  if (lane == 0)
    part[warp] = v;
  __syncthreads();
  v = lane < blockDim.x / 32 ? part[lane] : 0;
  if (warp == 0)
    for (int o = 16; o > 0; o /= 2)
      v += __shfl_xor_sync(FULL, v, o);
  if (threadIdx.x == 0)
    out[blockIdx.x] = v;
}
__global__ void laned(const float *in, float *out) {
  __shared__ float part[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float v = in[blockIdx.x * blockDim.x + lane];
  for (int o = 16; o > 0; o /= 2)
    v += __shfl_xor_sync(FULL, v, o);
  if (lane == 0)
    part[warp] = v;
  __syncthreads();
  v = lane < blockDim.x / 32 ? part[lane] : 0;
  if (warp == 0)
    for (int o = 16; o > 0; o /= 2)
      v += __shfl_xor_sync(FULL, v, o);
  if (threadIdx.x == 0)
    out[blockIdx.x] = v;
}
__global__ void some(const float *in, float *out, int n) {
  __shared__ float part[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x >= n)
    return;
  float v = in[threadIdx.x];
  for (int o = 16; o > 0; o /= 2)
    v += __shfl_xor_sync(FULL, v, o);
  if (lane == 0)
    part[warp] = v;
  __syncthreads();
  v = lane < blockDim.x / 32 ? part[lane] : 0;
  if (warp == 0)
    for (int o = 16; o > 0; o /= 2)
      v += __shfl_xor_sync(FULL, v, o);
  if (threadIdx.x == 0)
    out[blockIdx.x] = v;
}
void launches(const float *in, float *out, int n) {
  total<<<n, 256>>>(in, out, n);
  largest<<<n, 512>>>(in, out);
  rows<<<n, 64>>>(in, out);
  everyone<<<n, 64>>>(in, out);
  roots<<<n, 64>>>(in, out);
  laned<<<n, 64>>>(in, out);
  some<<<n, 64>>>(in, out, n);
}
