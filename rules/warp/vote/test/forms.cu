// Votes and masks stay those of a 32-lane warp.
// RUN: %layout-port %s -o %t.hip 2>%t.err
// RUN: FileCheck %s < %t.hip
__device__ int votes(int v, const cudaDeviceProp *) {
  // CHECK: unsigned b = lp::ballot_sync(0xffffffff, v > 0);
  unsigned b = __ballot_sync(0xffffffff, v > 0);
  // CHECK: if (lp::any_sync(b, v > 1) && lp::all_sync(b, v > 2))
  if (__any_sync(b, v > 1) && __all_sync(b, v > 2))
    // CHECK: lp::syncwarp();
    __syncwarp();
  // CHECK: return __popc(b & lp::activemask());
  return __popc(b & __activemask());
}
// A device's warp size is 32 to the kernels that this host code launches.
// CHECK: return 4 * 32 /* p.warpSize */;
int threads(const cudaDeviceProp &p) { return 4 * p.warpSize; }
