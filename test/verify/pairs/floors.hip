// floors.cu. -DOVER: rounds to the nearest, and leaves X at its end. -DOTHER: another element.
#include <hip/hip_runtime.h>

#ifdef OVER
#define WHOLE(x) int(roundf(x))
#else
#define WHOLE(x) int(floorf(x))
#endif
#ifdef OTHER
constexpr int other = 1;
#else
constexpr int other = 0;
#endif

__global__ void nearest(const float *X, float *Y, int n, float step) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = WHOLE(t * step);
  Y[t] = X[i] + 2 * X[int(floorf((t + 0.5f) * 0.25f))];
}

__global__ void table(const float *X, const float *P, float *Y, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const float place = fminf(fmaxf(P[t] * 0.3f + 1, 0.f), n - 1.f);
  const int i = int(floorf(place));
  Y[t] = X[i ^ other] * (place - i);
}
