// Every kind of shuffle with every type, with widths of a template, a parameter and the block, and the
// forms before Volta.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip --verify --launch %S/Inputs/types.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: not grep -E "^[^/]*__shfl" %t.hip
// REPORT-NOT: manual
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes host yes
// REPORT-NEXT: verify gfx90a: {{proved|tested}}: all outputs
// REPORT-NEXT: verify gfx942: {{proved|tested}}: all outputs
// REPORT-NEXT: verify gfx950: {{proved|tested}}: all outputs
#include <cuda_fp16.h>
#include <cuda_bf16.h>
template <typename T> __device__ T moves(T v, int lane, int w) {
  T a = __shfl_sync(0xffffffff, v, lane ^ 5);
  T b = __shfl_up_sync(0xffffffff, v, 3);
  T c = __shfl_down_sync(0xffffffff, v, 7);
  T d = __shfl_xor_sync(0xffffffff, v, 11);
  return a + b + c + d;
}
template <typename T> __global__ void all(T *out, const T *in, int w) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = moves(in[t], t % 32, w);
}
template __global__ void all<int>(int *, const int *, int);
template __global__ void all<float>(float *, const float *, int);
template __global__ void all<double>(double *, const double *, int);
template __global__ void all<long long>(long long *, const long long *, int);
template __global__ void all<unsigned long long>(unsigned long long *, const unsigned long long *, int);
template __global__ void all<__half>(__half *, const __half *, int);
template __global__ void all<__half2>(__half2 *, const __half2 *, int);
template __global__ void all<__nv_bfloat16>(__nv_bfloat16 *, const __nv_bfloat16 *, int);
template __global__ void all<__nv_bfloat162>(__nv_bfloat162 *, const __nv_bfloat162 *, int);
struct Pair { float key; int index; };
template <typename T> __device__ T shflAny(T v, int src) {
  T r;
  constexpr int n = sizeof(T) / 4;
  for (int i = 0; i < n; i++)
    reinterpret_cast<int *>(&r)[i] = __shfl_sync(~0u, reinterpret_cast<int *>(&v)[i], src);
  return r;
}
__global__ void structs(int *out, const float *in) {
  const int t = threadIdx.x;
  Pair p{in[t], t};
  Pair q = shflAny(p, (t * 7) % 32);
  out[2 * t] = q.index;
  out[2 * t + 1] = q.key > 0.5f;
}
template <int W> __device__ int groupSum(int v) {
  for (int o = W / 2; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffffu, v, o, W);
  return v;
}
__global__ void widths(int *out, const int *in, int w) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[t];
  int r = groupSum<4>(v) + 3 * groupSum<8>(v) + 5 * groupSum<16>(v) + 7 * groupSum<2>(v);
  r += 11 * __shfl_sync(~0u, v, 2, w);               // computed width
  r += 13 * __shfl_down_sync(~0u, v, 1, blockDim.y * 8); // width from the block
  r += 17 * __shfl_up_sync(~0u, v, w / 2, 16);
  out[t] = r;
}
// width is blockDim.x: groups of 8 by the block's shape (8, 8)
__global__ void byBlock(int *out, const int *in) {
  const int t = threadIdx.y * blockDim.x + threadIdx.x;
  int v = in[t];
  for (int o = blockDim.x / 2; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o, blockDim.x);
  if (threadIdx.x == 0) out[threadIdx.y] = v;
}
__global__ void old(int *out, const int *in, float *f) {
  const int t = threadIdx.x;
  int v = in[t];
  out[t] = __shfl(v, 3) + __shfl_up(v, 1) + __shfl_down(v, 2, 8) + __shfl_xor(v, 16) + (__ballot(v > 3) >> 4) + __any(v > 7) + __all(v < 9);
  f[t] = __shfl_xor((float)v, 1);
}
