// cooperative groups: nested partitions, partitions of partitions, coalesced groups, scans.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

__global__ void nests(const int *in, int *out) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  auto half = cg::tiled_partition<16>(warp);
  auto eight = cg::tiled_partition<8>(half);
  auto two = cg::tiled_partition<2>(eight);
  const int t = block.thread_rank() + blockIdx.x * block.num_threads();
  int v = in[t];
  int r = half.meta_group_rank() * 3 + half.meta_group_size() * 5 + eight.meta_group_rank() * 7 +
          eight.meta_group_size() * 11 + two.meta_group_rank() * 13 + two.meta_group_size() * 17 +
          warp.meta_group_rank() * 19 + warp.meta_group_size() * 23;
  r += cg::reduce(two, v, cg::plus<int>()) + cg::reduce(eight, v, cg::less<int>()) * 3;
  r ^= cg::inclusive_scan(half, v) * 5 + cg::exclusive_scan(eight, v);
  r += cg::inclusive_scan(warp, v, cg::greater<int>());
  r += cg::exclusive_scan(warp, v, cg::bit_or<int>()) * 3;
  r += cg::reduce(warp, v, [](int a, int b) { return a > b ? a : b; });
  out[t] = r + warp.num_threads() + half.size();
}
__global__ void parts(const int *in, int *out) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[t], r = 0;
  auto label = cg::labeled_partition(warp, v % 5);
  r += label.meta_group_rank() + 10 * label.meta_group_size() + 100 * label.thread_rank() +
       1000 * label.size();
  r += cg::reduce(label, v, cg::plus<int>());
  r += cg::inclusive_scan(label, v, cg::plus<int>()) * 3;
  r += cg::exclusive_scan(label, v) * 7;
  auto bin = cg::binary_partition(label, v & 16);
  r += bin.size() * 11 + bin.thread_rank() * 13;
  r += bin.shfl(v, bin.size() - 1) + bin.any(v > 30) + bin.all(v > 30) * 2;
  if (v % 3 == 0) {
    auto co = cg::coalesced_threads();
    r += co.thread_rank() * 3 + co.num_threads() * 5 + co.ballot(v & 1) + co.match_any(v & 3);
    auto sub = cg::binary_partition(co, v & 4);
    r += cg::reduce(sub, v, cg::plus<int>()) + sub.meta_group_rank();
    auto dyn = cg::tiled_partition(co, 4);
    r += dyn.thread_rank() + 7 * dyn.size();
    r += co.shfl_up(v, 2) * 3 + co.shfl_down(v, 1) + co.shfl(v, co.size() / 2);
    co.sync();
  } else if (warp.thread_rank() > 7) {
    auto co = cg::coalesced_threads();
    int pred = 0;
    r += co.match_all(v > 0, pred) + pred;
    r += cg::exclusive_scan(co, v, cg::plus<int>());
    r += cg::reduce(co, v, cg::greater<int>());
  }
  out[t] = r;
}
__global__ void mixed(const int *in, int *out, int size) {
  auto block = cg::this_thread_block();
  const int t = blockIdx.x * block.size() + block.thread_rank();
  auto tile = cg::tiled_partition(block, size);
  int r = tile.thread_rank() + 10 * tile.size();
  tile.sync();
  auto idx = block.thread_index();
  auto dim = block.group_dim();
  auto gi = block.group_index();
  r += idx.x + idx.y * 3 + dim.x * 5 + dim.y * 7 + gi.x * 11;
  auto t4 = cg::tiled_partition<4, cg::thread_block>(block);
  r += t4.shfl_xor(in[t], 3) + t4.meta_group_rank();
  cg::thread_block_tile<8> t8 = cg::tiled_partition<8>(block);
  float f = in[t] * 0.5f;
  f = cg::reduce(t8, f, cg::plus<float>());
  double d = cg::reduce(t8, (double)in[t], cg::less<double>());
  long long l = cg::inclusive_scan(t8, (long long)in[t] << 33, cg::plus<long long>());
  unsigned u = cg::reduce(t8, (unsigned)in[t], cg::bit_and<unsigned>());
  out[t] = r + (int)f + (int)d + (int)(l >> 30) + u;
  if (t8.thread_rank() == 0)
    out[t] += 1;
  cg::sync(t8);
  auto g = cg::this_grid();
  out[t] += g.thread_rank() + g.size();
}
