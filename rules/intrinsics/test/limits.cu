// min and max of two integer types: in the type that CUDA's overload takes.
// RUN: not %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERR < %t.err
template <class T> __device__ T least(T a, int b) {
  // ERR: limits.cu:[[#@LINE+1]]:3: manual: min: the types that min compares differ between instantiations
  return min(a, b);
}
__global__ void limits(float *x, int i, unsigned n, short s) {
  // CHECK: x[lp::min<unsigned int>(i, n)] = 1;
  x[min(i, n)] = 1;
  // CHECK: x[lp::max<unsigned int>(i - 1, threadIdx.x)] = min(i, 3) + max(n, 4u) + fminf(x[0], 1);
  x[max(i - 1, threadIdx.x)] = min(i, 3) + max(n, 4u) + fminf(x[0], 1);
  x[2] = least(n, i) + least(s, i);
}
