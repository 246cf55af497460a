// Kernels that the port calls otherwise, or that have no name to be called by from elsewhere.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

template <class T, unsigned N> __global__ void copy(const T *from, T *to) {
  for (unsigned i = 0; i < N; ++i)
    to[threadIdx.x * N + i] = from[threadIdx.x * N + i];
}
template __global__ void copy<__nv_fp8_e4m3, 2>(const __nv_fp8_e4m3 *, __nv_fp8_e4m3 *);
template __global__ void copy<__nv_bfloat16, 2>(const __nv_bfloat16 *, __nv_bfloat16 *);
template __global__ void copy<__half, 2>(const __half *, __half *);
template __global__ void copy<__half, 4>(const __half *, __half *);
template __global__ void copy<unsigned, 2>(const unsigned *, unsigned *);

namespace {
__global__ void twice(const float *from, float *to) { to[threadIdx.x] = 2 * from[threadIdx.x]; }
struct Tile {
  static constexpr int size = 2;
};
template <class T> __global__ void tiled(const float *from, float *to) {
  to[threadIdx.x] = T::size * from[threadIdx.x];
}
} // namespace

void launch(const float *from, float *to) {
  twice<<<1, 32>>>(from, to);
  tiled<Tile><<<1, 32>>>(from, to);
}
