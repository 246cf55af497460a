// What a port calls is in a namespace that the source cannot have a function or struct beside: one
// line says so, and nothing is written. Elsewhere the name may be anything's.
// RUN: rm -rf %t && mkdir %t
// RUN: sed 's/^TAKEN/__device__ int lp(int x) { return x; }/' %s > %t/function.cu
// RUN: not %layout-port %t/function.cu -o %t/out.hip --target gfx942 2>&1 | FileCheck %s --check-prefix=NOT
// RUN: sed 's/^TAKEN/struct lp { int x; };/' %s > %t/struct.cu
// RUN: not %layout-port %t/struct.cu -o %t/out.hip --target gfx942 2>&1 | FileCheck %s --check-prefix=NOT
// RUN: sed 's/^TAKEN/namespace { const int lp = 3; }/' %s > %t/number.cu
// RUN: not %layout-port %t/number.cu -o %t/out.hip --target gfx942 2>&1 | FileCheck %s --check-prefix=NOT
// NOT: error: {{.*}}.cu:[[@LINE+8]]: 'lp' is the namespace of what a port calls: give this another name
// NOT-NOT: error
// RUN: not ls %t/out.hip
// RUN: sed 's/^TAKEN/namespace lp { const int own = 3; }/' %s > %t/space.cu
// RUN: %layout-port %t/space.cu -o %t/out.hip --target gfx942 2>&1 | FileCheck %s
// RUN: sed 's/^TAKEN/template <int lp> __device__ int own(int x) { return x + lp; }/' %s > %t/own.cu
// RUN: %layout-port %t/own.cu -o %t/out.hip --target gfx942 2>&1 | FileCheck %s
// CHECK: compiled: gfx942 yes
TAKEN

__global__ void shuffled(float *p) {
  float lp = p[threadIdx.x];
  p[threadIdx.x] = __shfl_xor_sync(0xffffffffu, lp, 1);
}
