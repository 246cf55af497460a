// Votes and masks stay those of a 32-lane warp.
// RUN: %layout-port %s -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: %layout-port verify %s %t.hip --launch %S/Inputs/forms.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}{{proved|tested}}: all outputs
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
__device__ unsigned groups(unsigned m, int v, int *all) {
  // CHECK: unsigned r = lp::match_any_sync(m, v) ^ lp::match_all_sync(m, v, all) ^ lp::fns(m, 0, 2);
  unsigned r = __match_any_sync(m, v) ^ __match_all_sync(m, v, all) ^ __fns(m, 0, 2);
  // CHECK: r += lp::reduce_add_sync(m, v) + lp::reduce_min_sync(m, v) + lp::reduce_max_sync(m, v);
  r += __reduce_add_sync(m, v) + __reduce_min_sync(m, v) + __reduce_max_sync(m, v);
  // CHECK: return r | lp::reduce_and_sync(m, r) | lp::reduce_or_sync(m, r) | lp::reduce_xor_sync(m, r);
  return r | __reduce_and_sync(m, r) | __reduce_or_sync(m, r) | __reduce_xor_sync(m, r);
}
// A device's warp size is 32 to the kernels that this host code launches.
// CHECK: return 4 * 32 /* p.warpSize */;
int threads(const cudaDeviceProp &p) { return 4 * p.warpSize; }
__global__ void voted(unsigned *D, const int *A) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  int all = 0;
  D[3 * t] = votes(A[t] & 7, nullptr);
  D[3 * t + 1] = groups(0xffffffff, A[t] & 3, &all);
  if (t % 3) // some lanes of each warp, by their own mask
    D[3 * t + 2] = groups(__activemask(), A[t] & 1, &all) + all;
}
