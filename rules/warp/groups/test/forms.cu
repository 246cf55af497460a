// Groups keep their text; the namespace becomes the device runtime's.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT < %t.err
// RUN: %clang-hip --offload-arch=gfx942 -O3 -S --no-gpu-bundle-output %t.hip -o - | FileCheck %s --check-prefix=ISA
// RUN: %layout-port verify %s %t.hip --launch %S/Inputs/forms.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}{{proved|tested}}: all outputs
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes host yes
// CHECK: // #include <cooperative_groups.h>
#include <cooperative_groups.h>
// CHECK: // #include <cooperative_groups/scan.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
// CHECK: namespace cg = lp::cg;
namespace cg = cooperative_groups;

// A scan of a warp needs no LDS pipe.
// ISA-LABEL: scan
// ISA-NOT: ds_
// ISA: row_shr:1
// ISA: row_shr:8
// ISA: row_bcast:15
// ISA-NOT: ds_
// ISA: s_endpgm
__global__ void scan(int *p) {
  // CHECK: auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  // CHECK: p[threadIdx.x] = cg::inclusive_scan(warp, p[threadIdx.x]);
  p[threadIdx.x] = cg::inclusive_scan(warp, p[threadIdx.x]);
}
// ISA-LABEL: quads
// ISA-NOT: ds_
// ISA: quad_perm
// ISA-NOT: ds_
// ISA: s_endpgm
__global__ void quads(int *p) {
  // CHECK: lp::cg::thread_block_tile<4> quad = lp::cg::tiled_partition<4>(lp::cg::this_thread_block());
  cooperative_groups::thread_block_tile<4> quad = cooperative_groups::tiled_partition<4>(cooperative_groups::this_thread_block());
  p[threadIdx.x] = cg::reduce(quad, p[threadIdx.x], cg::plus<int>());
}
// Ranks in the grid are no sync of the grid.
__global__ void ranks(long long *p) { p[cg::this_grid().thread_rank()] = cg::this_grid().size(); }
