// Arms of a branch inside a warp that meet at a barrier.
// RUN: not %layout-port %s -o %t.hip 2>%t.err
// RUN: FileCheck %s < %t.err
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
  // Between warps, and among the lanes of one arm: as they are.
  // CHECK-NOT: manual:
  if (warp == 0) {
    __syncwarp();
  } else {
    __syncwarp();
  }
  if (lane < 16)
    __syncwarp(0x0000ffffu);
  else
    __syncwarp(0xffff0000u);
  p[lane] = v;
}
