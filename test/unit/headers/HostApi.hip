// Host code over HIP's headers: the ported form of what CUDA programs do around kernels.
#include <algorithm>
#include <cstdio>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>
#include <hipblas/hipblas.h>
#include <vector>

__constant__ float factors[4];
__global__ void twice(float *f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    f[i] *= 2 * factors[i & 3];
}

static const char *run(int n) {
  std::vector<float> host(n, 1.f);
  float *device = nullptr, *pinned = nullptr;
  if (hipMalloc(&device, n * sizeof(float)) != hipSuccess)
    return hipGetErrorString(hipGetLastError());
  (void)hipHostMalloc(&pinned, n * sizeof(float), hipHostMallocDefault);
  (void)hipMemcpy(device, host.data(), n * sizeof(float), hipMemcpyHostToDevice);
  (void)hipMemcpyToSymbol(HIP_SYMBOL(factors), host.data(), 16);
  hipStream_t stream;
  hipEvent_t start, stop;
  (void)hipStreamCreateWithFlags(&stream, hipStreamNonBlocking);
  (void)hipEventCreate(&start);
  (void)hipEventCreate(&stop);
  (void)hipFuncSetAttribute((const void *)twice, hipFuncAttributeMaxDynamicSharedMemorySize,
                            1 << 16);
  (void)hipEventRecord(start, stream);
  twice<<<dim3((n + 255) / 256), dim3(256), 0, stream>>>(device, n);
  twice<<<(n + 255) / 256, 256>>>(device, n);
  hipLaunchKernelGGL(twice, dim3(1), dim3(256), 0, stream, device, n);
  (void)hipEventRecord(stop, stream);
  (void)hipStreamSynchronize(stream);
  float ms = 0;
  (void)hipEventElapsedTime(&ms, start, stop);
  hipDeviceProp_t properties;
  (void)hipGetDeviceProperties(&properties, 0);
  hipblasHandle_t handle;
  (void)hipblasCreate(&handle);
  (void)hipblasGemmEx(handle, HIPBLAS_OP_N, HIPBLAS_OP_T, n, n, n, &ms, device, HIP_R_16F, n,
                      device, HIP_R_16F, n, &ms, device, HIP_R_32F, n, HIPBLAS_COMPUTE_32F,
                      HIPBLAS_GEMM_DEFAULT);
  (void)hipFree(device);
  (void)hipHostFree(pinned);
  return std::max(ms, 0.f) > properties.warpSize ? "slow" : "fast";
}

int main() { return std::puts(run(1024)) < 0; }
