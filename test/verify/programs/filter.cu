// Several launches that speak through symbols, on streams and with events between them: a filter
// whose weights are in constant memory, a maximum in a __device__ variable, pinned and managed
// memory, 2D copies, a launch by address.
#include <cstdio>
#include <cstring>
#include <numeric>
#include <vector>

#include <cuda_runtime.h>

constexpr int kWidth = 50, kHeight = 12, kTaps = 5;

__constant__ float weights[kTaps];
__device__ float scale = 0.5f;
static __device__ int touched;

__global__ void filter(const float *in, float *out, size_t pitch, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const float *row = reinterpret_cast<const float *>(reinterpret_cast<const char *>(in) + y * pitch);
  float sum = 0;
  for (int t = 0; t < kTaps; ++t) {
    const int at = x + t - kTaps / 2;
    if (at >= 0 && at < width)
      sum += weights[t] * row[at];
  }
  out[y * width + x] = sum * scale;
  if (x == 0)
    atomicAdd(&touched, 1);
}

struct Line {
  float slope, offset;
  float *data;
};

__global__ void adjust(Line line, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    line.data[i] = line.slope * line.data[i] + line.offset;
}

int main() {
  float taps[kTaps] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};
  cudaMemcpyToSymbol(weights, taps, sizeof taps);
  const float half = 0.25f;
  void *scaleAddress = nullptr;
  cudaGetSymbolAddress(&scaleAddress, scale);
  cudaMemcpy(scaleAddress, &half, sizeof half, cudaMemcpyHostToDevice);

  float *image, *out, *staging;
  size_t pitch = 0;
  cudaMallocPitch(&image, &pitch, kWidth * sizeof(float), kHeight);
  cudaMallocManaged(&out, kWidth * kHeight * sizeof(float));
  cudaMallocHost((void **)&staging, kWidth * kHeight * sizeof(float));
  std::iota(staging, staging + kWidth * kHeight, 1.0f);

  cudaStream_t stream;
  cudaEvent_t copied;
  cudaStreamCreate(&stream);
  cudaEventCreateWithFlags(&copied, cudaEventDisableTiming);
  cudaMemcpy2DAsync(image, pitch, staging, kWidth * sizeof(float), kWidth * sizeof(float), kHeight,
                    cudaMemcpyHostToDevice, stream);
  cudaEventRecord(copied, stream);
  cudaStreamWaitEvent(0, copied, 0);

  const dim3 block(16, 4), grid((kWidth + 15) / 16, (kHeight + 3) / 4);
  filter<<<grid, block, 0, stream>>>(image, out, pitch, kWidth, kHeight);
  cudaStreamSynchronize(stream);
  for (int i = 0; i < kWidth; ++i)
    out[i] += 1.0f; // on the host: the memory is managed
  Line line = {2.0f, -1.0f, out};
  int count = kWidth * kHeight;
  void *args[] = {&line, &count};
  cudaLaunchKernel((const void *)adjust, dim3(2), dim3(64), args, 0, stream);
  cudaDeviceSynchronize();

  int rows = 0;
  cudaMemcpyFromSymbol(&rows, touched, sizeof rows);
  printf("%d rows, out[0] = %f\n", rows, out[0]);
  cudaFree(image);
  cudaFree(out);
  cudaFreeHost(staging);
  cudaEventDestroy(copied);
  cudaStreamDestroy(stream);
  return rows == kHeight ? 0 : 1;
}
