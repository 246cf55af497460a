// One main that behaves as its first argument says: well, badly, or in the port otherwise than in
// the source. The port is this text with HIP's names.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#ifdef __HIP__
#include <hip/hip_runtime.h>
constexpr bool kPort = true;
#else
#include <cuda_runtime.h>
constexpr bool kPort = false;
#endif

constexpr int kCount = 128;

__global__ void twice(float *data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = 2.0f * data[i];
}

// What the port does wrong: 1 a value, 2 an element that constant data hides, 3 a factor that
// rounding hides, 4 a read out of bounds, 5 a store that is left out.
__global__ void flawed(const float *in, float *out, int flaw) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = in[kPort && flaw == 2 ? i ^ 1 : i] + 1.0f;
  if (kPort && flaw == 1 && i == 77)
    value = -1.0f;
  if (kPort && flaw == 3)
    value *= 1.0001f;
  if (kPort && flaw == 4 && i == 0)
    value += 0.0f * in[kCount];
  if (!(kPort && flaw == 5 && i == 5))
    out[i] = value;
}

__global__ void spin(volatile int *flag) {
  while (*flag == 0) {
  }
}

static float *makeBuffer(size_t count, float value) {
  std::vector<float> host(count, value);
  float *device = nullptr;
  if (cudaMalloc(&device, count * sizeof(float)) != cudaSuccess)
    exit(1);
  cudaMemcpy(device, host.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  return device;
}

static void runFlawed(int flaw) {
  const float *in = makeBuffer(kCount, 1.0f);
  float *out = makeBuffer(kCount, 0.0f);
  twice<<<2, 64>>>(out);
  flawed<<<2, 64>>>(in, out, flaw);
}

int main(int argc, char **argv) {
  const std::string mode = argc > 1 ? argv[1] : "well";
  if (mode == "no-launch")
    return 0;
  if (mode == "status") {
    printf("nothing works\n");
    return 3;
  }
  if (mode == "abort")
    abort();
  if (mode == "throw")
    throw std::runtime_error("no such card");
  if (mode == "loop")
    for (volatile int x = 0;;)
      x = x + 1;
  if (mode == "chatter")
    for (;;)
      puts("still here");
  if (mode == "null")
    *(volatile int *)8 = 1;
  if (mode == "out-of-memory") {
    float *data = nullptr;
    if (cudaMalloc(&data, size_t(1) << 40) != cudaSuccess) {
      printf("%s\n", cudaGetErrorString(cudaGetLastError()));
      return 1;
    }
  }
  if (mode == "host-memory") {
    std::vector<char> huge(size_t(1) << 40, 'x');
    printf("%s\n", huge.data());
  }
  if (mode == "graph") {
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
  }
  if (mode == "no-kernel") {
    void *args[] = {nullptr};
    cudaLaunchKernel((const void *)&kCount, dim3(1), dim3(1), args, 0, 0);
  }
  if (mode == "host-pointer") {
    float data[kCount] = {};
    twice<<<2, 64>>>(data);
    return 0;
  }
  if (mode == "null-copy")
    cudaMemcpy(makeBuffer(4, 0), nullptr, 16, cudaMemcpyHostToDevice);
  if (mode == "bad-copy")
    cudaMemcpy(makeBuffer(4, 0), (const void *)64, 16, cudaMemcpyHostToDevice);

  float *data = makeBuffer(kCount, 1.0f);
  if (mode == "device-on-host")
    data[3] = 1.0f;
  if (mode == "copy-overrun") {
    std::vector<float> host(2 * kCount);
    if (cudaMemcpy(data, host.data(), 2 * kCount * sizeof(float), cudaMemcpyHostToDevice) ==
        cudaSuccess)
      return 1;
    if (cudaMemcpy(host.data(), data, 16, cudaMemcpyHostToDevice) == cudaSuccess)
      return 1;
  }
  if (mode == "freed")
    cudaFree(data);
  if (mode == "spin") {
    int *flag;
    cudaMalloc(&flag, sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    spin<<<2, 64>>>(flag);
  }
  if (mode == "too-many-threads") {
    twice<<<1, 2048>>>(data);
    if (cudaGetLastError() != cudaErrorInvalidConfiguration)
      return 1;
  }
  if (mode == "thread") {
    std::thread([&] { twice<<<2, 64>>>(data); }).join();
    return 0;
  }
  if (mode == "caught") {
    try {
      std::vector<int>(2).at(5) = 1;
    } catch (const std::out_of_range &) {
      twice<<<2, 64>>>(data);
      return 0;
    }
  }
  if (mode == "chance") {
    unsigned seed = 0;
    FILE *file = fopen("/dev/urandom", "r");
    if (!file || fread(&seed, sizeof seed, 1, file) != 1)
      return 1;
    const float value = float(seed);
    cudaMemcpy(data, &value, sizeof value, cudaMemcpyHostToDevice);
  }
  if (mode == "seeded") {
    srand(unsigned(time(nullptr)));
    const float value = float(rand());
    cudaMemcpy(data, &value, sizeof value, cudaMemcpyHostToDevice);
  }
  if (mode == "repeat") {
    for (int i = 0; i < 200; ++i)
      flawed<<<2, 64>>>(data, data + 0, 0);
    return 0;
  }

  if (kPort && mode == "port-crash")
    abort();
  if (kPort && mode == "port-data")
    cudaMemset(data, 0, 4);
  if (kPort && mode == "port-allocates")
    makeBuffer(5, 0.0f);
  if (kPort && mode == "port-ends")
    return 0;
  if (mode == "port-grid")
    twice<<<kPort ? 1 : 2, 64>>>(data);
  if (mode == "port-shared")
    twice<<<2, 64, kPort ? 64 : 0>>>(data);
  if (kPort && mode == "port-order")
    runFlawed(0);
  if (mode.rfind("flaw", 0) == 0)
    runFlawed(mode.back() - '0');

  twice<<<2, 64>>>(data);
  return kPort && mode == "port-returns" ? 5 : 0;
}
