// Inclusive sums: by shuffles within a warp, ballots find the flags, the last warp's total
// goes through shared memory.
#include <cuda_runtime.h>

__device__ unsigned laneId() {
  unsigned id;
  asm("mov.u32 %0, %%laneid;" : "=r"(id));
  return id;
}

__global__ void scan(const int *in, int *out, unsigned *flags, int n) {
  __shared__ int sums[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lane = laneId(), warp = threadIdx.x >> 5;
  int value = i < n ? in[i] : 0;
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    const int other = __shfl_up_sync(0xffffffff, value, d);
    if (lane >= d)
      value += other;
  }
  if (lane == 31)
    sums[warp] = value;
  __syncthreads();
  if (warp == 0) {
    const unsigned active = __ballot_sync(~0u, lane < blockDim.x / 32);
    int total = active >> lane & 1 ? sums[lane] : 0;
    for (int d = 1; d < 32; d *= 2) {
      int other = __shfl_up_sync(0xffffffffu, total, d, 32);
      total += lane >= d ? other : 0;
    }
    if (lane < blockDim.x / 32)
      sums[lane] = total;
  }
  __syncthreads();
  if (warp > 0)
    value += sums[warp - 1];
  if (i < n)
    out[i] = value;
  unsigned odd, before;
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; "
               "mov.u32 %1, %%lanemask_lt; }"
               : "=r"(odd), "=r"(before)
               : "r"(value & 1));
  flags[i] = __popc(odd & before);
}
