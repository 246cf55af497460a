// nvcuda::wmma: warp matrix fragments and the four operations on them.
// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#warp-matrix-functions
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;

namespace precision {
struct tf32;
namespace experimental {}
} // namespace precision

namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

enum layout_t { mem_row_major, mem_col_major };

// What a fragment holds in one lane: elements of `storage_element_type`, which differs from the type
// named for tf32 (float), and for s4, u4, b1 (packed words).
template <typename T, int size> struct lp_fragment {
  enum { num_elements = size, num_storage_elements = size };
  typedef T element_type;
  typedef T storage_element_type;
  T x[size];
};

template <typename Use, int m, int n, int k, typename T, typename Layout = void> class fragment;

// Elements a lane holds. Half operands are held twice over a warp, the other types once:
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-fragment
#define LP_FRAGMENT(use, M, N, K, T, stored, size)                                                 \
  template <typename Layout>                                                                       \
  class fragment<use, M, N, K, T, Layout> : public lp_fragment<stored, size> {};
#define LP_ACCUMULATOR(M, N, K, T, size)                                                           \
  template <> class fragment<accumulator, M, N, K, T, void> : public lp_fragment<T, size> {};

#define LP_SHAPE_16(M, N, K)                                                                       \
  LP_FRAGMENT(matrix_a, M, N, K, __half, __half, 16)                                               \
  LP_FRAGMENT(matrix_b, M, N, K, __half, __half, 16)                                               \
  LP_FRAGMENT(matrix_a, M, N, K, __nv_bfloat16, __nv_bfloat16, M *K / 32)                          \
  LP_FRAGMENT(matrix_b, M, N, K, __nv_bfloat16, __nv_bfloat16, N *K / 32)                          \
  LP_FRAGMENT(matrix_a, M, N, K, signed char, signed char, M *K / 32)                              \
  LP_FRAGMENT(matrix_b, M, N, K, signed char, signed char, N *K / 32)                              \
  LP_FRAGMENT(matrix_a, M, N, K, unsigned char, unsigned char, M *K / 32)                          \
  LP_FRAGMENT(matrix_b, M, N, K, unsigned char, unsigned char, N *K / 32)                          \
  LP_ACCUMULATOR(M, N, K, __half, 8)                                                               \
  LP_ACCUMULATOR(M, N, K, float, 8)                                                                \
  LP_ACCUMULATOR(M, N, K, int, 8)
LP_SHAPE_16(16, 16, 16)
LP_SHAPE_16(32, 8, 16)
LP_SHAPE_16(8, 32, 16)
#undef LP_SHAPE_16

LP_FRAGMENT(matrix_a, 16, 16, 8, precision::tf32, float, 4)
LP_FRAGMENT(matrix_b, 16, 16, 8, precision::tf32, float, 4)
LP_ACCUMULATOR(16, 16, 8, float, 8)
LP_FRAGMENT(matrix_a, 8, 8, 4, double, double, 1)
LP_FRAGMENT(matrix_b, 8, 8, 4, double, double, 1)
LP_ACCUMULATOR(8, 8, 4, double, 2)
LP_FRAGMENT(matrix_a, 8, 8, 32, experimental::precision::s4, int, 1)
LP_FRAGMENT(matrix_b, 8, 8, 32, experimental::precision::s4, int, 1)
LP_FRAGMENT(matrix_a, 8, 8, 32, experimental::precision::u4, unsigned int, 1)
LP_FRAGMENT(matrix_b, 8, 8, 32, experimental::precision::u4, unsigned int, 1)
LP_ACCUMULATOR(8, 8, 32, int, 2)
LP_FRAGMENT(matrix_a, 8, 8, 128, experimental::precision::b1, unsigned int, 1)
LP_FRAGMENT(matrix_b, 8, 8, 128, experimental::precision::b1, unsigned int, 1)
LP_ACCUMULATOR(8, 8, 128, int, 2)
#undef LP_FRAGMENT
#undef LP_ACCUMULATOR

#define LP_WMMA static inline __device__ __attribute__((always_inline, convergent))

template <typename T, int size, typename Value>
LP_WMMA void fill_fragment(lp_fragment<T, size> &fragment, Value value) {
#pragma unroll
  for (int i = 0; i < size; ++i)
    fragment.x[i] = value;
}

LP_WMMA float __float_to_tf32(float a) {
  unsigned int bits = __builtin_bit_cast(unsigned int, a);
  return __builtin_bit_cast(float, (bits + 0x1000u) & ~0x1fffu); // 10 mantissa bits, ties away
}

#include "lp_wmma.inc"

#undef LP_WMMA
} // namespace wmma
} // namespace nvcuda
