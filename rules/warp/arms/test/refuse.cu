// Arms of a branch inside a warp that meet at a barrier, a shuffle, a vote.
// RUN: not %layout-port %s -o %t.hip 2>%t.err
// RUN: FileCheck %s < %t.err
#define FULL 0xffffffff
__device__ int sum(int v) {
  for (int o = 16; o > 0; o /= 2)
    v += __shfl_xor_sync(FULL, v, o);
  return v;
}
__global__ void k(int *p) {
  __shared__ int s[2];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int v = p[lane];
  // CHECK: refuse.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: __syncwarp: both arms of a branch inside a warp meet at __syncwarp: a wave runs one arm to its end before the other
  if (lane < 16) {
    s[0] = v;
    __syncwarp();
  } else {
    __syncwarp(0xffffffffu);
    v = s[0];
  }
  // CHECK: refuse.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: __shfl_xor_sync: both arms of a branch inside a warp meet at __shfl_xor_sync: a wave runs one arm to its end before the other
  if (lane & 1)
    v += __shfl_xor_sync(FULL, v, 1);
  else
    v -= __shfl_xor_sync(~0u, v, 1);
  // CHECK: refuse.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: __ballot_sync: both arms of a branch inside a warp meet at __ballot_sync: a wave runs one arm to its end before the other
  v = lane & 2 ? __ballot_sync(FULL, v) : __ballot_sync(FULL, -v);
  // CHECK: refuse.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: sum: both arms of a branch inside a warp meet at sum: a wave runs one arm to its end before the other
  if (v > p[threadIdx.x])
    v = sum(v);
  else
    v = -sum(-v);
  // Between warps, and among the lanes of one arm: as they are.
  // CHECK-NOT: manual:
  if (warp == 0) {
    __syncwarp();
  } else {
    __syncwarp();
  }
  if (threadIdx.x < 64)
    v = sum(v);
  else
    v = sum(v) + 1;
  if (lane < 16)
    __syncwarp(0x0000ffffu);
  else
    __syncwarp(0xffff0000u);
  p[lane] = v;
}

// The barrier of the block, between the two warps of a wave; and between waves, where it is right.
__global__ void roles(const float *A, float *C, int n) {
  __shared__ float s[32], t[64];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  // CHECK: refuse.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: __syncthreads: both arms of a branch inside a wave wait at __syncthreads: only one warp of a wave comes here, by 'warp == 0' (line [[#@LINE+1]]), and a wave runs one arm to its end before the other
  if (warp == 0) {
    s[lane] = A[lane];
    __syncthreads();
  } else {
    __syncthreads();
    C[warp * 32 + lane] = s[lane];
  }
  // CHECK-NOT: refuse.cu:[[#@LINE+1]]
  if (warp < 2) {
    t[threadIdx.x] = A[threadIdx.x];
    __syncthreads();
  } else {
    __syncthreads();
    C[warp * 32 + lane] += t[lane];
  }
  // CHECK-NOT: refuse.cu:[[#@LINE+1]]
  if (n > 3)
    __syncthreads();
  else
    __syncthreads();
}
// Nobody waits for a warp that has left: the other one of its wave may come to its barrier first.
__global__ void __launch_bounds__(64) parts(float *C) {
  __shared__ float s[64];
  const int warp = threadIdx.x / 32;
  // CHECK: refuse.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: __syncthreads: one part of a wave waits at __syncthreads for what the other does before it leaves: only one warp of a wave comes here, by 'warp == 1' (line [[#@LINE+1]]), and a wave may run the one that waits first
  if (warp == 1) {
    s[threadIdx.x] = C[threadIdx.x];
    return;
  }
  __syncthreads();
  C[threadIdx.x] = s[threadIdx.x + 32] * 2.f;
}
__global__ void __launch_bounds__(64) rolesAlone(float *C) {
  __shared__ float s[64];
  const int warp = threadIdx.x / 32;
  // CHECK: refuse.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: __syncthreads: one part of a wave waits at __syncthreads for what the other does before it leaves: only one warp of a wave comes here, by 'warp == 0' (line [[#@LINE+1]]), and a wave may run the one that waits first
  if (warp == 0) {
    __syncthreads();
    C[threadIdx.x] = s[threadIdx.x + 32] * 2.f;
  } else {
    s[threadIdx.x] = C[threadIdx.x];
  }
}
// Whoever leaves has done nothing, or goes with the whole wave.
// CHECK-NOT: manual: __syncthreads
__global__ void __launch_bounds__(128) wholes(float *C) {
  __shared__ float s[128];
  const int warp = threadIdx.x / 32;
  if (warp == 3)
    return;
  if (warp / 2 == 1) {
    s[threadIdx.x] = C[threadIdx.x];
    return;
  }
  __syncthreads();
  C[threadIdx.x] = s[threadIdx.x] * 2.f;
}
