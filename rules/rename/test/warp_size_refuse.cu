// What says 64 on AMD where the port keeps warps of 32.
// RUN: not %layout-port %s -o %t.hip 2>%t.err
// RUN: FileCheck %s < %t.err
#include <cub/cub.cuh>
__global__ void lanes(unsigned *out) {
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: manual: LaneId: hipCUB's speaks of the 64 lanes of a wave, the port of warps of 32: compute it from the thread's number, or shuffle directly
  out[threadIdx.x] = cub::LaneId();
}
template <template <typename, int> class Reduce> struct Any {};
// CHECK: [[#@LINE+1]]:{{[0-9]+}}: manual: WarpReduce: its width is 64 in hipCUB where none is given, and where it belongs cannot be seen here: name 32
typedef Any<cub::WarpReduce> Handed;
int threads(int device) {
  int size = 0;
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: manual: cudaDevAttrWarpSize: cudaDevAttrWarpSize: 64 there, where the port keeps warps of 32: write 32
  cudaDeviceGetAttribute(&size, cudaDevAttrWarpSize, device);
  return 4 * size;
}
