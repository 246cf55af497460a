// Everything that a warp does, where the other warp of its wave has left, is in another arm or makes other
// trips, and where the last warp of a block has 16 threads.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip --verify --launch %S/Inputs/missing.yaml 2>&1 | FileCheck %s
// CHECK-NOT: manual
// CHECK: compiled: gfx90a yes gfx942 yes gfx950 yes host yes
// CHECK-NEXT: verify gfx90a: tested: all outputs
// CHECK-NEXT: verify gfx942: tested: all outputs
// CHECK-NEXT: verify gfx950: tested: all outputs
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__device__ int work(int v, int lane, int n) {
  int r = 0, a = v;
  for (int k = 16; k; k >>= 1) a += __shfl_xor_sync(~0u, a, k);
  r += a;
  a = v;
  for (int k = 16; k; k >>= 1) a = max(a, __shfl_down_sync(~0u, a, k));
  if (lane == 0) r += a;
  a = v;
  for (int k = 1; k < 32; k <<= 1) { int o = __shfl_up_sync(~0u, a, k); if (lane >= k) a += o; }
  r ^= a * 3;
  float f = v;
  for (int k = 16; k; k >>= 1) f += __shfl_xor_sync(~0u, f, k);
  r += (int)f;
  float g = v;
  for (int k = 1; k < 32; k <<= 1) { float o = __shfl_up_sync(~0u, g, k); if (lane >= k) g += o; }
  r += (int)g;
  r += __shfl_sync(~0u, v, n) + __shfl_sync(~0u, v, 3) + __shfl_sync(~0u, v, v & 31) + __shfl_xor_sync(~0u, v, 21);
  r += __shfl_down_sync(~0u, v, 3) + __shfl_up_sync(~0u, v, 16) + __shfl_up_sync(~0u, v, 2, 8);
  r += __ballot_sync(~0u, v & 1) + __any_sync(~0u, v > 30) + __all_sync(~0u, v < 64) + __popc(__activemask());
  r += __match_any_sync(~0u, v & 3) + __reduce_add_sync(~0u, v) + __reduce_max_sync(~0u, v);
  return r;
}
__device__ int groups(int v) {
  auto t = cg::tiled_partition<32>(cg::this_thread_block());
  int r = cg::reduce(t, v, cg::plus<int>()) + cg::inclusive_scan(t, v) + t.match_any(v & 1) + t.ballot(v > 9);
  auto c = cg::coalesced_threads();
  r += c.size() + cg::reduce(c, v, cg::plus<int>()) + c.shfl(v, 5);
  auto l = cg::labeled_partition(t, v & 1);
  r += l.size() + cg::reduce(l, v, cg::less<int>());
  auto q = cg::tiled_partition<8>(t);
  r += cg::exclusive_scan(q, v) + q.shfl_down(v, 3);
  return r;
}
// the second warp of each wave leaves; then the first
__global__ void second(int *o, const int *x, int n) {
  if ((threadIdx.x / 32) & 1) return;
  o[threadIdx.x] = work(x[threadIdx.x] & 31, threadIdx.x % 32, n) + groups(x[threadIdx.x] & 31);
}
__global__ void first(int *o, const int *x, int n) {
  if (threadIdx.x < 32) return;
  o[threadIdx.x] = work(x[threadIdx.x] & 31, threadIdx.x % 32, n) + groups(x[threadIdx.x] & 31);
}
__global__ void bounded(int *o, const int *x, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  o[t] = work(x[t] & 31, threadIdx.x % 32, n) + groups(x[t] & 31);
}
// each warp in its own arm, and with trips of its own
__global__ void arms(int *o, const int *x, int n) {
  const int w = threadIdx.x / 32, t = threadIdx.x;
  int r = 0;
  if (w == 0) r = work(x[t] & 31, t % 32, n); else if (w == 1) r = groups(x[t] & 31) * 3;
  else for (int i = 0; i < w; i++) r += work((x[t] + i) & 31, t % 32, i);
  o[t] = r;
}
// blocks of 48 and 16 threads: the last warp has 16
__global__ void small(int *o, const int *x) {
  const int t = threadIdx.x;
  const unsigned m = __activemask();
  int v = x[t] & 31;
  for (int k = 8; k; k >>= 1) v += __shfl_xor_sync(m, v, k);
  v += __shfl_down_sync(m, v, 1, 16) + __popc(__ballot_sync(m, v & 1)) + __reduce_add_sync(m, v);
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  v += cg::reduce(tile, v, cg::plus<int>()) + cg::inclusive_scan(tile, v);
  o[blockIdx.x * blockDim.x + t] = v;
}
