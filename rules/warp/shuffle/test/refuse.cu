// A mask that does something would be lost with it.
// RUN: not %layout-port %s --target gfx942 -o %t.hip 2>%t.err
// RUN: FileCheck %s < %t.err
// CHECK: refuse.cu:[[#@LINE+2]]:{{[0-9]+}}: manual: __shfl_sync: the mask expression has a side effect that would be lost
__device__ int next(unsigned *masks, int v) {
  v = __shfl_sync(*masks++, v, 0);
  return v;
}
