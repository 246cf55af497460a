// What PyTorch for ROCm has under no one name, what means otherwise there, and what no row knows.
// RUN: not %layout-port %s -o %t.hip 2>%t.err; FileCheck %s < %t.err
// CHECK: 9:1: manual: include: a CUDA header without a counterpart in the rename tables
// CHECK: 12:{{[0-9]+}}: manual: at::cuda::warp_size: at::cuda::warp_size: 64 there, where the port keeps warps of 32: write 32
// CHECK: 14:{{[0-9]+}}: manual: C10_CUDA_IGNORE_ERROR: C10_CUDA_IGNORE_ERROR: C10_HIP_IGNORE_ERROR in PyTorch until February 2026, C10_CUDA_IGNORE_ERROR since: choose the one of your release
// CHECK: 16:{{[0-9]+}}: manual: c10::cuda::CUDACachingAllocator: 'c10::cuda::CUDACachingAllocator' is CUDA's and no rule ports it yet
// CHECK: 17:{{[0-9]+}}: manual: WARP_SHFL_XOR: WARP_SHFL_XOR: of a wave of 64 lanes in PyTorch for ROCm, where the port keeps warps of 32: write __shfl_xor_sync
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>

int threads() { return at::cuda::warp_size() * 4; }
void clear() {
  C10_CUDA_IGNORE_ERROR(cudaDeviceSynchronize());
}
void empty() { c10::cuda::CUDACachingAllocator::emptyCache(); }
__device__ float other(float x) { return WARP_SHFL_XOR(x, 1); }
