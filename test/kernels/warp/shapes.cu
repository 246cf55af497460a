// Blocks whose rows are no whole warps, early returns, roles, ragged trips, computed and
// partial masks, widths, reductions seen whole.
__device__ int linearId() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__global__ void rows(const int *in, int *out) {
  const int n = blockDim.x * blockDim.y * blockDim.z, t = linearId();
  const int lane = t & (warpSize - 1), warp = t / warpSize;
  __shared__ int part[1024 / 32];
  int v = in[blockIdx.x * n + t];
  const unsigned mask = __activemask();
  int count = __popc(mask);
  int sum = v;
  for (int o = 16; o > 0; o >>= 1) {
    int w = __shfl_sync(mask, sum, lane + o < count ? lane + o : lane);
    if (lane + o < count)
      sum += w;
  }
  if (lane == 0)
    part[warp] = sum;
  __syncthreads();
  int total = 0;
  for (int i = 0; i < (n + warpSize - 1) / warpSize; ++i)
    total += part[i];
  out[blockIdx.x * n + t] = total * 3 + __shfl_sync(mask, v, (lane + 1) % count) + warp;
}
// the number of trips differs between the warps of a pair, and by block
__global__ void trips(const int *in, int *out, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const int warp = t / 32;
  if (warp >= n)
    return;
  int acc = 0;
  for (int i = 0; i <= warp % 5; ++i) {
    int v = in[t] + i;
    for (int o = 1; o < 32; o <<= 1)
      v += __shfl_xor_sync(0xffffffffu, v, o);
    acc += v + __ballot_sync(0xffffffffu, (v >> lane) & 1);
  }
  out[t] = acc;
}
// roles
__global__ void roles(const int *in, int *out) {
  __shared__ int stage[4][32];
  __shared__ int sums[4];
  const int warp_id = threadIdx.x >> 5, lane_id = threadIdx.x & 0x1f;
  if (warp_id == 0) {
    for (int w = 0; w < 4; ++w)
      stage[w][lane_id] = in[blockIdx.x * 128 + w * 32 + lane_id];
  } else if (warp_id == 1) {
    int v = in[blockIdx.x * 128 + lane_id];
    v = __reduce_max_sync(0xffffffffu, v);
    if (lane_id == 0)
      sums[1] = v;
  } else {
    int v = in[blockIdx.x * 128 + lane_id + warp_id];
    for (int o = 16; o; o /= 2)
      v += __shfl_down_sync(~0u, v, o);
    if (!lane_id)
      sums[warp_id] = v;
  }
  __syncthreads();
  int v = stage[warp_id][31 - lane_id];
  switch (warp_id) {
  case 0:
    v += __shfl_up_sync(~0u, v, 3);
    break;
  case 1:
    v += __shfl_xor_sync(~0u, v, 17);
    break;
  case 2:
    v = __any_sync(~0u, v > 90) + sums[1];
    break;
  default:
    v = __match_any_sync(~0u, v & 7) + sums[2] + sums[3];
  }
  out[blockIdx.x * 128 + threadIdx.x] = v;
}
// partial masks, computed
__global__ void partial(const int *in, int *out, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  __shared__ volatile int box[8][32];
  const int w = threadIdx.x / 32;
  int v = in[t];
  const int k = n + w; // lanes below k
  const unsigned low = k >= 32 ? ~0u : (1u << k) - 1;
  box[w][lane] = 0;
  __syncwarp();
  if (lane < k) {
    box[w][lane] = v;
    __syncwarp(low);
    v += box[w][(lane + 1) % (k < 32 ? k : 32)];
    v += __shfl_sync(low, v, k - 1);
    v ^= __shfl_up_sync(low, v, 2);
    unsigned peers = __match_any_sync(low, v & 3);
    v += __popc(peers) * 100 + __ffs(peers);
    v += __reduce_add_sync(peers, lane);
  }
  unsigned rest = __ballot_sync(0xffffffffu, lane >= k);
  if (rest >> lane & 1) {
    int leader = __ffs(rest) - 1;
    v = __shfl_sync(rest, v, leader) + __popc(rest & ((1u << lane) - 1));
    v += __shfl_down_sync(rest, v, 1, 8);
  }
  out[t] = v;
}
// widths
template <int W> __device__ int widthed(int v) {
  int s = v;
#pragma unroll
  for (int o = W / 2; o > 0; o /= 2)
    s += __shfl_down_sync(0xffffffff, s, o, W);
  s = __shfl_sync(0xffffffff, s, 0, W);
  int p = v;
  for (int d = 1; d < W; d *= 2) {
    int q = __shfl_up_sync(0xffffffff, p, d, W);
    if ((threadIdx.x & (W - 1)) >= d)
      p += q;
  }
  return s * 7 + p;
}
struct alignas(8) Pair {
  float a;
  int b;
};
struct Odd {
  short a;
  char b;
};
__global__ void widths(const int *in, int *out, int width) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[t];
  int r = widthed<2>(v) + widthed<4>(v) * 3 + widthed<8>(v) * 5 + widthed<16>(v) * 7 +
          widthed<32>(v) * 11;
  r += __shfl_xor_sync(0xffffffff, v, width - 1, width);
  r += __shfl_sync(0xffffffff, v, v, width) + __shfl_up_sync(0xffffffffu, v, width / 2, width);
  Pair p{(float)v, v * 3};
  p.b = __shfl_xor_sync(~0u, p.b, 9);
  long long big = (long long)v << 33 | t;
  big = __shfl_down_sync(~0u, big, 5);
  unsigned char c = v;
  r += __shfl_xor_sync(~0u, (int)c, 3) + (int)(big >> 20) + p.b;
  r += __shfl_up_sync(~0u, v, 2) * 3 + __shfl_down_sync(~0u, v, 2) * 5 +
       __shfl_up_sync(~0u, v, 33) + __shfl_xor_sync(~0u, v, 48);
  out[t] = r;
}
__global__ void __launch_bounds__(96, 4) fullsums(const int *in, int *out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  int v = in[t], m = v, s = v, u = v;
  for (int o = 16; o > 0; o >>= 1)
    m = max(m, __shfl_xor_sync(~0u, m, o));
  for (int o = 1; o < 32; o <<= 1)
    s += __shfl_xor_sync(~0u, s, o);
#pragma unroll
  for (int i = 0; i < 5; ++i)
    u ^= __shfl_xor_sync(~0u, u, 1 << i);
  long long big = (long long)v * v;
  for (int o = 16; o; o /= 2)
    big += __shfl_xor_sync(~0u, big, o);
  unsigned short h = v;
  int d = v;
  for (int o = 16; o; o /= 2)
    d += __shfl_down_sync(~0u, d, o);
  int n = v;
  for (int o = 16; o; o /= 2)
    n = min(n, __shfl_down_sync(~0u, n, o));
  int first = __shfl_sync(~0u, n, 0);
  out[t] = m + 3 * s + 5 * u + (int)(big >> 3) * 7 + (lane == 0 ? d : 0) + first * 9;
}
