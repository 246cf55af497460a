// Masks that are computed, of some lanes, from %lanemask_*; counting, finding and leaders over them.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip --verify --launch %S/Inputs/masks.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: not grep -E "^[^/]*(__(ballot|any|all|uni|match|reduce|fns|activemask|syncwarp)|asm)" %t.hip
// REPORT-NOT: manual
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes host yes
// REPORT-NEXT: verify gfx90a: {{proved|tested}}: all outputs
// REPORT-NEXT: verify gfx942: {{proved|tested}}: all outputs
// REPORT-NEXT: verify gfx950: {{proved|tested}}: all outputs
__device__ unsigned lt() { unsigned r; asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r)); return r; }
__device__ unsigned le() { unsigned r; asm("mov.u32 %0, %%lanemask_le;" : "=r"(r)); return r; }
__device__ unsigned gt() { unsigned r; asm volatile("mov.u32 %0, %lanemask_gt;" : "=r"(r)); return r; }
__device__ unsigned ge() { unsigned r; asm("mov.u32 %0, %%lanemask_ge;" : "=r"(r)); return r; }
__device__ unsigned eq() { unsigned r; asm("mov.u32 %0, %%lanemask_eq;" : "=r"(r)); return r; }
__global__ void votes(unsigned *out, const int *in) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = in[t] & 7;
  unsigned b = __ballot_sync(0xffffffff, v > 3);
  unsigned r = b * 3 + __any_sync(~0u, v == 6) + 2 * __all_sync(~0u, v < 8) + 4 * __uni_sync(~0u, v & 8);
  r ^= __popc(b & lt()) + 32 * __popc(b & le()) + 1024 * __ffs(b & gt()) + (__clz(b & ge()) << 16) + eq();
  r += __fns(b, 0, 2) * 7u;
  int p = 0;
  r += __match_any_sync(0xffffffff, v) ^ __match_all_sync(0xffffffff, v >> 3, &p);
  r += p << 20;
  r += __reduce_add_sync(~0u, v) + __reduce_max_sync(~0u, v * 3) + __reduce_min_sync(~0u, v - 4);
  r += __reduce_and_sync(~0u, (unsigned)v) + __reduce_or_sync(~0u, (unsigned)v) * 3 + __reduce_xor_sync(~0u, (unsigned)v) * 5;
  out[t] = r;
}
// masks computed, partial
__global__ void parts(unsigned *out, const int *in) {
  __shared__ int s[96];
  const int t = threadIdx.x, lane = t & 31;
  const int v = in[t] & 15;
  unsigned m = __ballot_sync(0xffffffff, lane < 20);
  unsigned r = 0;
  if (lane < 20) {
    s[t] = v;
    __syncwarp(m);
    r = s[(t & ~31) + (lane + 7) % 20];
    r += __shfl_sync(m, v, 19 - lane) * 100;
    r += __reduce_add_sync(m, v) * 10000;
    r += __match_any_sync(m, v & 1);
    r ^= __shfl_sync(m, v, (lane + 3) % 20);
  } else {
    unsigned am = __activemask();
    r = am + __popc(am);
    r += __shfl_xor_sync(0xfff00000u, v, 1);
  }
  // sub-warp groups of 8 with their own mask
  unsigned gm = 0xffu << (lane & ~7);
  for (int o = 4; o; o >>= 1) r += __shfl_xor_sync(gm, (int)r, o, 8);
  out[t] = r;
}
// aggregated atomics with leader election, order free result
__device__ int aggInc(int *ctr) {
  unsigned active = __activemask();
  int leader = __ffs(active) - 1;
  int change = __popc(active);
  int lane = threadIdx.x & 31;
  int rank = __popc(active & ((1u << lane) - 1));
  int res = 0;
  if (rank == 0) res = atomicAdd(ctr, change);
  res = __shfl_sync(active, res, leader);
  return res + rank;
}
__global__ void filter(int *ctr, int *hist, const int *in) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[t] & 1) {
    int i = aggInc(ctr);
    atomicAdd(hist + (i & 63), 1);
  }
  // by bucket, with match
  const int bkt = in[t] & 3;
  unsigned peers = __match_any_sync(0xffffffff, bkt);
  if (__ffs(peers) - 1 == (t & 31)) atomicAdd(hist + 64 + bkt, __popc(peers));
}
