// softmax_64.cu with tiles of 128 keys and natural exponentials.
#include <hip/hip_runtime.h>

__global__ void softmax(const float *scores, const float *values, float *out, int rows, int keys) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float highest = -INFINITY, sum = 0.0f, o0 = 0.0f, o1 = 0.0f;
  for (int tile = 0; tile < keys; tile += 128) {
    float next = highest;
    for (int k = tile; k < tile + 128; ++k)
      next = fmaxf(next, scores[row * keys + k]);
    const float scale = expf(highest - next);
    sum *= scale;
    o0 *= scale;
    o1 *= scale;
    for (int k = tile; k < tile + 128; ++k) {
      const float p = expf(scores[row * keys + k] - next);
      sum += p;
      o0 += p * values[2 * k];
      o1 += p * values[2 * k + 1];
    }
    highest = next;
  }
  const float inverse = 1.0f / sum;
  out[2 * row] = o0 * inverse;
  out[2 * row + 1] = o1 * inverse;
}
