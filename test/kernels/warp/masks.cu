// Masks of a warp: votes, matches, reductions over masks, leaders, aggregated
// atomics, partial masks and sub-warp groups, in blocks of all shapes.
__device__ int linear() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

__global__ void votes(const int *in, unsigned *out) {
  const int t = linear(), all = blockDim.x * blockDim.y * blockDim.z;
  const int v = in[blockIdx.x * all + t];
  unsigned *o = out + (blockIdx.x * all + t) * 8;
  const unsigned odd = __ballot_sync(0xffffffffu, v & 1);
  o[0] = odd;
  o[1] = __any_sync(0xffffffffu, v > 95) | __all_sync(0xffffffffu, v > -95) << 1;
  o[2] = __match_any_sync(0xffffffffu, v & 3);
  int same = 0;
  o[3] = __match_all_sync(0xffffffffu, v >> 31, &same) + same;
  o[4] = __popc(odd) | __ffs(odd) << 8 | __clz(odd) << 16;
  o[5] = __fns(odd, 0, 3);
  if (v & 1) {
    o[6] = __ballot_sync(odd, v & 2);
    o[7] = __activemask();
  }
}

// Odd lanes and even lanes reduce among themselves, in either arm of a branch.
__global__ void groups(const int *in, unsigned *out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = in[t];
  unsigned *o = out + t * 8;
  o[0] = __reduce_add_sync(0xffffffffu, unsigned(v)) + __reduce_add_sync(0xffffffffu, v > 3);
  o[1] = __reduce_min_sync(0xffffffffu, v);
  o[2] = __reduce_max_sync(0xffffffffu, unsigned(v)) + __reduce_min_sync(~0u, (signed char)v);
  o[3] = __reduce_xor_sync(0xffffffffu, unsigned(v));
  const unsigned mine = __ballot_sync(0xffffffffu, v & 1);
  if (v & 1) {
    o[4] = __reduce_add_sync(mine, v);
    o[5] = __reduce_and_sync(mine, unsigned(v));
    o[6] = __match_any_sync(mine, v >> 4);
    __syncwarp(mine);
    o[7] = __shfl_sync(mine, v, __ffs(mine) - 1);
  } else {
    o[4] = __reduce_max_sync(~mine, v);
    o[5] = __reduce_or_sync(~mine, unsigned(v));
    o[6] = __all_sync(~mine, v > 0);
    o[7] = __any_sync(~mine, v > 0);
  }
}

// One atomic a warp; the leader hands out places.
__device__ int place(int *counter) {
  const unsigned active = __activemask();
  const int leader = __ffs(active) - 1, lane = linear() % warpSize;
  int base; // only the leader has one
  if (lane == leader)
    base = atomicAdd(counter, __popc(active));
  return __shfl_sync(active, base, leader) + __popc(active & ((1u << lane) - 1));
}
__global__ void compact(const int *in, int *counter, int *sum, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n && in[t] > 0)
    atomicAdd(sum, place(counter) + in[t]);
}

// Lanes 0, 5, 10 and 15 of each half warp alone: an exchange must not pass through
// lanes that are not here.
__global__ void some(const int *in, int *out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 16 % 5 == 0) {
    const unsigned mask = 0x84218421u;
    out[t * 2] = __shfl_xor_sync(mask, in[t], 15);
    out[t * 2 + 1] = __shfl_sync(mask, in[t], 10);
  }
  if (threadIdx.x % 8 % 5 == 0)
    out[t * 2 + 1] += __shfl_xor_sync(0x21212121u, in[t], 5);
}

// What the leader alone has, through a function, in two steps and as a struct.
struct Ticket {
  int first;
  short count;
};
__device__ int fromLeader(int v, int leader) { return __shfl_sync(0xffffffffu, v, leader); }
__global__ void leaders(const int *in, int *counters, int *out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const int leader = threadIdx.x / 32 * 5 + 3;
  int base, other;
  Ticket ticket;
  if (lane == 0) {
    base = atomicAdd(counters + t / 32, 32);
    ticket.first = in[t] * 3;
    ticket.count = short(in[t]);
  }
  if (lane == leader)
    other = in[t];
  base = __shfl_sync(0xffffffffu, base, 0);
  out[t * 4] = base + lane;
  out[t * 4 + 1] = fromLeader(other, leader) + in[t];
  out[t * 4 + 2] = __shfl_sync(0xffffffffu, ticket.first, 0) - in[t];
  out[t * 4 + 3] = __shfl_sync(0xffffffffu, ticket.count, 0) ^ lane;
}
