// softmax_64.cu without tiles: the highest score of a row first.
#include <hip/hip_runtime.h>

__global__ void softmax(const float *scores, const float *values, float *out, int rows, int keys) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float highest = -INFINITY, sum = 0.0f, o0 = 0.0f, o1 = 0.0f;
  for (int k = 0; k < keys; ++k)
    highest = fmaxf(highest, scores[row * keys + k]);
  for (int k = 0; k < keys; ++k) {
    const float p = expf(scores[row * keys + k] - highest);
    sum += p;
    o0 += p * values[2 * k];
    o1 += p * values[2 * k + 1];
  }
  out[2 * row] = o0 / sum;
  out[2 * row + 1] = o1 / sum;
}
