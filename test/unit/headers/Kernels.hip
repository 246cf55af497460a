// Device code over HIP's headers, as ported files write it.
#include <cassert>
#include <hip/hip_bf16.h>
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

namespace cg = cooperative_groups;

extern "C" __global__ void __launch_bounds__(256, 2) reals(float *f, double *d, int *n) {
  extern __shared__ float tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(i >= 0);
  tile[threadIdx.x] = f[i];
  __syncthreads();
  f[0] = expf(f[1]) + __expf(f[2]) + logf(f[3]) + sinf(f[4]) + tanhf(f[5]) + rsqrtf(f[6]) +
         powf(f[7], f[8]);
  f[1] = fmaxf(f[0], fminf(f[1], f[2])) + fabsf(f[3]) + sqrtf(f[4]) + fmaf(f[0], f[1], f[2]) +
         erff(f[3]);
  f[2] = std::max(f[0], 1.f) + std::min(f[1], 2.f) + std::abs(f[2]) + __fdividef(f[3], f[4]);
  f[3] = (float)exp(d[0]) + (float)sqrt(d[1]) + __int_as_float(n[0]);
  n[0] = __popc(n[1]) + __popcll(__ballot(n[2] > 0)) + __clz(n[3]) + __ffs(n[4]) +
         __float2int_rn(f[0]);
  n[1] = min(n[0], n[1]) + max(n[2], n[3]) + gridDim.x + blockDim.y + warpSize;
  atomicAdd(f, 1.f);
  atomicAdd(n, 1);
  atomicMax(n, 2);
  atomicCAS(n, 1, 2);
  __threadfence();
  if (isnan(f[0]) && __syncthreads_or(n[0]))
    printf("%f %d\n", f[0], n[0]);
}

__global__ void lanes(float *f, double *d, int *n) {
  for (int offset = 16; offset > 0; offset >>= 1)
    f[0] += __shfl_down(f[0], offset, 32);
  d[0] = __shfl_xor(d[0], 1, 32);
  n[0] = __shfl(n[0], 3, 32) + __shfl_up(n[1], 1) + __any(n[2]) + __all(n[3]);
  n[1] = __shfl_xor_sync(~0ull, n[1], 2, 32) + (int)__ballot_sync(~0ull, n[2]) + __lane_id();
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  f[1] = tile.shfl_down(f[2], 4) + tile.thread_rank();
  block.sync();
}

__global__ void smallFloats(__half *a, __half2 *p, __hip_bfloat16 *b, __hip_bfloat162 *q,
                            float *f) {
  __half h = __float2half(f[0]);
  a[0] = __hfma(h, a[1], a[2]) + a[3] * hexp(a[4]);
  p[0] = __hfma2(p[1], __floats2half2_rn(f[0], f[1]), __half2half2(h));
  f[2] = __half2float(a[0]) + __low2float(p[0]) + __half22float2(p[1]).y;
  b[0] = __float2bfloat16(f[3]) + b[1] * b[2];
  q[0] = __hmul2(q[1], __halves2bfloat162(b[0], b[1]));
  f[3] = __bfloat162float(b[0]);
  float4 v = make_float4(1, 2, 3, 4);
  *(float4 *)f = v + *(float4 *)f;
}

__global__ void matrix(float *out) {
  typedef _Float16 half4 __attribute__((ext_vector_type(4)));
  typedef float float4v __attribute__((ext_vector_type(4)));
  half4 a = {1, 2, 3, 4}, b = {1, 0, 0, 0};
  float4v c = {};
  c = __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0);
  out[threadIdx.x] = c[0];
}
