// cg::inclusive_scan and cg::exclusive_scan over a tile.
#pragma once
#include "reduce.h"

namespace cooperative_groups {
inline namespace __v1 {

#define LP_CG_SCAN static __forceinline__ __device__ __attribute__((convergent)) auto

template <typename Group, typename T, typename Op>
LP_CG_SCAN inclusive_scan(const Group &g, T value, Op op) {
  __remove_cvref(decltype(op(value, value))) sum = value;
  for (unsigned int offset = 1; offset < g.size(); offset *= 2) {
    auto below = g.shfl_up(sum, offset);
    if (g.thread_rank() >= offset)
      sum = op(sum, below);
  }
  return sum;
}
template <typename Group, typename T> LP_CG_SCAN inclusive_scan(const Group &g, T value) {
  return inclusive_scan(g, value, plus<T>());
}
template <typename Group, typename T, typename Op>
LP_CG_SCAN exclusive_scan(const Group &g, T value, Op op) {
  auto below = g.shfl_up(inclusive_scan(g, value, op), 1);
  return g.thread_rank() == 0 ? decltype(below)() : below;
}
template <typename Group, typename T> LP_CG_SCAN exclusive_scan(const Group &g, T value) {
  return exclusive_scan(g, value, plus<T>());
}
#undef LP_CG_SCAN

} // namespace __v1
} // namespace cooperative_groups
