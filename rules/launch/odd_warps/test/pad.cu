// Blocks of an odd number of warps, padded to whole waves; and those that cannot be.
// RUN: %layout-port %s --warp-blocks=pad --target gfx90a,gfx942,gfx950 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: FileCheck %s --check-prefix=NOTE < %t.err
// RUN: %layout-port %s -o %t.keep.hip && %ported %t.keep.hip | FileCheck %s --check-prefix=KEEP
// KEEP: mirrored<<<n, 32>>>(p);
// NOTE: launch-odd-warps
// NOTE-DAG: note: kernel counts keeps its blocks of one warp: an atomic would be done twice
// NOTE-DAG: note: kernel twice keeps its blocks of one warp: it is launched with another number of threads too, or one not known here
// NOTE-DAG: note: kernel square keeps its blocks of one warp: the shape of its block is not seen to be one row
// NOTE-DAG: note: kernel pointed keeps its blocks of one warp: it is used other than in a launch, so not every launch is in view
// NOTE-DAG: note: kernel deep keeps its blocks of one warp: a function or macro that it calls reads threadIdx.x
// NOTE-DAG: note: kernel three keeps its blocks of 3 warps: groups and barriers of the block would count the mirror too
// NOTE: compiled: gfx90a yes gfx942 yes gfx950 yes host yes
#include <cooperative_groups.h>
#define WARP 32
__device__ int lane() { return threadIdx.x % 32; }
__device__ int thread() { return threadIdx.x; }
// CHECK: __global__ void __launch_bounds__(64 /* WARP */) mirrored(int *p) {
__global__ void __launch_bounds__(WARP) mirrored(int *p) {
  // CHECK: p[blockIdx.x * 32 /* blockDim.x */ + (threadIdx.x & 31)] += lane() + threadIdx.x % 32;
  p[blockIdx.x * blockDim.x + threadIdx.x] += lane() + threadIdx.x % 32;
}
// CHECK: int i = (threadIdx.x & 31); i < n; i += 32) {
// CHECK-NEXT: p[i] = (threadIdx.x & 31);
template <int N> __global__ void looped(int *p, int n) {
  for (int i = threadIdx.x; i < n; i += 32) {
    p[i] = threadIdx.x;
  }
}
template __global__ void looped<3>(int *, int);
// CHECK: atomicAdd(p, threadIdx.x);
__global__ void counts(int *p) { atomicAdd(p, threadIdx.x); }
__global__ void twice(int *p) { p[threadIdx.x] = 1; }
__global__ void square(int *p) { p[threadIdx.x] = 1; }
__global__ void pointed(int *p) { p[threadIdx.x] = 1; }
__global__ void deep(int *p) { p[thread()] = 1; }
// CHECK: __launch_bounds__(192 /* 4 * WARP + 32 */) five(int *p) {
__global__ void __launch_bounds__(4 * WARP + 32) five(int *p) {
  // CHECK: p[blockIdx.x * 160 /* blockDim.x */ + lp::mirrored_thread(160)] = threadIdx.x % 32;
  p[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x % 32;
}
__global__ void three(int *p) {
  namespace cg = cooperative_groups;
  p[threadIdx.x] = cg::this_thread_block().size();
}
void launches(int *p, int n) {
  const dim3 row(WARP, 1), block(8, 4);
  // CHECK: mirrored<<<n, 64 /* 32 */>>>(p);
  mirrored<<<n, 32>>>(p);
  // CHECK: mirrored<<<dim3(n, 2), 64 /* row */, 0>>>(p);
  mirrored<<<dim3(n, 2), row, 0>>>(p);
  // CHECK: looped<3><<<n, 64 /* 32 */>>>(p, n);
  looped<3><<<n, 32>>>(p, n);
  // CHECK: five<<<n, 192 /* 160 */>>>(p);
  five<<<n, 160>>>(p);
  // CHECK: three<<<n, 96>>>(p);
  three<<<n, 96>>>(p);
  // CHECK: counts<<<n, 32>>>(p);
  counts<<<n, 32>>>(p);
  twice<<<n, 32>>>(p);
  twice<<<n, n>>>(p);
  square<<<n, block>>>(p);
  pointed<<<n, 32>>>(p);
  void (*k)(int *) = pointed;
  deep<<<n, 32>>>(p);
}
