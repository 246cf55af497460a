// Bounds that cannot be translated where they stand.
// RUN: not %layout-port %s -o %t.hip 2>%t.err
// RUN: FileCheck %s < %t.err
#define BOUNDS 256, 2
#define THREADS 256
// CHECK: refuse.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: __launch_bounds__: its arguments stand in a macro: write them here, the second is waves per SIMD in HIP
__global__ void __launch_bounds__(BOUNDS) macro() {}
// CHECK: refuse.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: __launch_bounds__: a cluster size has no counterpart in HIP: drop the third argument
__global__ void __launch_bounds__(256, 2, 4) cluster() {}
// CHECK-NOT: manual:
__global__ void __launch_bounds__(THREADS) one() {}
