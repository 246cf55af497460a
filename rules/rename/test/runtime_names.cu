// Functions that HIP lacks come from the device runtime, under CUDA's name.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip 2>&1 | FileCheck %s --check-prefix=ERR
// RUN: FileCheck %s < %t.hip
// ERR: compiled: gfx90a yes gfx942 yes gfx950 yes host yes;
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void k(float4 *p, int *q, __nv_bfloat162 *b) {
  // CHECK: lp::stcs(&p[1], lp::ldcs(&p[0]));
  __stcs(&p[1], __ldcs(&p[0]));
  // CHECK: q[0] = lp::dp4a(q[1], q[2], lp::ldcg(&q[3]));
  q[0] = __dp4a(q[1], q[2], __ldcg(&q[3]));
  // CHECK: b[0] = lp::floats2bfloat162_rn(1.f, 2.f);
  b[0] = __floats2bfloat162_rn(1.f, 2.f);
  // CHECK: lp::atomicAdd_block(q, 1);
  atomicAdd_block(q, 1);
  // CHECK: if (lp::isShared(q)) lp::nanosleep(100);
  if (__isShared(q)) __nanosleep(100);
}
