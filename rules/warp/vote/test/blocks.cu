// warpSize at run time and in constants, 32 and 5 by hand, warps by threadIdx.y, and blocks whose rows are
// no warps.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip --verify --launch %S/Inputs/blocks.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: not grep -E "^[^/]*(warpSize;|warpSize /)" %t.hip
// REPORT-NOT: manual
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes host yes
// REPORT-NEXT: verify gfx90a: {{proved|tested}}: all outputs
// REPORT-NEXT: verify gfx942: {{proved|tested}}: all outputs
// REPORT-NEXT: verify gfx950: {{proved|tested}}: all outputs
#define WARP_SIZE 32
#define LOG2 5
constexpr int kWarps = 256 / WARP_SIZE;
__global__ void sizes(int *out, const int *in) {
  __shared__ int part[kWarps];
  __shared__ int more[1024 / WARP_SIZE];
  const int t = threadIdx.x, lane = t & (WARP_SIZE - 1), w = t >> LOG2;
  const int w2 = t / warpSize, l2 = t % warpSize;
  int v = in[t];
  for (int o = warpSize / 2; o; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);
  if (lane == 0) part[w] = v;
  if (l2 == 31) more[w2] = v;
  __syncthreads();
  v = t < blockDim.x / warpSize ? part[t] : 0;
  if (w == 0) for (int o = kWarps / 2; o; o /= 2) v += __shfl_down_sync(0xff, v, o);
  if (t == 0) out[0] = v;
  out[1 + t] = more[(w + 1) % kWarps] + w2 * 100 + l2;
}
__global__ void rows(int *out, const int *in) { // threadIdx.y is the warp
  const int lane = threadIdx.x, w = threadIdx.y;
  int v = in[w * 32 + lane];
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  if (lane == w) out[blockIdx.x * blockDim.y + w] = v;
}
__global__ void odd(unsigned *out, const int *in) { // linear id decides the warp: blocks of (20, 5), (6, 4, 3)
  const int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int n = blockDim.x * blockDim.y * blockDim.z;
  const unsigned full = t / 32 == n / 32 ? (1u << (n % 32)) - 1 : ~0u;
  unsigned id;
  asm("mov.u32 %0, %%laneid;" : "=r"(id));
  unsigned b = __ballot_sync(full, in[t] & 1);
  int v = __shfl_sync(full, in[t], 1);
  int up = __shfl_up_sync(full, in[t], 1);
  out[t] = b + v * 3 + up * 5 + id * 7 + __popc(__activemask());
}
__global__ void laneBits(int *out, const int *in) {
  const unsigned lane = threadIdx.x & 0x1f;
  int v = in[threadIdx.x];
  const int from = __shfl_sync(0xffffffffu, v, 31 - lane);
  const int last = __shfl_sync(0xffffffffu, v, 31);
  const int big = __shfl_sync(0xffffffffu, v, 32 + 5); // wraps to 5
  out[threadIdx.x] = from * 3 + last + big * 7;
}
