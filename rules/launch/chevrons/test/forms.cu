// RUN: %layout-port %s -o %t.hip 2>%t.err
// RUN: FileCheck --check-prefix=REPORT %s < %t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: %layout-port %t.hip --check
// REPORT: launch-chevrons {{.*}} clang takes no blank in a launch's brackets
// REPORT-NOT: while parsing
// REPORT: compiled: gfx942 yes host yes
#include <cuda_runtime.h>
template <class T> struct Box {
  T value;
};
template <class T> T boxed(T x) { return Box<Box<T> >{{x}}.value.value; }
__global__ void scale(float *x) { x[threadIdx.x] *= 2; }
template <int n> __global__ void shift(int *x) { x[threadIdx.x] = x[threadIdx.x] >> n; }
// CHECK: #define RUN_SCALE(x) scale <<<1, 64 >>>(x)
#define RUN_SCALE(x) scale << <1, 64 >> >(x)
void run(float *x, int *y, cudaStream_t stream) {
  const int grid = 4;
  // CHECK: scale <<<grid, 64>>>(x);
  scale << <grid, 64>> >(x);
  // CHECK: scale<<<grid, 64, 0, stream >>> (x);
  scale<<<grid, 64, 0, stream >> > (x);
  // CHECK: shift<2> <<<dim3(grid >> 1, 2), 64>>>(y);
  shift<2> << <dim3(grid >> 1, 2), 64>>>(y);
  // CHECK: scale <<<boxed<int>(grid >> 1), 64
  // CHECK-NEXT: >>>(x);
  scale <<	<boxed<int>(grid >> 1), 64
      >> >(x);
  Box<Box<Box<int>> > nested;
  nested.value.value.value = grid;
  RUN_SCALE(x);
}
