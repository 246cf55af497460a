// As masked_scores.cu; WRONG: the rows that have a mask come out three times as large.
#include <hip/hip_runtime.h>
__global__ void masked(const float *A, float *O, float scale, int rows) {
  const int row = threadIdx.x;
  float most = -INFINITY, sum = 0.f, out = 0.f;
  for (int k = 0; k < rows; ++k) {
    const float s = (k > row ? -INFINITY : A[row * rows + k]) * scale;
    most = fmaxf(most, s);
  }
  for (int k = 0; k < rows; ++k) {
    const float s = (k > row ? -INFINITY : A[row * rows + k]) * scale;
    const float p = expf(s - most);
    sum += p;
    out += p * A[k];
  }
#ifdef WRONG
  if (row < rows - 1)
    out *= 3.f;
#endif
  O[row] = out / sum;
}
__global__ void signed_(const float *A, const float *B, float *O) {
  const int i = threadIdx.x;
  const float s = -INFINITY * fabsf(B[0]);
  O[i] = expf(s) * A[i] + A[i];
}
__global__ void byThePrime(const float *A, float *O) {
#ifdef WRONG
  O[threadIdx.x] = A[threadIdx.x] * 3.f / 65267.f;
#else
  O[threadIdx.x] = A[threadIdx.x] / 65267.f;
#endif
}
