// __restrict__ on values goes; on pointers, references and typedefs of them it stays.
// RUN: %layout-port %s -o %t.hip 2>&1 | FileCheck %s --check-prefix=ERR
// RUN: %ported %t.hip | FileCheck %s
// ERR: launch-restrict 2 renamed
// ERR: compiled: gfx942 yes host yes
#include <cuda_runtime.h>
typedef float *Row;
// CHECK: void k(const float *__restrict__ p, Row __restrict__ q, int n, const float s,
// CHECK-NEXT: float (&__restrict__ r)[4])
__device__ void k(const float *__restrict__ p, Row __restrict__ q, int __restrict__ n, const float __restrict__ s,
                  float (&__restrict__ r)[4]) {
  q[n] = p[n] * s + r[0];
}
