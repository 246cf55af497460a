// Arms that ask for AMD are another port's, for warps of 64: the output leaves them out, as nvcc does.
// RUN: %layout-port %s -o %t.hip --target gfx90a,gfx942,gfx950 --verify --launch %S/Inputs/hip_guards.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: %ported %t.hip | FileCheck %s
// RUN: %layout-port %t.hip --check
// RUN: %layout-port %s -o %t.rocm.hip -- -DUSE_ROCM
// RUN: grep -x '#ifdef USE_ROCM' %t.rocm.hip
// REPORT: rename {{.*}} undefined as the source was read: hipcc defines it
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes host yes
// REPORT: verify gfx90a: proved
// REPORT: verify gfx942: proved
// REPORT: verify gfx950: proved
#include <cuda_runtime.h>
// CHECK: #ifdef LP_UNDEFINED /* __HIP_PLATFORM_AMD__ */
#ifdef __HIP_PLATFORM_AMD__
#define WARP 64
#else
#define WARP 32
#endif
// CHECK: #if defined(LP_UNDEFINED /* __HIPCC__ */) || (defined __HIPCC__ && LP_UNDEFINED /* HIP_VERSION */ >= 50200)
#if defined(__HIPCC__) || (defined __CUDACC__ && HIP_VERSION >= 50200)
__device__ float down(float x, int d) { return 2 * __shfl_down_sync(~0u, x, d); }
#else
__device__ float down(float x, int d) { return __shfl_down_sync(~0u, x, d); }
#endif
// CHECK: #ifdef LP_UNDEFINED /* USE_ROCM */
#ifdef USE_ROCM
#define SCALE 2
#else
#define SCALE 1
#endif
#define __AMDGCN__ 1
// CHECK: #if __AMDGCN__ == 1
#if __AMDGCN__ == 1
__global__ void sums(const float *x, float *out) {
  float v = x[threadIdx.x] * SCALE;
  for (int i = WARP / 2; i > 0; i /= 2)
    v += down(v, i);
  if (threadIdx.x % WARP == 0)
    out[threadIdx.x / WARP] = v;
}
#endif
