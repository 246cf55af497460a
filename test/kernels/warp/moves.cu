// The moves whose instructions docs/results.md counts: moves.hip is the same by HIP's
// own shuffles.
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>

__global__ void warp_sum(float *p) {
  float v = p[threadIdx.x];
  for (int offset = 16; offset > 0; offset >>= 1)
    v += __shfl_xor_sync(0xffffffffu, v, offset);
  p[threadIdx.x] = v;
}
__global__ void warp_count(int *p) {
  int v = p[threadIdx.x];
  for (int offset = 16; offset > 0; offset >>= 1)
    v += __shfl_xor_sync(0xffffffffu, v, offset);
  p[threadIdx.x] = v;
}
__global__ void warp_max(float *p) {
  float v = p[threadIdx.x];
  for (int offset = 16; offset > 0; offset >>= 1)
    v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, offset));
  p[threadIdx.x] = v;
}
__global__ void down_sum(float *p) {
  float v = p[threadIdx.x];
  for (int offset = 16; offset > 0; offset >>= 1)
    v += __shfl_down_sync(0xffffffffu, v, offset);
  if (threadIdx.x % 32 == 0)
    p[threadIdx.x] = v;
}
__global__ void quad_sum(float *p) {
  float v = p[threadIdx.x];
  v += __shfl_xor_sync(0xffffffffu, v, 1);
  v += __shfl_xor_sync(0xffffffffu, v, 2);
  p[threadIdx.x] = v;
}
__global__ void shuffle_scan(int *p) {
  int v = p[threadIdx.x];
  for (int delta = 1; delta < 32; delta <<= 1) {
    const int below = __shfl_up_sync(0xffffffffu, v, delta);
    if (threadIdx.x % 32 >= delta)
      v += below;
  }
  p[threadIdx.x] = v;
}
__global__ void group_scan(int *p) {
  auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  p[threadIdx.x] = cooperative_groups::inclusive_scan(warp, p[threadIdx.x]);
}
__global__ void broadcast(float *p) {
  p[threadIdx.x] = __shfl_sync(0xffffffffu, p[threadIdx.x], 0);
}
