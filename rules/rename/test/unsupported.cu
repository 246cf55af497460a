// What HIP has no counterpart of is manual, with the whole statement in a comment.
// RUN: not %layout-port %s --target gfx942 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERR < %t.err
#include <cuda_runtime.h>
void prefetch(void *p, size_t n, bool often) {
  // CHECK: /* if (often)
  // CHECK-NEXT: cudaCtxResetPersistingL2Cache();
  // CHECK-NEXT: else
  // CHECK-NEXT: cudaDeviceSynchronize(); */ LP_MANUAL(
  // ERR: unsupported.cu:[[#@LINE+1]]:3: manual: cudaCtxResetPersistingL2Cache
  if (often)
    cudaCtxResetPersistingL2Cache();
  else
    cudaDeviceSynchronize();
}
