// Pipelines and barriers, compiled for every chip.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT < %t.err
// RUN: %layout-port verify %s %t.hip --launch %S/Inputs/forms.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}{{proved|tested}}: all outputs
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes host yes
#include <cooperative_groups.h>
// CHECK: // #include <cuda/barrier>
#include <cuda/barrier>
#include <cuda/pipeline>
// CHECK: // #include <cuda_pipeline.h>
#include <cuda_pipeline.h>
__global__ void k(const float *in, float *out) {
  __shared__ alignas(16) float stage[256];
  // CHECK: __shared__ lp::barrier<lp::thread_scope_block> bar;
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  // CHECK: __shared__ lp::pipeline_shared_state<lp::thread_scope_block, 2> state;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cooperative_groups::this_thread_block();
  if (threadIdx.x == 0)
    init(&bar, blockDim.x);
  __syncthreads();
  // CHECK: auto pipe = lp::make_pipeline(block, &state);
  auto pipe = cuda::make_pipeline(block, &state);
  pipe.producer_acquire();
  // CHECK: lp::memcpy_async(block, stage, in, lp::aligned_size_t<16>(1024), pipe);
  cuda::memcpy_async(block, stage, in, cuda::aligned_size_t<16>(1024), pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  // CHECK: lp::memcpy_async(block, stage, in, 1024, bar);
  cuda::memcpy_async(block, stage, in, 1024, bar);
  bar.arrive_and_wait();
  // CHECK: lp::pipeline_memcpy_async(stage + threadIdx.x, in + threadIdx.x, 4);
  __pipeline_memcpy_async(stage + threadIdx.x, in + threadIdx.x, 4);
  // CHECK: lp::pipeline_commit();
  __pipeline_commit();
  // CHECK: lp::pipeline_wait_prior(0);
  __pipeline_wait_prior(0);
  out[threadIdx.x] = stage[threadIdx.x];
}
