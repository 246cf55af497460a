// Small kernels with one mistake each, for test/unit/verify_observe: line numbers are
// found by the comments at their ends.
#include <cuda_runtime.h>
#include <cstdint>

__global__ void passesThroughSharedMemory(const float *in, float *out, int sync, int other) {
  __shared__ float tile[64];
  const int t = threadIdx.x;
  tile[t] = in[t];
  if (sync == 1)
    __syncwarp();
  if (sync == 2)
    __syncthreads();
  out[t] = tile[t ^ other]; // reads
}

__global__ void overwritesWhatIsRead(const float *in, float *out, int sync) {
  __shared__ float tile[32];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  const float x = tile[t ^ 1];
  if (sync)
    __syncwarp();
  tile[t] = x + 1.f; // overwrites
  out[t] = x;
}

__global__ void storesToOnePlace(float *out, int apart) {
  out[threadIdx.x * apart] = float(threadIdx.x); // conflicts
}

__global__ void copiesAsynchronously(const float *in, float *out, int sync) {
  __shared__ __align__(16) float tile[128];
  const int t = threadIdx.x;
  const uint32_t to = uint32_t(__cvta_generic_to_shared(&tile[4 * t]));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + 4 * t));
  asm volatile("cp.async.commit_group;");
  if (sync > 0)
    asm volatile("cp.async.wait_group 0;");
  if (sync > 1)
    __syncwarp();
  out[t] = tile[4 * (t ^ 1)]; // reads too early
}

// Two steps: the first through shared memory.
__global__ void twoSteps(const float *in, float *out, float factor, int other) {
  __shared__ float tile[64];
  const int t = threadIdx.x;
  tile[t] = in[blockIdx.x * 64 + t] * factor; // first step
  __syncthreads();
  out[blockIdx.x * 64 + t] = tile[t ^ other] + tile[t] * 3.f; // second step
}
