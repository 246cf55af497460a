// Collectives of CUB keep warps of 32 lanes; hipCUB's speak of waves where no width is given.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip --verify --launch %S/Inputs/cub_warps.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: %ported %t.hip | FileCheck %s
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes host yes
// REPORT-NEXT: verify gfx90a: tested: all outputs
// REPORT-NEXT: verify gfx942: tested: all outputs
// REPORT-NEXT: verify gfx950: tested: all outputs
#include <cub/cub.cuh>
// CHECK: using Scan = hipcub::WarpScan<int, 32>;
using Scan = cub::WarpScan<int>;
template <typename T, int n> struct Rows {
  // CHECK: typedef hipcub::WarpReduce<T, n> Reduce;
  typedef cub::WarpReduce<T, n> Reduce;
};
__global__ void sums(float *out, int *scanned, const float *x, const int *y) {
  // CHECK: __shared__ typename hipcub::WarpReduce<float, 32>::TempStorage storage[4];
  __shared__ typename cub::WarpReduce<float>::TempStorage storage[4];
  __shared__ Scan::TempStorage places[4];
  __shared__ Rows<float, 16>::Reduce::TempStorage halves[8];
  // CHECK: const int warp = threadIdx.x / 32, lane = threadIdx.x % (1 << 5);
  const int warp = threadIdx.x / CUB_PTX_WARP_THREADS, lane = threadIdx.x % (1 << CUB_PTX_LOG_WARP_THREADS);
  // CHECK: const float all = hipcub::WarpReduce<float, 32>(storage[warp]).Sum(x[threadIdx.x]);
  const float all = cub::WarpReduce<float>(storage[warp]).Sum(x[threadIdx.x]);
  const float half = Rows<float, 16>::Reduce(halves[threadIdx.x / 16]).Sum(x[threadIdx.x]);
  int before;
  Scan(places[warp]).ExclusiveSum(y[threadIdx.x], before);
  scanned[threadIdx.x] = before;
  if (lane == 0)
    out[warp] = all;
  if (lane % 16 == 0)
    out[4 + threadIdx.x / 16] = half;
}
