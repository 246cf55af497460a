// An assertion is no guard: a launch where it never fails is not thin for that.
#include <cassert>
#include <cstdio>

__global__ void twice(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  assert(in[i] < 1000);
  if (i % 7 == 0)
    printf("%d: %d\n", i, in[i]);
  out[i] = in[i] * 2;
}
