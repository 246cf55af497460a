// Buffers that a launch file declares as floats, and whose words are read as integers: packed ones,
// bytes that are only moved, upper and lower halves that go their own ways, floats that
// are rounded by their bits, keys to sort by, and halves.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void nibbles(const float *W, const float *X, float *Y, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    const unsigned word = reinterpret_cast<const unsigned *>(W)[t * n + i];
    for (int j = 0; j < 8; ++j)
      sum += X[8 * i + j] * float(int(word >> 4 * j & 15) - 8);
  }
  Y[t] = sum;
}

__global__ void bytes(const float *W, unsigned char *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 4; ++j)
    B[4 * t + j] = reinterpret_cast<const unsigned char *>(W)[4 * t + 3 - j];
}

__global__ void places(const float *W, float *Y) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned short *from = reinterpret_cast<const unsigned short *>(W);
  unsigned short *to = reinterpret_cast<unsigned short *>(Y);
  to[2 * t] = from[2 * t];
  to[2 * t + 1] = from[2 * (t ^ 1) + 1];
}

__global__ void cuts(const float *W, float *Y, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    const unsigned word = __float_as_uint(W[t * n + i]);
    sum += __uint_as_float((word + 0x7fff + (word >> 16 & 1)) >> 16 << 16);
  }
  Y[t] = sum * sum * sum;
}

__global__ void keys(const float *W, unsigned *K, float *Y, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  unsigned most = 0;
  for (int i = 0; i < n; ++i) {
    const unsigned word = __float_as_uint(W[t * n + i]);
    const unsigned key = word >> 31 ? ~word : word | 0x80000000u;
    most = key > most ? key : most;
    sum += W[t * n + i];
  }
  K[t] = most;
  Y[t] = sum;
}

__global__ void halves(const float *W, float *Y, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    const __half2 pair = reinterpret_cast<const __half2 *>(W)[t * n + i];
    sum += __low2float(pair) - 2 * __high2float(pair);
  }
  Y[t] = sum;
}
