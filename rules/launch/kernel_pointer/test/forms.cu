// RUN: %layout-port %s -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
__global__ void kernel(int *p) {}
template <int M, int N> __global__ void tiled(int *p) {}
void prepare(int bytes) {
  // CHECK: hipFuncSetAttribute(reinterpret_cast<const void *>(kernel), hipFuncAttributeMaxDynamicSharedMemorySize, bytes);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  // CHECK: hipFuncSetAttribute((const void *)kernel, hipFuncAttributeMaxDynamicSharedMemorySize, bytes);
  cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  cudaFuncAttributes attributes;
  // CHECK: hipFuncGetAttributes(&attributes, reinterpret_cast<const void *>(kernel));
  cudaFuncGetAttributes(&attributes, kernel);
  // CHECK: hipFuncSetAttribute(reinterpret_cast<const void *>(tiled<4, 2>), hipFuncAttributeMaxDynamicSharedMemorySize, bytes);
  cudaFuncSetAttribute(tiled<4, 2>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}
