// Reads what an asynchronous copy may not have brought yet: one group is left to come.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void early(const float4 *X, float *Y) {
  __shared__ float4 s[64];
  const uint32_t to = (uint32_t)__cvta_generic_to_shared(&s[threadIdx.x]);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(X + threadIdx.x));
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group 1;");
  __syncthreads();
  const float4 x = s[threadIdx.x ^ 1];
  Y[threadIdx.x] = x.x + x.y + x.z + x.w;
}
