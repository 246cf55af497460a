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

// Three ways to hand a value from block 0 to block 1 through memory.
__global__ void passesBetweenBlocks(const float *in, float *out, float *box, unsigned *flag,
                                    int how) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    box[t] = in[t];
    if (how > 1)
      __threadfence();
    __syncthreads();
    if (how > 0 && t == 0)
      atomicAdd(flag, 1u);
    return;
  }
  if (how > 0 && t == 0)
    while (atomicAdd(flag, 0u) == 0) {
    }
  __syncthreads();
  out[t] = box[t]; // reads another block's
}

// Every block writes the same place: the same value, or its own.
__global__ void writesTheSamePlace(float *out, int own) {
  out[threadIdx.x] = own ? float(blockIdx.x) : 7.f; // overwrites another block's
}

__global__ void passesBetweenWarps(const float *in, float *out, float *box, int sync) {
  const int t = threadIdx.x;
  box[t] = in[t];
  if (sync)
    __syncthreads();
  out[t] = box[t ^ 32]; // reads another warp's
}

// The ticket: the last block to finish adds up what all have written.
__global__ void addsUpLast(const float *in, float *out, float *sums, unsigned *ticket, int fence) {
  __shared__ bool last;
  sums[blockIdx.x * blockDim.x + threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x] * 2.f;
  if (fence)
    __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (!last)
    return;
  float sum = 0.f;
  for (int i = 0; i < gridDim.x; ++i)
    sum += sums[i * blockDim.x + threadIdx.x]; // reads all blocks'
  out[threadIdx.x] = sum;
}

// A counter in shared memory, with and without its barriers: the machine's order of warps
// would hide both mistakes.
__global__ void countsInSharedMemory(const float *in, float *out, int first, int second) {
  __shared__ unsigned count;
  if (threadIdx.x == 0)
    count = 0; // clears
  if (first)
    __syncthreads();
  if (in[threadIdx.x] < 2.f)
    atomicAdd(&count, 1u); // adds
  if (second)
    __syncthreads();
  if (threadIdx.x == blockDim.x - 1)
    out[0] = float(count); // reads the count
}

// One row too many: it lies in the array behind, or beyond what the launch gives.
__global__ void readsTheNextArray(const float *in, float *out, int rows) {
  __shared__ float a[4][32], b[4][32];
  extern __shared__ float c[];
  const int t = threadIdx.x;
  for (int r = 0; r < 4; ++r)
    a[r][t] = b[r][t] = in[t];
  c[t] = in[t]; // needs 128 bytes
  __syncwarp();
  out[t] = a[rows][t] * 0.f + b[0][t] + c[t]; // reads a row
}

// Lanes that a switch without a default has parted meet again behind it.
__global__ void meetsAfterASwitch(const float *in, float *out) {
  const int t = threadIdx.x;
  float x = in[t];
  switch (t & 3) {
  case 0:
    x = x * x;
    break;
  case 1:
    x = in[t ^ 1] - x;
    break;
  case 2:
    out[64 + t] = x;
    break;
  case 3:
    x = 1.f / x;
    break;
  default:
    __builtin_unreachable();
  }
  out[t] = x + __shfl_xor_sync(0xffffffffu, x, 1);
}
