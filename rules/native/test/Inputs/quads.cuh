#pragma once
// Over the lanes of a quad, which share a row of an mma's results.
template <class T, int Width = 4> __device__ __forceinline__ T quadMax(T x) {
#pragma unroll
  for (int mask = Width >> 1; mask; mask >>= 1)
    x = max(x, __shfl_xor_sync(0xffffffff, x, mask, Width));
  return x;
}
