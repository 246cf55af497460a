// Inclusive sums: by shuffles within a warp, ballots find the flags, the last warp's total
// goes through shared memory.
#include <hip/hip_runtime.h>

#include "layout_port_runtime.h"

__device__ unsigned laneId() {
  unsigned id;
  id = lp::laneid();
  return id;
}

__global__ void scan(const int *in, int *out, unsigned *flags, int n) {
  __shared__ int sums[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lane = laneId(), warp = threadIdx.x >> 5;
  int value = i < n ? in[i] : 0;
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    const int other = lp::scan_step(value, d, 0);
    if (lane >= d)
      value += other;
  }
  if (lane == 31)
    sums[warp] = value;
  __syncthreads();
  if (warp == 0) {
    const unsigned active = lp::ballot_sync(~0u, lane < blockDim.x / 32);
    int total = active >> lane & 1 ? sums[lane] : 0;
    for (int d = 1; d < 32; d *= 2) {
      int other = lp::scan_step(total, d, 0);
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
  do { bool ptx_p; ptx_p = (unsigned)(value & 1) != 0u; odd = lp::ballot_sync(0xffffffffu, ptx_p); before = lp::lanemask_lt(); } while (0);
  flags[i] = __popc(odd & before);
}
