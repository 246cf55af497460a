// Online softmax over tiles of 64 keys: one row of scores a thread, two columns of V.
// Its ports beside it take other tiles, so that exp(a + b) = exp(a) exp(b) decides.
#include <cuda_runtime.h>

__global__ void softmax(const float *scores, const float *values, float *out, int rows, int keys) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float highest = -INFINITY, sum = 0.0f, o0 = 0.0f, o1 = 0.0f;
  for (int tile = 0; tile < keys; tile += 64) {
    float next = highest;
    for (int k = tile; k < tile + 64; ++k)
      next = fmaxf(next, scores[row * keys + k]);
    const float scale = exp2f((highest - next) * 1.44269504f);
    sum *= scale;
    o0 *= scale;
    o1 *= scale;
    for (int k = tile; k < tile + 64; ++k) {
      const float p = exp2f((scores[row * keys + k] - next) * 1.44269504f);
      sum += p;
      o0 += p * values[2 * k];
      o1 += p * values[2 * k + 1];
    }
    highest = next;
  }
  out[2 * row] = o0 / sum;
  out[2 * row + 1] = o1 / sum;
}
