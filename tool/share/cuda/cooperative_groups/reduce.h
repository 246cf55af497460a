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
// Members by rank: the first gathers, then all read it.
template <typename T, typename Op>
static __forceinline__ __device__ __attribute__((convergent)) auto reduce(const coalesced_group &g,
                                                                          T value, Op op) {
  const __remove_cvref(decltype(op(value, value))) own = value;
  auto total = g.shfl(own, 0);
  for (unsigned int rank = 1; rank < g.size(); ++rank)
    total = op(total, g.shfl(own, rank));
  return total;
}

} // namespace __v1
} // namespace cooperative_groups
