// Pipelines of a thread and of a block, the primitives, a barrier that all warps meet at.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
constexpr int tile = 128;

__global__ void primitives(const float *in, float *out, int tiles) {
  __shared__ alignas(16) float stage[2][tile];
  const int t = threadIdx.x;
  in += blockIdx.x * tiles * tile;
  out += blockIdx.x * tiles * tile;
  if (t < tile / 4)
    __pipeline_memcpy_async(&stage[0][t * 4], in + t * 4, 16);
  __pipeline_commit();
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles && t < tile / 4)
      __pipeline_memcpy_async(&stage[(i + 1) % 2][t * 4], in + (i + 1) * tile + t * 4, 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int k = t; k < tile; k += blockDim.x)
      out[i * tile + k] = stage[i % 2][tile - 1 - k] * 2.f;
    __syncthreads();
  }
}

__global__ void ownPipeline(const float *in, float *out) {
  __shared__ alignas(16) float stage[tile];
  const int t = threadIdx.x, at = blockIdx.x * tile;
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  for (int k = t; k < tile; k += blockDim.x)
    cuda::memcpy_async(&stage[k], &in[at + k], sizeof(float), pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  __syncthreads();
  for (int k = t; k < tile; k += blockDim.x)
    out[at + k] = stage[k ^ 37];
  pipe.consumer_release();
}

__global__ void barriers(const float *in, float *out, int rounds) {
  __shared__ float stage[tile];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  const int t = threadIdx.x, at = blockIdx.x * tile;
  if (t == 0)
    init(&bar, blockDim.x);
  __syncthreads();
  float sum = in[at + t];
  for (int i = 0; i < rounds; ++i) {
    stage[t] = sum;
    auto token = bar.arrive();
    sum += 1.f;
    bar.wait(token);
    sum += stage[(t + 33) % tile];
    bar.arrive_and_wait();
  }
  out[at + t] = sum;
}

// Two stages of a pipeline of the whole block, filled ahead.
__global__ void blockPipeline(const float *in, float *out, int batches) {
  extern __shared__ float stages[];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  const int n = blockDim.x;
  in += blockIdx.x * batches * n;
  out += blockIdx.x * batches * n;
  for (int now = 0, next = 0; now < batches; ++now) {
    for (; next < batches && next < now + 2; ++next) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stages + next % 2 * n, in + next * n, sizeof(float) * n, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    out[now * n + threadIdx.x] = stages[now % 2 * n + (threadIdx.x ^ 21)];
    pipe.consumer_release();
  }
}

// A copy that a barrier waits for.
__global__ void copiedBarrier(const float *in, float *out, int rounds) {
  extern __shared__ float stage[];
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ barrier bar;
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0)
    init(&bar, block.size());
  block.sync();
  const int n = block.size(), t = block.thread_rank();
  for (int i = 0; i < rounds; ++i) {
    cuda::memcpy_async(block, stage, in + (blockIdx.x * rounds + i) * n,
                       cuda::aligned_size_t<4>(sizeof(float) * n), bar);
    bar.arrive_and_wait();
    out[(blockIdx.x * rounds + i) * n + t] = stage[n - 1 - t] * 3.f;
    barrier::arrival_token token = bar.arrive();
    bar.wait(static_cast<barrier::arrival_token &&>(token));
  }
}
