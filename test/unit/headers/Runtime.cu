// Kernels and host code over the runtime API, beside the standard library on both sides.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cublas_v2.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <math_constants.h>
#include <memory>
#include <random>
#include <string>
#include <vector>

__constant__ float scale[4];
__device__ int counter;

template <int block>
__global__ void __launch_bounds__(block, 2) sums(const float *in, float *out, int n) {
  extern __shared__ float tile[];
  __shared__ __align__(16) float4 fixed[8];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(n > 0);
  float v = i < n ? in[i] * scale[i & 3] : 0.f;
  v = std::min(std::max(v, -1.f), 1.f) + fmaxf(fminf(v, 2.f), min(v, 3.f)) + max(0.0, 1.0f);
  v += expf(v) + __expf(v) + sinf(v) + rsqrtf(v) + std::sqrt(v) + std::abs(v) + std::pow(v, 2.f);
  v += __fdividef(v, 3.f) + __powf(v, v) + tanhf(v) + fmodf(v, 2.f) + CUDART_PI_F;
  tile[threadIdx.x] = v;
  fixed[threadIdx.x & 7] = make_float4(v, v, v, v);
  __syncthreads();
  if (isnan(v) || isinf(v) || std::isfinite(v))
    printf("%d %f\n", i, v);
  int4 words = *reinterpret_cast<const int4 *>(in);
  out[i] = tile[(threadIdx.x + 1) % block] + fixed[0].w + __int_as_float(words.x);
  atomicAdd(&counter, 1);
  atomicMax((int *)out, i);
  atomicCAS((unsigned int *)out, 0u, 1u);
  atomicAdd_block(out, 1.f);
  out[i] += __ldg(in + i) + (float)clock64() + (float)min((unsigned)i, 3u) + abs(i);
  __stcs(out + i, 1.0);
  out[i] += __ldcg(in + i) + __ldca(in + i);
  __threadfence();
  if (__syncthreads_or(i > n))
    __trap();
}

static float run(int n) {
  std::vector<float> host(n);
  std::mt19937 engine(1);
  std::generate(host.begin(), host.end(),
                [&] { return std::uniform_real_distribution<float>()(engine); });
  float *in = nullptr, *out = nullptr;
  if (cudaMalloc(&in, n * sizeof(float)) != cudaSuccess ||
      cudaMallocManaged(&out, n * 4) != cudaSuccess)
    throw std::string(cudaGetErrorString(cudaGetLastError()));
  cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  float factors[4] = {1, 2, 3, 4};
  cudaMemcpyToSymbol(scale, factors, sizeof(factors));
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaFuncSetAttribute(sums<128>, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10);
  int blocks = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sums<128>, 128, 512);
  cudaEventRecord(start, stream);
  dim3 grid((n + 127) / 128), block(128);
  sums<128><<<grid, block, 512, stream>>>(in, out, n);
  sums<64><<<n / 64, 64, 256>>>(in, out, n);
  cudaEventRecord(stop, stream);
  cudaEventSynchronize(stop);
  float ms = 0;
  cudaEventElapsedTime(&ms, start, stop);
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &ms, in, n, in, n, &ms, out, n);
  cublasDestroy(handle);
  cudaFree(in);
  return std::max(ms, 1.f) + (float)properties.multiProcessorCount + std::fabs(host[0]) +
         max(1, blocks);
}

int main() { return run(1024) > 0 ? EXIT_SUCCESS : EXIT_FAILURE; }
