// Every shuffle stays inside its 32-lane warp, whatever the type, mask and width.
// RUN: %layout-port %s -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: not grep -E "^[^/]*_sync" %t.hip
// RUN: %layout-port verify %s %t.hip --launch %S/Inputs/forms.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}{{proved|tested}}: all outputs
#include <cuda_fp16.h>
#define FULL_MASK 0xffffffff
#define SHFL_DOWN(v, n) __shfl_down_sync(FULL_MASK, v, n)
// CHECK: #define SHFL_DOWN(v, n) lp::shfl_down(v, n)
struct Pair { float value; int index; };

// CHECK: __device__ float sums(LP_MAYBE_UNDEF float v, int lane) {
__device__ float sums(float v, int lane) {
  // CHECK: v += lp::shfl_xor(v, 16);
  v += __shfl_xor_sync(0xffffffffu, v, 16);
  // CHECK: v += lp::shfl_xor(v, 2, 4);
  v += __shfl_xor_sync(~0u, v, 2, 4);
  // CHECK: v += lp::shfl_up(v, 1);
  v += __shfl_up_sync(__activemask(), v, 1);
  // CHECK: v += lp::shfl(lp::shfl(v, lane & 3), 0);
  v += __shfl_sync(FULL_MASK, __shfl_sync(FULL_MASK, v, lane & 3), 0);
  // CHECK: for (int o = 32 /* warpSize */ / 2; o > 0; o >>= 1) v += SHFL_DOWN(v, o);
  for (int o = warpSize / 2; o > 0; o >>= 1) v += SHFL_DOWN(v, o);
  return v;
}
__device__ __half2 halves(__half2 h) {
  // CHECK: return __hadd2(h, lp::shfl_xor(h, 1));
  return __hadd2(h, __shfl_xor_sync(FULL_MASK, h, 1));
}
// Only the source lane need have a value.
// CHECK: template <typename T> __device__ T bySource(LP_MAYBE_UNDEF T v, int src) {
template <typename T> __device__ T bySource(T v, int src) {
  // CHECK: return lp::shfl(v, src);
  return __shfl_sync(FULL_MASK, v, src);
}
__device__ __half2 instance(__half2 v) { return bySource(v, 3); }
// Where not all lanes take part, none is passed through.
__device__ int some(int v, unsigned mask) {
  // CHECK: return lp::shfl_xor_some(v, 5) + lp::shfl_xor_some(v, 6);
  return __shfl_xor_sync(mask, v, 5) + __shfl_xor_sync(0x0000ffffu, v, 6);
}
// The forms before Volta.
// CHECK: __device__ int old(LP_MAYBE_UNDEF int v, int n) {
__device__ int old(int v, int n) {
  // CHECK: return lp::shfl(v, n) + lp::shfl_down(v, 1, 8) + lp::shfl_xor_some(v, n, 32 /* warpSize */);
  return __shfl(v, n) + __shfl_down(v, 1, 8) + __shfl_xor(v, n, warpSize);
}
__global__ void shuffled(float *F, __half2 *H, int *I, const float *A, const __half2 *B,
                         const int *C) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  F[t] = sums(A[t], t & 31);
  H[t] = __hadd2(halves(B[t]), instance(B[t]));
  if ((t & 31) < 16)
    I[t] = some(C[t], 0xffffu);
}
