// What no rule answers for is manual, also where the AST cannot see it: in dead
// #if arms, in macros nobody expands, behind an unknown name.
// RUN: not %layout-port %s --target gfx942 -o %t.hip --json %t.json 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERR < %t.err
// RUN: not %clang-hip --offload-arch=gfx942 -fsyntax-only %t.hip
// RUN: %clang-hip --offload-arch=gfx942 -DLP_ALLOW_MANUAL -c %t.hip -o %t.o
#include <cuda_runtime.h>

#if __CUDA_ARCH__ >= 9000
__device__ int dead(int v) {
  // ERR-DAG: census.cu:[[#@LINE+1]]:3: manual: __nv_frobnicate
  return __nv_frobnicate(~0u, v);
}
#endif

// ERR-DAG: census.cu:[[#@LINE+2]]:32: manual: mov.u32: AMD has no counterpart of the special register %smid
// CHECK: #define UNUSED_COUNTER(x) {{.*}}/* asm volatile("mov.u32 %0, %%smid;" : "=r"(x)) */ LP_MANUAL(
#define UNUSED_COUNTER(x)      asm volatile("mov.u32 %0, %%smid;" : "=r"(x))

__global__ void k(unsigned *p) {
  // ERR-DAG: census.cu:[[#@LINE+1]]:3: manual: frobnicate.u32
  asm volatile("frobnicate.u32 %0;" : "=r"(p[0]));
  // A compiler barrier holds no instruction and means the same.
  // CHECK: asm volatile("" ::: "memory");
  asm volatile("" ::: "memory");
  p[1] = 7;
}
