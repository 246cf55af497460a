// cg::reduce and its operators, as a butterfly over the tile.
#pragma once
#include "../cooperative_groups.h"

namespace cooperative_groups {
inline namespace __v1 {

#define LP_OPERATOR(name, expression)                                                              \
  template <typename T = void> struct name {                                                       \
    __forceinline__ __host__ __device__ T operator()(T a, T b) const { return expression; }        \
  };                                                                                               \
  template <> struct name<void> {                                                                  \
    template <typename T> __forceinline__ __host__ __device__ T operator()(T a, T b) const {       \
      return expression;                                                                           \
    }                                                                                              \
  };
LP_OPERATOR(plus, a + b)
LP_OPERATOR(less, b < a ? b : a)
LP_OPERATOR(greater, a < b ? b : a)
LP_OPERATOR(bit_and, a &b)
LP_OPERATOR(bit_or, a | b)
LP_OPERATOR(bit_xor, a ^ b)
#undef LP_OPERATOR

template <unsigned int n, typename Parent, typename T, typename Op>
static __forceinline__ __device__ __attribute__((convergent)) auto
reduce(const thread_block_tile<n, Parent> &g, T value, Op op) {
  __remove_cvref(decltype(op(value, value))) sum = value;
#pragma unroll
  for (unsigned int offset = n / 2; offset > 0; offset /= 2)
    sum = op(sum, g.shfl_xor(sum, offset));
  return sum;
}
// A whole warp is a tile; the last member of fewer has the whole of a scan over ranks.
template <typename T, typename Op>
static __forceinline__ __device__ __attribute__((convergent)) auto reduce(const coalesced_group &g,
                                                                          T value, Op op) {
  __remove_cvref(decltype(op(value, value))) sum = value;
  const unsigned int size = g.size();
  for (unsigned int offset = size == 32 ? 16 : 0; offset > 0; offset /= 2)
    sum = op(sum, g.shfl(sum, g.thread_rank() ^ offset));
  for (unsigned int offset = size == 32 ? 32 : 1; offset < size; offset *= 2) {
    auto below = g.shfl_up(sum, offset);
    if (g.thread_rank() >= offset)
      sum = op(sum, below);
  }
  return size == 32 ? sum : g.shfl(sum, size - 1);
}

} // namespace __v1
} // namespace cooperative_groups
