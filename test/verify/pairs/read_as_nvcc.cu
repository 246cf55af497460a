// What nvcc reads and clang does not: a member template of a dependent type without `template`.
// And a constant operand that is part of an instruction's name.
#include <cuda_runtime.h>
struct Row {
  int stride;
  template <int n> __device__ int at(int column) const { return n * stride + column; }
};
template <int width, typename T> __device__ int shifted(const T &row, const int *in, int x) {
  int value = in[row.at<2>(x)], result;
  asm("shl.b%2 %0, %1, 3;" : "=r"(result) : "r"(value), "n"(width));
  return result;
}
__global__ void read(const int *in, int *out) {
  const Row row{32};
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  out[x] = shifted<32>(row, in, x);
}
