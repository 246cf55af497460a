// C = A * B on tensor cores, with a main that checks against the host: 16-bit inputs, a ragged
// number of rows, error checks by macro, timing by events.
//   hgemm [m n k]
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define CHECK(call)                                                                               \
  do {                                                                                             \
    const cudaError_t status = (call);                                                             \
    if (status != cudaSuccess) {                                                                   \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));              \
      exit(EXIT_FAILURE);                                                                          \
    }                                                                                              \
  } while (0)

// A warp makes a tile of 16 x 8.
__global__ void hgemm(const __half *a, const __half *b, float *c, int m, int n, int k) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = blockIdx.y * 16 + lane / 4, col = (blockIdx.x * 4 + warp) * 8;
  const int pair = (lane % 4) * 2;
  float acc[4] = {};
  for (int k0 = 0; k0 < k; k0 += 16) {
    unsigned fa[4], fb[2];
    for (int r = 0; r < 4; ++r) {
      const int i = row + (r % 2) * 8, kk = k0 + pair + (r / 2) * 8;
      fa[r] = i < m ? *reinterpret_cast<const unsigned *>(a + i * k + kk) : 0;
    }
    for (int r = 0; r < 2; ++r) // B is stored by columns
      fb[r] = *reinterpret_cast<const unsigned *>(b + (col + lane / 4) * k + k0 + pair + r * 8);
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
                 : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
  }
  for (int r = 0; r < 4; ++r) {
    const int i = row + (r / 2) * 8, j = col + pair + r % 2;
    if (i < m)
      c[i * n + j] = acc[r];
  }
}

int main(int argc, char **argv) {
  const int m = argc > 3 ? atoi(argv[1]) : 40, n = argc > 3 ? atoi(argv[2]) : 64,
            k = argc > 3 ? atoi(argv[3]) : 48;
  std::vector<__half> a(m * k), b(n * k);
  std::vector<float> c(m * n);
  for (int i = 0; i < m * k; ++i)
    a[i] = __float2half(float(rand() % 17 - 8) / 8);
  for (int i = 0; i < n * k; ++i)
    b[i] = __float2half(float(rand() % 17 - 8) / 8);
  __half *d_a, *d_b;
  float *d_c;
  CHECK(cudaMalloc(&d_a, a.size() * sizeof(__half)));
  CHECK(cudaMalloc(&d_b, b.size() * sizeof(__half)));
  CHECK(cudaMalloc(&d_c, c.size() * sizeof(float)));
  CHECK(cudaMemcpy(d_a, a.data(), a.size() * sizeof(__half), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, b.data(), b.size() * sizeof(__half), cudaMemcpyHostToDevice));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start));
  hgemm<<<dim3(n / 32, (m + 15) / 16), 128>>>(d_a, d_b, d_c, m, n, k);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  CHECK(cudaMemcpy(c.data(), d_c, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int l = 0; l < k; ++l)
        sum += __half2float(a[i * k + l]) * __half2float(b[j * k + l]);
      wrong += fabsf(sum - c[i * n + j]) > 1e-2f;
    }
  printf("%d wrong, %.1f GFLOP/s\n", wrong, 2e-6 * m * n * k / milliseconds);
  CHECK(cudaFree(d_a));
  CHECK(cudaFree(d_b));
  CHECK(cudaFree(d_c));
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
