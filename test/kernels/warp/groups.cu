// Cooperative groups: tiles of every size, nested and of a run-time size, coalesced
// threads, partitions, reductions, scans, asynchronous copies.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

template <unsigned n> __device__ void tile(const cg::thread_block &block, int v, int *o) {
  auto t = cg::tiled_partition<n>(block);
  o[0] = t.thread_rank() + 100 * t.meta_group_rank() + 10000 * t.meta_group_size();
  o[1] = t.shfl(v, n - 1) + t.shfl(v, v & (n - 1)) * 3;
  o[2] = t.shfl_up(v, 1) + t.shfl_down(v, n / 2) * 3 + t.shfl_xor(v, n / 2) * 5;
  o[3] = t.ballot(v & 1) + t.any(v > 50) + t.all(v > -50) * 2;
  int same = 0;
  o[4] = t.match_any(v & 3) + t.match_all(v < 1000, same) + same;
  o[5] = cg::reduce(t, v, cg::plus<int>()) + 7 * cg::reduce(t, v, cg::greater<int>());
  o[6] = cg::inclusive_scan(t, v) + 3 * cg::exclusive_scan(t, v, cg::plus<int>());
  o[7] = cg::reduce(t, v > 3, cg::plus<int>()) * 100 + cg::reduce(t, v, cg::bit_xor<int>()) + cg::reduce(t, v, cg::less<int>{});
  t.sync();
}

__global__ void tiles(const int *in, int *out) {
  const cg::thread_block block = cg::this_thread_block();
  const int t = block.group_index().x * block.size() + block.thread_rank();
  int *o = out + t * 48;
  tile<1>(block, in[t], o);
  tile<2>(block, in[t], o + 8);
  tile<4>(block, in[t], o + 16);
  tile<8>(block, in[t], o + 24);
  tile<16>(block, in[t], o + 32);
  tile<32>(block, in[t], o + 40);
}

__device__ int sum(cg::thread_group g, int *shared, int v) {
  const int rank = g.thread_rank();
  for (int i = g.size() / 2; i > 0; i /= 2) {
    shared[rank] = v;
    g.sync();
    if (rank < i)
      v += shared[rank + i];
    g.sync();
  }
  return rank == 0 ? v : -1;
}

__global__ void nested(const int *in, int *out, int size) {
  __shared__ int shared[64];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  auto quad = cg::tiled_partition<4>(warp);
  int *o = out + t * 8;
  o[0] = quad.meta_group_rank() + 10 * quad.meta_group_size() + cg::reduce(quad, in[t], cg::plus<int>());
  o[1] = sum(block, shared, in[t]);
  cg::thread_group dynamic = cg::tiled_partition(block, size);
  o[2] = sum(dynamic, shared + threadIdx.x / size * size, in[t]);
  auto odd = cg::binary_partition(warp, in[t] & 1);
  o[3] = cg::reduce(odd, in[t], cg::plus<int>());
  auto label = cg::labeled_partition(warp, in[t] & 3);
  o[4] = label.thread_rank() + 100 * label.size() + label.ballot(in[t] & 4);
  if (in[t] > 0) {
    cg::coalesced_group g = cg::coalesced_threads();
    o[5] = g.size() + g.thread_rank() * 100 + g.shfl(in[t], 0);
    o[6] = g.shfl_up(in[t], 1) + g.shfl_down(in[t], 2) + g.any(in[t] > 90) + g.all(in[t] > 2);
    o[7] = cg::inclusive_scan(g, in[t]);
  }
}

// Warp-aggregated increments, a filter.
__device__ int next(int *counter) {
  cg::coalesced_group active = cg::coalesced_threads();
  int first; // only the first thread has one
  if (active.thread_rank() == 0)
    first = atomicAdd(counter, active.size());
  return active.shfl(first, 0) + active.thread_rank();
}
__global__ void filter(const int *in, int *counter, int *sum, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n && in[t] > 0)
    atomicAdd(sum, next(counter) * 2 + in[t]);
}

__global__ void staged(const float *in, float *out, int count) {
  extern __shared__ float stage[];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, stage, in + blockIdx.x * count, sizeof(float) * count);
  cg::wait(block);
  for (int i = block.thread_rank(); i < count; i += block.size())
    out[blockIdx.x * count + i] = stage[count - 1 - i];
}
