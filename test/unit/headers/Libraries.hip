// hipCUB collectives and hipRAND, as ported kernels use them.
#include <hipcub/hipcub.hpp>
#include <hiprand/hiprand.h>
#include <hiprand/hiprand_kernel.h>

__global__ void sums(const float *in, float *out) {
  typedef hipcub::BlockReduce<float, 128> Reduce;
  __shared__ typename Reduce::TempStorage storage;
  float sum = Reduce(storage).Sum(in[threadIdx.x]);
  __shared__ typename hipcub::WarpReduce<float>::TempStorage warp;
  sum += hipcub::WarpReduce<float>(warp).Sum(in[threadIdx.x]);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

__global__ void noise(float *out) {
  hiprandState state;
  hiprand_init(1234ull, threadIdx.x, 0, &state);
  out[threadIdx.x] = hiprand_uniform(&state) + hiprand_normal(&state);
}

float generate(float *out, size_t n) {
  hiprandGenerator_t generator;
  if (hiprandCreateGenerator(&generator, HIPRAND_RNG_PSEUDO_DEFAULT) != HIPRAND_STATUS_SUCCESS)
    return 1;
  (void)hiprandSetPseudoRandomGeneratorSeed(generator, 1234ull);
  (void)hiprandGenerateUniform(generator, out, n);
  return hiprandDestroyGenerator(generator) == HIPRAND_STATUS_SUCCESS ? 0 : 1;
}
