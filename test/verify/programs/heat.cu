// Two kernels in a loop, over two buffers that trade places: diffusion on a rod, and the heat in
// each block of it by shuffles.
//   heat [steps [points]]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

static void check(cudaError_t status, const char *what) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

class Rod {
public:
  explicit Rod(size_t points) : points_(points) {
    check(cudaMalloc(&data_, points * sizeof(float)), "cudaMalloc");
  }
  ~Rod() { cudaFree(data_); }
  float *data() const { return data_; }
  size_t bytes() const { return points_ * sizeof(float); }

private:
  size_t points_;
  float *data_ = nullptr;
};

__global__ void diffuse(const float *from, float *to, int points, float rate) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= points)
    return;
  const float left = i ? from[i - 1] : from[i], right = i + 1 < points ? from[i + 1] : from[i];
  to[i] = from[i] + rate * (left - 2 * from[i] + right);
}

template <int Threads> __global__ void heatOf(const float *rod, float *sums, int points) {
  __shared__ float warps[Threads / 32];
  const int i = blockIdx.x * Threads + threadIdx.x;
  float sum = i < points ? rod[i] : 0.0f;
  for (int offset = 16; offset; offset /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (threadIdx.x % 32 == 0)
    warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < Threads / 32; ++w)
      sum += warps[w];
    sums[blockIdx.x] = sum;
  }
}

int main(int argc, char **argv) try {
  const int steps = argc > 1 ? std::stoi(argv[1]) : 3, points = argc > 2 ? std::stoi(argv[2]) : 300;
  constexpr int threads = 128;
  const int blocks = (points + threads - 1) / threads;
  std::mt19937 random(1);
  std::uniform_real_distribution<float> temperature(0.0f, 100.0f);
  std::vector<float> start(points), sums(blocks);
  for (float &t : start)
    t = temperature(random);
  auto now = std::make_unique<Rod>(points), next = std::make_unique<Rod>(points);
  Rod heat(blocks);
  check(cudaMemcpy(now->data(), start.data(), now->bytes(), cudaMemcpyHostToDevice), "copy");
  for (int step = 0; step < steps; ++step) {
    diffuse<<<blocks, threads>>>(now->data(), next->data(), points, 0.1f);
    check(cudaGetLastError(), "diffuse");
    heatOf<threads><<<blocks, threads>>>(next->data(), heat.data(), points);
    check(cudaGetLastError(), "heatOf");
    std::swap(now, next);
  }
  check(cudaMemcpy(sums.data(), heat.data(), heat.bytes(), cudaMemcpyDeviceToHost), "copy back");
  double before = 0, after = 0;
  for (float t : start)
    before += t;
  for (float t : sums)
    after += t;
  printf("heat before %.3f, after %.3f\n", before, after);
  return std::fabs(before - after) < 1e-3 * before ? 0 : 1;
} catch (const std::exception &error) {
  fprintf(stderr, "heat: %s\n", error.what());
  return 2;
}
