// Second operands of which each word is a value of its own, computed from weights that an object gives
// out, and from factors that change where a group begins.
//
// RUN: %prove --launch %S/words_apart.yaml 2>&1 | FileCheck %S/Inputs/native_tested.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

// Eight weights of four bits a word, along k.
class Weights {
public:
  __device__ Weights(const uint32_t *data, int columns) : data_(data), columns_(columns) {}
  __device__ uint32_t word(int k, int column) const { return data_[k / 8 * columns_ + column]; }

private:
  const uint32_t *data_;
  const int columns_;
};

__device__ __forceinline__ half2 pairOf(uint32_t word, int shift, half2 factor) {
  const int low = (word >> shift & 15) - 8, high = (word >> (shift + 4) & 15) - 8;
  return __hmul2(__halves2half2(__int2half_rn(low), __int2half_rn(high)), factor);
}
__device__ __forceinline__ void mma(float (&c)[4], const uint32_t (&a)[4], const half2 b0,
                                    const half2 b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(*(const uint32_t *)&b0),
                 "r"(*(const uint32_t *)&b1));
}

// A lane's word has k = 8 t to 8 t + 7: two products take four of them each, x in the same order.
// CHECK-LABEL: void __launch_bounds__(128) decoded(
// CHECK: factor[j] = lp::read_b([&](int lane, int warp) {
// CHECK: const uint32_t q = lp::read_b([&](int lane, int warp) {
// CHECK: return w.word(k + t * 8, column + j * 8 + g);
// CHECK: lp::words2{lp::bits<unsigned>(pairOf(q, 0, factor[j])), lp::bits<unsigned>(pairOf(q, 8, factor[j]))}
__global__ void __launch_bounds__(128) decoded(const half *x, const uint32_t *packed,
                                               const half *factors, float *y, int N, int K, int size) {
  const Weights w(packed, N);
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  const int column = blockIdx.x * 128 + threadIdx.x / 32 * 32;
  float c[4][4] = {};
  half2 factor[4];
  int now = -1;
  for (int k = 0; k < K; k += 32) {
    if (k / size != now) {
      now = k / size;
      for (int j = 0; j < 4; ++j)
        factor[j] = __half2half2(factors[now * N + column + j * 8 + g]);
    }
    uint32_t a[2][4];
    for (int s = 0; s < 2; ++s)
      for (int r = 0; r < 4; ++r)
        a[s][r] = *(const uint32_t *)&x[(g + r % 2 * 8) * K + k + t * 8 + s * 4 + r / 2 * 2];
    for (int j = 0; j < 4; ++j) {
      const uint32_t q = w.word(k + t * 8, column + j * 8 + g);
      mma(c[j], a[0], pairOf(q, 0, factor[j]), pairOf(q, 8, factor[j]));
      mma(c[j], a[1], pairOf(q, 16, factor[j]), pairOf(q, 24, factor[j]));
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      y[(g + e / 2 * 8) * N + column + j * 8 + t * 2 + e % 2] = c[j][e];
}
