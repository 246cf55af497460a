// Waits that could stop the warp they wait for, and what CDNA does not have.
// RUN: not %layout-port %s -o %t.hip 2>%t.err
// RUN: FileCheck %s < %t.err
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
// CHECK: refuse.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: barrier: a barrier of more than one block: who waits keeps its wave, and perhaps the block that should arrive from starting
__device__ cuda::barrier<cuda::thread_scope_device> all;
__global__ void roles(float *p) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cooperative_groups::this_thread_block();
  const int warp = threadIdx.x / 32;
  if (warp == 0) {
    auto token = bar.arrive();
    // CHECK: refuse.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: wait: waits in a branch that not all warps take: a wave would wait for its own other half, which stands still meanwhile
    bar.wait(token);
  } else {
    auto token = bar.arrive();
  }
  for (int i = 0; i < 3; ++i)
    bar.arrive_and_wait();
  auto shared = cuda::make_pipeline(block, &state);
  if (warp < 2) {
    // CHECK: refuse.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: producer_acquire: waits in a branch that not all warps take
    shared.producer_acquire();
  }
  // CHECK: refuse.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: make_pipeline: producers and consumers of a pipeline in different warps: the two warps of a wave would wait for each other
  auto pipe = cuda::make_pipeline(block, &state, 32);
}
