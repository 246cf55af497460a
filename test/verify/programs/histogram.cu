// Integers: a histogram with shared-memory atomics and dynamic shared memory, and its prefix sum.
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

__global__ void histogram(const unsigned char *data, unsigned *bins, int count, int binCount) {
  extern __shared__ unsigned local[];
  for (int i = threadIdx.x; i < binCount; i += blockDim.x)
    local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    atomicAdd(&local[data[i] % binCount], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < binCount; i += blockDim.x)
    atomicAdd(&bins[i], local[i]);
}

// One block: an inclusive prefix sum by shuffles.
__global__ void prefix(unsigned *bins, int binCount) {
  __shared__ unsigned warpSums[8];
  unsigned sum = threadIdx.x < binCount ? bins[threadIdx.x] : 0;
  for (int offset = 1; offset < 32; offset *= 2) {
    const unsigned other = __shfl_up_sync(0xffffffff, sum, offset);
    if (threadIdx.x % 32 >= offset)
      sum += other;
  }
  if (threadIdx.x % 32 == 31)
    warpSums[threadIdx.x / 32] = sum;
  __syncthreads();
  for (int w = 0; w < threadIdx.x / 32; ++w)
    sum += warpSums[w];
  if (threadIdx.x < binCount)
    bins[threadIdx.x] = sum;
}

int main() {
  const int count = 5000, binCount = 200;
  std::vector<unsigned char> data(count);
  for (int i = 0; i < count; ++i)
    data[i] = (unsigned char)(i * 37 + i / 11);
  unsigned char *deviceData;
  unsigned *deviceBins;
  cudaMalloc((void **)&deviceData, count);
  cudaMalloc((void **)&deviceBins, binCount * sizeof(unsigned));
  cudaMemcpy(deviceData, data.data(), count, cudaMemcpyHostToDevice);
  cudaMemset(deviceBins, 0, binCount * sizeof(unsigned));
  histogram<<<3, 128, binCount * sizeof(unsigned)>>>(deviceData, deviceBins, count, binCount);
  prefix<<<1, 256>>>(deviceBins, binCount);
  std::vector<unsigned> bins(binCount);
  cudaMemcpy(bins.data(), deviceBins, binCount * sizeof(unsigned), cudaMemcpyDeviceToHost);
  printf("total %u\n", bins.back());
  return bins.back() == unsigned(count) ? 0 : 1;
}
