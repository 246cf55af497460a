// Tiles of every size, nested and of a size at run time, coalesced, labeled and binary groups; all that
// they can do.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip --verify --launch %S/Inputs/all.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: not grep -E "^[^/]*cooperative_groups" %t.hip
// REPORT-NOT: manual
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes host yes
// REPORT-NEXT: verify gfx90a: {{proved|tested}}: all outputs
// REPORT-NEXT: verify gfx942: {{proved|tested}}: all outputs
// REPORT-NEXT: verify gfx950: {{proved|tested}}: all outputs
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
template <int n> __device__ int tiles(const cg::thread_block &b, int v) {
  auto t = cg::tiled_partition<n>(b);
  int r = t.shfl(v, 0) + 3 * t.shfl_xor(v, n / 2) + t.shfl_up(v, 1) * 5 + t.shfl_down(v, 1) * 7;
  r += t.any(v > 5) + 2 * t.all(v < 100) + t.ballot(v & 1);
  r += t.match_any(v & 1) + t.thread_rank() + t.size() + t.num_threads() + t.meta_group_rank() * 11 + t.meta_group_size() * 13;
  int p = 0;
  r += t.match_all(v >> 20, p);
  r += cg::reduce(t, v, cg::plus<int>()) + cg::reduce(t, v, cg::greater<int>()) + cg::reduce(t, v, cg::less<int>());
  r += cg::reduce(t, v, cg::bit_xor<int>()) + cg::reduce(t, v, cg::bit_and<int>()) + cg::reduce(t, v, cg::bit_or<int>());
  r += cg::inclusive_scan(t, v, cg::plus<int>()) * 3 + cg::exclusive_scan(t, v, cg::plus<int>());
  t.sync();
  return r;
}
__global__ void staticTiles(int *out, const int *in) {
  auto b = cg::this_thread_block();
  const int v = in[b.thread_rank() + blockIdx.x * b.size()] & 63;
  int r = tiles<32>(b, v) ^ tiles<16>(b, v) ^ tiles<8>(b, v) ^ tiles<4>(b, v) ^ tiles<2>(b, v);
  auto one = cg::tiled_partition<1>(b);
  r += cg::reduce(one, v, cg::plus<int>()) + one.thread_rank();
  // nested
  auto w = cg::tiled_partition<32>(b);
  auto q = cg::tiled_partition<4>(w);
  r += cg::reduce(q, v, cg::plus<int>()) * 17 + q.meta_group_rank();
  // dynamic
  cg::thread_group g = cg::tiled_partition(b, 16);
  g.sync();
  r += g.thread_rank() + g.size();
  // user lambda
  r += cg::reduce(w, v, [](int a, int c) { return a > c ? a : c; });
  b.sync();
  out[b.thread_rank() + blockIdx.x * b.size()] = r + b.group_index().x + b.thread_index().x;
}
__global__ void coalesced(int *out, const int *in) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = in[t] & 63;
  int r = 0;
  if (v & 1) {
    auto g = cg::coalesced_threads();
    r = g.size() * 100 + g.thread_rank() + g.shfl(v, 0) + g.ballot(v > 30) + g.any(v > 60);
    r += cg::reduce(g, v, cg::plus<int>());
    r += cg::inclusive_scan(g, v, cg::plus<int>());
    r += cg::exclusive_scan(g, v);
    r += g.shfl_up(v, 1) + g.shfl_down(v, 1);
  }
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  auto lab = cg::labeled_partition(tile, v & 3);
  r += lab.size() * 7 + lab.thread_rank() + cg::reduce(lab, v, cg::plus<int>()) + lab.meta_group_rank() + lab.meta_group_size();
  auto bin = cg::binary_partition(tile, v > 20);
  r += bin.size() * 3 + bin.num_threads() + cg::reduce(bin, v, cg::less<int>()) + bin.meta_group_size();
  out[t] = r;
}
__global__ void floats(float *out, const float *in) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = in[t];
  float s = cg::reduce(tile, v, cg::plus<float>());
  float m = cg::reduce(tile, v, cg::greater<float>());
  double d = cg::reduce(tile, (double)v, cg::plus<double>());
  out[t] = v / s + m + (float)d + cg::inclusive_scan(tile, v, cg::plus<float>());
}
__global__ void copies(float *out, const float *in, int n) {
  __shared__ float s[256];
  auto b = cg::this_thread_block();
  cg::memcpy_async(b, s, in + blockIdx.x * 128, sizeof(float) * 128);
  cg::wait(b);
  auto tile = cg::tiled_partition<32>(b);
  cg::memcpy_async(tile, s + 128 + tile.meta_group_rank() * 32, in + tile.meta_group_rank() * 32, sizeof(float) * 32);
  cg::wait_prior<0>(tile);
  b.sync();
  out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x] + s[128 + (threadIdx.x ^ 5)];
}
