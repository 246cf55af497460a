// PyTorch's streams, guards and checks by the names that all its releases for ROCm have; what is right
// as it is has a row as well.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip --json %t.json 2>%t.err && FileCheck --check-prefix=REPORT %s < %t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: FileCheck --check-prefix=JSON %s < %t.json
// A second port changes nothing.
// RUN: %layout-port %t.hip --check
// REPORT-NOT: manual
// REPORT: rename {{.*}} PyTorch for ROCm has it under this name
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes host yes
// JSON-DAG: "construct": "at::cuda::getCurrentDeviceProperties"
// JSON-DAG: "construct": "AT_CUDA_CHECK"
// CHECK: #include <ATen/hip/HIPContext.h>
// CHECK-NEXT: #include <ATen/hip/impl/HIPStreamMasqueradingAsCUDA.h>
#include <ATen/cuda/CUDAContext.h>
// CHECK: #include <ATen/hip/HIPEvent.h>
#include <ATen/cuda/CUDAEvent.h>
// CHECK: #include <c10/hip/HIPException.h>
#include <c10/cuda/CUDAException.h>
// CHECK: #include <ATen/hip/impl/HIPGuardImplMasqueradingAsCUDA.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>

// CHECK: __global__ void __launch_bounds__(4 * 32) sums(float *x) {
__global__ void __launch_bounds__(4 * C10_WARP_SIZE) sums(float *x) {
  // CHECK: for (int i = 32 / 2; i > 0; i /= 2)
  for (int i = C10_WARP_SIZE / 2; i > 0; i /= 2)
    x[threadIdx.x] += __shfl_xor_sync(~0u, x[threadIdx.x], i);
}
__global__ void scale(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= 2;
}

void onCurrent(torch::Tensor x) {
  // CHECK: const c10::hip::OptionalHIPGuardMasqueradingAsCUDA guard(device_of(x));
  const at::cuda::OptionalCUDAGuard guard(device_of(x));
  // CHECK: const c10::hip::HIPGuardMasqueradingAsCUDA other(x.device());
  const c10::cuda::CUDAGuard other(x.device());
  // CHECK: hipStream_t stream = c10::hip::getCurrentHIPStreamMasqueradingAsCUDA();
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  // CHECK: c10::hip::getCurrentHIPStreamMasqueradingAsCUDA(x.get_device()).stream()
  scale<<<4, 64, 0, c10::cuda::getCurrentCUDAStream(x.get_device()).stream()>>>(x.data_ptr<float>(),
                                                                                 256);
  // CHECK: C10_HIP_CHECK(hipGetLastError());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  // CHECK: C10_HIP_CHECK(hipStreamSynchronize(stream));
  C10_CUDA_CHECK(cudaStreamSynchronize(stream));
  // CHECK: AT_CUDA_CHECK(hipGetLastError());
  AT_CUDA_CHECK(cudaGetLastError());
}

int onPool(torch::Tensor x) {
  // CHECK: c10::hip::HIPStreamMasqueradingAsCUDA mine = c10::hip::getStreamFromPoolMasqueradingAsCUDA(true);
  at::cuda::CUDAStream mine = at::cuda::getStreamFromPool(true);
  // CHECK: c10::hip::HIPStreamGuardMasqueradingAsCUDA guard(mine);
  at::cuda::CUDAStreamGuard guard(mine);
  // CHECK: at::cuda::CUDAEvent done;
  at::cuda::CUDAEvent done;
  done.record(mine);
  // CHECK: done.block(c10::hip::getDefaultHIPStreamMasqueradingAsCUDA());
  done.block(c10::cuda::getDefaultCUDAStream());
  // CHECK: return at::cuda::getCurrentDeviceProperties()->multiProcessorCount + at::cuda::current_device();
  return at::cuda::getCurrentDeviceProperties()->multiProcessorCount + c10::cuda::current_device();
}

// CHECK: using c10::hip::getCurrentHIPStreamMasqueradingAsCUDA;
using at::cuda::getCurrentCUDAStream;
// CHECK: hipStream_t byUsing() { return c10::hip::getCurrentHIPStreamMasqueradingAsCUDA(); }
cudaStream_t byUsing() { return getCurrentCUDAStream(); }
