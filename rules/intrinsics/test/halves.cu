// Conversions, minima and rounded sums of half and bfloat16 that HIP lacks.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void halves(__nv_bfloat162 *d, const __nv_bfloat162 *a, __half2 *h, const float *f, int *n) {
  const int t = threadIdx.x;
  // CHECK: d[0] = lp::floats2bfloat162_rn(f[t], f[t + 1]);
  d[0] = __floats2bfloat162_rn(f[t], f[t + 1]);
  // CHECK: d[1] = lp::float2bfloat162_rn(f[t]);
  d[1] = __float2bfloat162_rn(f[t]);
  // CHECK: d[2] = lp::hmax2(a[t], a[t + 1]);
  d[2] = __hmax2(a[t], a[t + 1]);
  // CHECK: h[0] = lp::hmin2(h[t], h[t + 1]);
  h[0] = __hmin2(h[t], h[t + 1]);
  // CHECK: h[1] = lp::hmax2_nan(h[t], h[t + 1]);
  h[1] = __hmax2_nan(h[t], h[t + 1]);
  // CHECK: h[2] = lp::hadd2_rn(h[t], h[t + 1]);
  h[2] = __hadd2_rn(h[t], h[t + 1]);
  // CHECK: n[0] = lp::bfloat162int_rn(a[t].x);
  n[0] = __bfloat162int_rn(a[t].x);
  // CHECK: d[3].x = lp::int2bfloat16_rn(n[1]);
  d[3].x = __int2bfloat16_rn(n[1]);
}
