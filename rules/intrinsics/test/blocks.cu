// Atomics of one block, masks of two halves, and what HIP's headers lack or call otherwise.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERR < %t.err
// RUN: %layout-port verify %s %t.hip --launch %S/Inputs/blocks.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}{{proved|tested}}: all outputs
// ERR: compiled: gfx90a yes gfx942 yes gfx950 yes host yes
#include <cuda_fp16.h>
__global__ void counts(unsigned *D, const unsigned *A) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned *d = D + 8 * t;
  d[0] = 5;
  // CHECK: lp::atomicAdd_block(d, A[t]);
  atomicAdd_block(d, A[t]);
  // CHECK: d[1] = lp::atomicMax_block(d, 9u) + lp::atomicExch_block(d + 2, A[t]);
  d[1] = atomicMax_block(d, 9u) + atomicExch_block(d + 2, A[t]);
  d[3] = 1;
  // CHECK: d[4] = lp::atomicCAS_block(d + 3, 1, 7) + lp::atomicInc_block(d + 3, 7u) + lp::atomicDec_block(d + 3, 4u);
  d[4] = atomicCAS_block(d + 3, 1, 7) + atomicInc_block(d + 3, 7u) + atomicDec_block(d + 3, 4u);
  d[5] = atomicSub_block(d + 3, 1u) + atomicAnd_block(d, 6u) + atomicOr_block(d, 1u) + atomicXor_block(d, 3u);
  // CHECK: __builtin_assume(blockDim.x == 64);
  __assume(blockDim.x == 64);
  // CHECK: if (d[0] == 0x12345) __builtin_debugtrap();
  if (d[0] == 0x12345) __brkpt();
}
__global__ void masks(unsigned *D, const __half2 *A, const __half2 *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: D[4 * t] = lp::hgt2_mask(A[t], B[t]);
  D[4 * t] = __hgt2_mask(A[t], B[t]);
  D[4 * t + 1] = __hneu2_mask(A[t], B[t]) ^ __hle2_mask(A[t], B[t]);
  D[4 * t + 2] = __heq2_mask(A[t], A[t]) ^ __hgeu2_mask(A[t], B[t]);
  // CHECK: lp::hfma_relu(
  D[4 * t + 3] = __half_as_ushort(__hfma_relu(__low2half(A[t]), __high2half(A[t]), __low2half(B[t])));
}
