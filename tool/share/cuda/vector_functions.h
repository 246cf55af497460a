// make_<type><n>: the constructors of the built-in vector types.
#pragma once
#include "vector_types.h"

#define LP_MAKE(T, name)                                                                           \
  static __forceinline__ __host__ __device__ name##1 make_##name##1(T x) { return name##1{x}; }    \
  static __forceinline__ __host__ __device__ name##2 make_##name##2(T x, T y) {                    \
    return name##2{x, y};                                                                          \
  }                                                                                                \
  static __forceinline__ __host__ __device__ name##3 make_##name##3(T x, T y, T z) {               \
    return name##3{x, y, z};                                                                       \
  }                                                                                                \
  static __forceinline__ __host__ __device__ name##4 make_##name##4(T x, T y, T z, T w) {          \
    return name##4{x, y, z, w};                                                                    \
  }

LP_MAKE(signed char, char)
LP_MAKE(unsigned char, uchar)
LP_MAKE(short, short)
LP_MAKE(unsigned short, ushort)
LP_MAKE(int, int)
LP_MAKE(unsigned int, uint)
LP_MAKE(long, long)
LP_MAKE(unsigned long, ulong)
LP_MAKE(long long, longlong)
LP_MAKE(unsigned long long, ulonglong)
LP_MAKE(float, float)
LP_MAKE(double, double)

#undef LP_MAKE
