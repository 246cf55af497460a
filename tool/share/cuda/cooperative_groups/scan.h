// cg::inclusive_scan and cg::exclusive_scan over a tile.
#pragma once
#include "reduce.h"

namespace cooperative_groups {
inline namespace __v1 {

template <typename Group, typename T, typename Op>
static __forceinline__ __device__ __attribute__((convergent)) T inclusive_scan(const Group &g,
                                                                               T value, Op op) {
  for (unsigned int offset = 1; offset < g.size(); offset *= 2) {
    T below = g.shfl_up(value, offset);
    if (g.thread_rank() >= offset)
      value = op(below, value);
  }
  return value;
}
template <typename Group, typename T>
static __forceinline__ __device__ __attribute__((convergent)) T inclusive_scan(const Group &g,
                                                                               T value) {
  return inclusive_scan(g, value, plus<T>());
}
template <typename Group, typename T, typename Op>
static __forceinline__ __device__ __attribute__((convergent)) T exclusive_scan(const Group &g,
                                                                               T value, Op op) {
  T below = g.shfl_up(inclusive_scan(g, value, op), 1);
  return g.thread_rank() == 0 ? T() : below;
}
template <typename Group, typename T>
static __forceinline__ __device__ __attribute__((convergent)) T exclusive_scan(const Group &g,
                                                                               T value) {
  return exclusive_scan(g, value, plus<T>());
}

} // namespace __v1
} // namespace cooperative_groups
