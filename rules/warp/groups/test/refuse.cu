// What the whole grid, or more than a warp, would have to wait for.
// RUN: not %layout-port %s -o %t.hip 2>%t.err
// RUN: FileCheck %s < %t.err
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int *p) {
  cg::grid_group grid = cg::this_grid();
  // CHECK: refuse.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: sync: waits for the whole grid: HIP's grid_group::sync does too, but only in a kernel launched with hipLaunchCooperativeKernel on blocks that all fit at once
  grid.sync();
  // CHECK: refuse.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: sync: waits for the whole grid
  cg::sync(grid);
  // CHECK: refuse.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: tiled_partition: a tile of more than 32 threads spans warps: its barrier needs named barriers
  auto pair = cg::tiled_partition<64>(cg::this_thread_block());
  // CHECK: refuse.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: this_cluster: AMD GPUs have no thread block clusters
  cg::sync(cg::this_cluster());
}
