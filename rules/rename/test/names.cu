// Names of the runtime API, types and headers; the user's own names are left alone.
// RUN: %layout-port %s -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// CHECK: #include <hip/hip_fp16.h>
#include "cuda_fp16.h"
// CHECK: #include <hip/hip_runtime.h>
#include <cuda_runtime.h>
#include <cstdio>

// CHECK: static void cudaCheck(hipError_t e)
static void cudaCheck(cudaError_t e) {
  // CHECK: if (e != hipSuccess) printf("%s\n", hipGetErrorString(e));
  if (e != cudaSuccess) printf("%s\n", cudaGetErrorString(e));
}
__global__ void scale(float *p, float s) { p[blockIdx.x * blockDim.x + threadIdx.x] *= s; }

void run(float *host, int n) {
  float *p = nullptr;
  // CHECK: cudaCheck(hipMalloc(&p, n * sizeof(float)));
  cudaCheck(cudaMalloc(&p, n * sizeof(float)));
  // CHECK: hipMemcpy(p, host, n * sizeof(float), hipMemcpyHostToDevice)
  cudaCheck(cudaMemcpy(p, host, n * sizeof(float), cudaMemcpyHostToDevice));
  // CHECK: scale<<<n / 256, 256>>>(p, 2.0f);
  scale<<<n / 256, 256>>>(p, 2.0f);
  // CHECK: hipDeviceSynchronize()
  cudaCheck(cudaDeviceSynchronize());
  // CHECK: hipFree(p)
  cudaCheck(cudaFree(p));
}
