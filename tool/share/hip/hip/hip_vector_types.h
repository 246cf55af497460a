// HIP_vector_type<T, n> and its names: float4, uint2, ... Unlike CUDA's they have arithmetic.
#pragma once
#include "hip/host_defines.h"

template <typename T, unsigned int n> struct HIP_vector_type;

#define LP_FN __forceinline__ __host__ __device__ constexpr
template <typename T> struct HIP_vector_type<T, 1> {
  typedef T value_type;
  T x;
  HIP_vector_type() = default;
  LP_FN HIP_vector_type(T a) : x(a) {}
};
template <typename T> struct alignas(2 * sizeof(T)) HIP_vector_type<T, 2> {
  typedef T value_type;
  T x, y;
  HIP_vector_type() = default;
  LP_FN HIP_vector_type(T a) : x(a), y(a) {}
  LP_FN HIP_vector_type(T a, T b) : x(a), y(b) {}
};
template <typename T> struct HIP_vector_type<T, 3> {
  typedef T value_type;
  T x, y, z;
  HIP_vector_type() = default;
  LP_FN HIP_vector_type(T a) : x(a), y(a), z(a) {}
  LP_FN HIP_vector_type(T a, T b, T c) : x(a), y(b), z(c) {}
};
template <typename T> struct alignas(4 * sizeof(T)) HIP_vector_type<T, 4> {
  typedef T value_type;
  T x, y, z, w;
  HIP_vector_type() = default;
  LP_FN HIP_vector_type(T a) : x(a), y(a), z(a), w(a) {}
  LP_FN HIP_vector_type(T a, T b, T c, T d) : x(a), y(b), z(c), w(d) {}
};

// Elementwise, between vectors and with a scalar on either side.
#define LP_OP(op)                                                                                  \
  template <typename T, unsigned int n>                                                            \
  LP_FN HIP_vector_type<T, n> &operator op## =                                                     \
      (HIP_vector_type<T, n> & a, const HIP_vector_type<T, n> &b) {                                \
    a.x op## = b.x;                                                                                \
    if constexpr (n > 1)                                                                           \
      a.y op## = b.y;                                                                              \
    if constexpr (n > 2)                                                                           \
      a.z op## = b.z;                                                                              \
    if constexpr (n > 3)                                                                           \
      a.w op## = b.w;                                                                              \
    return a;                                                                                      \
  }                                                                                                \
  template <typename T, unsigned int n>                                                            \
  LP_FN HIP_vector_type<T, n> operator op(HIP_vector_type<T, n> a,                                 \
                                          const HIP_vector_type<T, n> &b) {                        \
    return a op## = b;                                                                             \
  }                                                                                                \
  template <typename T, unsigned int n>                                                            \
  LP_FN HIP_vector_type<T, n> operator op(HIP_vector_type<T, n> a,                                 \
                                          typename HIP_vector_type<T, n>::value_type b) {          \
    return a op## = HIP_vector_type<T, n>(b);                                                      \
  }                                                                                                \
  template <typename T, unsigned int n>                                                            \
  LP_FN HIP_vector_type<T, n> operator op(typename HIP_vector_type<T, n>::value_type a,            \
                                          const HIP_vector_type<T, n> &b) {                        \
    return HIP_vector_type<T, n>(a) op b;                                                          \
  }
LP_OP(+)
LP_OP(-)
LP_OP(*)
LP_OP(/)
#undef LP_OP

template <typename T, unsigned int n>
LP_FN bool operator==(const HIP_vector_type<T, n> &a, const HIP_vector_type<T, n> &b) {
  bool equal = a.x == b.x;
  if constexpr (n > 1)
    equal = equal && a.y == b.y;
  if constexpr (n > 2)
    equal = equal && a.z == b.z;
  if constexpr (n > 3)
    equal = equal && a.w == b.w;
  return equal;
}
template <typename T, unsigned int n>
LP_FN bool operator!=(const HIP_vector_type<T, n> &a, const HIP_vector_type<T, n> &b) {
  return !(a == b);
}

#define LP_NAMES(T, name)                                                                          \
  typedef HIP_vector_type<T, 1> name##1;                                                           \
  typedef HIP_vector_type<T, 2> name##2;                                                           \
  typedef HIP_vector_type<T, 3> name##3;                                                           \
  typedef HIP_vector_type<T, 4> name##4;                                                           \
  LP_FN name##1 make_##name##1(T x) { return name##1(x); }                                         \
  LP_FN name##2 make_##name##2(T x, T y) { return name##2(x, y); }                                 \
  LP_FN name##3 make_##name##3(T x, T y, T z) { return name##3(x, y, z); }                         \
  LP_FN name##4 make_##name##4(T x, T y, T z, T w) { return name##4(x, y, z, w); }
LP_NAMES(signed char, char)
LP_NAMES(unsigned char, uchar)
LP_NAMES(short, short)
LP_NAMES(unsigned short, ushort)
LP_NAMES(int, int)
LP_NAMES(unsigned int, uint)
LP_NAMES(long, long)
LP_NAMES(unsigned long, ulong)
LP_NAMES(long long, longlong)
LP_NAMES(unsigned long long, ulonglong)
LP_NAMES(float, float)
LP_NAMES(double, double)
#undef LP_NAMES
#undef LP_FN
