// A library that is included with -isystem: its text stays as it is.
#pragma once

namespace library {

template <int I> __device__ inline float pick(float a, float b) { return I ? b : a; }
template <int I> __device__ inline float scaled(float x) { return x * (I + 1); }
struct Twice {
  static __device__ float of(float x) { return x * 2; }
};
struct Thrice {
  static __device__ float of(float x) { return x * 3; }
};
__device__ inline void both(float x, float &a, float &b) {
  a = x;
  b = 2 * x;
}

struct View {
  float *data;
  __device__ void put(int i, float x) const { data[i] = x; }
  __device__ void putOwn(int e, float x) const { data[e * 64 + threadIdx.x] = x; }
  __device__ float at(int i) const { return data[i]; }
};
__device__ inline void put(View view, int i, float x) { view.data[i] = x; }

__device__ float seen[256];
__device__ inline float noted(float x) { return seen[threadIdx.x] = x; }

template <class F> __device__ inline void call(const F &f) { f(); }

__device__ inline void mask(float (&c)[4], int lane) {
  for (int e = 0; e < 4; ++e)
    if (lane % 4 * 2 + (e & 1) > lane / 4 + e / 2 * 8)
      c[e] -= 5.f;
}
template <class T> __device__ inline void scale(T (&c)[4], const T *factors, T by) {
  for (T &x : c)
    x *= factors[0] * by;
}

#ifdef UNPROVED
__device__ float elsewhere(int i);
__device__ inline float overQuad(float x) {
  x += __shfl_xor_sync(0xffffffff, x, 1);
  return x + __shfl_xor_sync(0xffffffff, x, 2);
}
#endif
__device__ inline bool isBelow(int column, int further) {
  return column > int(threadIdx.x % 32 / 4) + further;
}
__device__ inline bool isBelow(int column, int row, int further) { return column > row + further; }

} // namespace library
