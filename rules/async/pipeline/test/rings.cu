// Rings of a block and of each thread, and split arrivals.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip --verify --launch %S/Inputs/rings.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: not grep -E "^[^/]*cuda::" %t.hip
// REPORT-NOT: manual
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes host yes
// REPORT-NEXT: verify gfx90a: {{proved|tested}}: all outputs
// REPORT-NEXT: verify gfx942: {{proved|tested}}: all outputs
// REPORT-NEXT: verify gfx950: {{proved|tested}}: all outputs
#include <cuda/pipeline>
#include <cuda/barrier>
#include <cuda_pipeline.h>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void ring(float *out, const float *in, int steps) {
  __shared__ float s[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto b = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(b, &state);
  float acc = 0;
  pipe.producer_acquire();
  cuda::memcpy_async(b, s[0], in, sizeof(float) * 64, pipe);
  pipe.producer_commit();
  for (int i = 0; i < steps; i++) {
    if (i + 1 < steps) {
      pipe.producer_acquire();
      cuda::memcpy_async(b, s[(i + 1) & 1], in + (i + 1) * 64, cuda::aligned_size_t<16>(sizeof(float) * 64), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    acc = acc * 0.5f + s[i & 1][63 - threadIdx.x];
    pipe.consumer_release();
  }
  out[blockIdx.x * 64 + threadIdx.x] = acc;
}
__global__ void perThread(float *out, const float *in, int steps) {
  __shared__ float4 s[3][64];
  const int t = threadIdx.x;
  for (int i = 0; i < 2; i++) {
    __pipeline_memcpy_async(&s[i][t], in + (i * 64 + t) * 4, 16);
    __pipeline_commit();
  }
  float acc = 0;
  for (int i = 0; i < steps; i++) {
    if (i + 2 < steps) __pipeline_memcpy_async(&s[(i + 2) % 3][t], in + ((i + 2) * 64 + t) * 4, 16, 4);
    __pipeline_commit();
    __pipeline_wait_prior(2);
    __syncthreads();
    float4 v = s[i % 3][t ^ 1];
    acc += v.x + 2 * v.y + 3 * v.z + 4 * v.w;
    __syncthreads();
  }
  auto p = cuda::make_pipeline();
  p.producer_acquire();
  cuda::memcpy_async(&s[0][t], reinterpret_cast<const float4 *>(in) + t, sizeof(float4), p);
  p.producer_commit();
  cuda::pipeline_consumer_wait_prior<0>(p);
  acc += s[0][t].x;
  p.consumer_release();
  out[blockIdx.x * 64 + t] = acc;
}
__global__ void barriers(float *out, const float *in) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ float s[128];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  s[threadIdx.x] = in[threadIdx.x];
  auto token = bar.arrive();
  float x = in[threadIdx.x] * 2;
  bar.wait(std::move(token));
  x += s[127 - threadIdx.x];
  bar.arrive_and_wait();
  cuda::memcpy_async(s + threadIdx.x, in + 128 + threadIdx.x, sizeof(float), bar);
  bar.arrive_and_wait();
  out[threadIdx.x] = x + s[threadIdx.x ^ 64];
}
