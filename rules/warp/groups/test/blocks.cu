// Blocks mean the same in HIP: its own groups, and no device runtime.
// RUN: %layout-port %s -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: not grep "^namespace lp" %t.hip
// CHECK: #include <hip/hip_cooperative_groups.h>
#include <cooperative_groups.h>
// CHECK: namespace cg = cooperative_groups;
namespace cg = cooperative_groups;
__global__ void k(int *p) {
  cg::thread_block block = cg::this_thread_block();
  p[block.thread_rank()] = 1;
  cg::sync(block);
}
