// A float2 is handed over by value, as one word of 64 bits.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void pack(const float2 *from, __nv_bfloat162 *brain, half2 *half) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  brain[i] = __float22bfloat162_rn(from[i]);
  half[i] = __float22half2_rn(from[i]);
}
