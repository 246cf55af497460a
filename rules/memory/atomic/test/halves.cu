// Atomics on 16 bits and on types that HIP's functions do not take.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: not grep -E "^ *asm" %t.hip
// RUN: %layout-port verify %s %t.hip --launch %S/Inputs/halves.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}{{tested|proved}}: all outputs
#include <cuda_bf16.h>
#include <cuda_fp16.h>
// In a template the function is that of all its instantiations.
template <class T> __device__ void add(T *p, T x) {
  // CHECK: lp::atomicAdd(p, x);
  atomicAdd(p, x);
}
__global__ void functions(__half *H, __nv_bfloat16 *B, __half2 *H2, __nv_bfloat162 *B2, unsigned short *S, float *F) {
  const int t = threadIdx.x;
  const __half h = __float2half(t);
  const __nv_bfloat16 b = __float2bfloat16(t);
  // CHECK: lp::atomicAdd(H + t % 3, h);
  atomicAdd(H + t % 3, h);
  // CHECK: lp::atomicAdd(&B[t % 5], b);
  atomicAdd(&B[t % 5], b);
  // CHECK: lp::atomicAdd(H2 + t % 3, __half2half2(h));
  atomicAdd(H2 + t % 3, __half2half2(h));
  // CHECK: lp::atomicAdd(B2 + t % 3, {{.*}});
  atomicAdd(B2 + t % 3, __bfloat162bfloat162(b));
  // CHECK: lp::atomicCAS(S + t, (unsigned short)t, (unsigned short)7);
  atomicCAS(S + t, (unsigned short)t, (unsigned short)7);
  add(F, 1.0f);
  add(H + 3, h);
  // HIP's own.
  // CHECK: {{^}}  atomicAdd(F + 1, 2.0f);
  atomicAdd(F + 1, 2.0f);
}
__global__ void ptx(__half *H, __nv_bfloat16 *B, unsigned short *S, unsigned short *O) {
  __shared__ __half sums[4];
  const int t = threadIdx.x;
  if (t < 4)
    sums[t] = __float2half(0);
  __syncthreads();
  const unsigned short h = __half_as_ushort(__float2half(t)), b = __bfloat16_as_ushort(__float2bfloat16(t));
  unsigned short old;
  // CHECK: old = lp::atomic_add_16<_Float16, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT>(lp::generic_at<unsigned>(H + t), (unsigned short)h);
  asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(H + t), "h"(h) : "memory");
  O[t] = old;
  // CHECK: (void)lp::atomic_add_16<__bf16, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT>(lp::global_at<unsigned>(B + t % 3), (unsigned short)b);
  asm volatile("red.relaxed.gpu.global.add.noftz.bf16 [%0], %1;" ::"l"(B + t % 3), "h"(b) : "memory");
  // CHECK: old = lp::atomic_cas_16<__ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT>(lp::global_at<unsigned>(S + t), {{.*}});
  asm volatile("atom.global.cas.b16 %0, [%1], %2, %3;" : "=h"(old) : "l"(S + t), "h"((unsigned short)t), "h"((unsigned short)9) : "memory");
  O[t + 32] = old;
  // CHECK: (void)lp::atomic_add_16<_Float16, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT>(lp::lds_at<unsigned>({{.*}}), (unsigned short)h);
  asm volatile("red.shared.add.noftz.f16 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(sums + t % 4)), "h"(h) : "memory");
  __syncthreads();
  O[t + 64] = __half_as_ushort(sums[t & 3]);
}
