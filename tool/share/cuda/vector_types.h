// The built-in vector types: plain aggregates, aligned as PTX vector accesses need them.
// Source: CUDA C++ Programming Guide, "Built-in Vector Types".
#pragma once
// Sources test the SDK's include guards to see what is there.
#define __VECTOR_TYPES_H__
#include "host_defines.h"

#define LP_VECTOR_1(T, name)                                                                       \
  struct name##1 {                                                                                 \
    T x;                                                                                           \
  };
#define LP_VECTOR_2(T, name, alignment)                                                            \
  struct __align__(alignment) name##2 {                                                            \
    T x, y;                                                                                        \
  };
#define LP_VECTOR_3(T, name)                                                                       \
  struct name##3 {                                                                                 \
    T x, y, z;                                                                                     \
  };
#define LP_VECTOR_4(T, name, alignment)                                                            \
  struct __align__(alignment) name##4 {                                                            \
    T x, y, z, w;                                                                                  \
  };
#define LP_VECTORS(T, name, align2, align4)                                                        \
  LP_VECTOR_1(T, name)                                                                             \
  LP_VECTOR_2(T, name, align2)                                                                     \
  LP_VECTOR_3(T, name)                                                                             \
  LP_VECTOR_4(T, name, align4)

LP_VECTORS(signed char, char, 2, 4)
LP_VECTORS(unsigned char, uchar, 2, 4)
LP_VECTORS(short, short, 4, 8)
LP_VECTORS(unsigned short, ushort, 4, 8)
LP_VECTORS(int, int, 8, 16)
LP_VECTORS(unsigned int, uint, 8, 16)
LP_VECTORS(long, long, 16, 16)
LP_VECTORS(unsigned long, ulong, 16, 16)
LP_VECTORS(long long, longlong, 16, 16)
LP_VECTORS(unsigned long long, ulonglong, 16, 16)
LP_VECTORS(float, float, 8, 16)
LP_VECTORS(double, double, 16, 16)

#undef LP_VECTORS
#undef LP_VECTOR_1
#undef LP_VECTOR_2
#undef LP_VECTOR_3
#undef LP_VECTOR_4

// Extents of a grid or a block; the ones not named are 1.
struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};
