// Complex numbers as pairs: x is the real part, y the imaginary one.
#pragma once
#include "cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define LP_COMPLEX(T, R, f)                                                                        \
  static __forceinline__ __host__ __device__ T make_##T(R re, R im) { return T{re, im}; }          \
  static __forceinline__ __host__ __device__ R cuCreal##f(T a) { return a.x; }                     \
  static __forceinline__ __host__ __device__ R cuCimag##f(T a) { return a.y; }                     \
  static __forceinline__ __host__ __device__ T cuConj##f(T a) { return T{a.x, -a.y}; }             \
  static __forceinline__ __host__ __device__ T cuCadd##f(T a, T b) {                               \
    return T{a.x + b.x, a.y + b.y};                                                                \
  }                                                                                                \
  static __forceinline__ __host__ __device__ T cuCsub##f(T a, T b) {                               \
    return T{a.x - b.x, a.y - b.y};                                                                \
  }                                                                                                \
  static __forceinline__ __host__ __device__ T cuCmul##f(T a, T b) {                               \
    return T{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                                        \
  }                                                                                                \
  static __forceinline__ __host__ __device__ T cuCdiv##f(T a, T b) {                               \
    R d = b.x * b.x + b.y * b.y;                                                                   \
    return T{(a.x * b.x + a.y * b.y) / d, (a.y * b.x - a.x * b.y) / d};                            \
  }                                                                                                \
  static __forceinline__ __host__ __device__ R cuCabs##f(T a) { return ::hypot(a.x, a.y); }        \
  static __forceinline__ __host__ __device__ T cuCfma##f(T a, T b, T c) {                          \
    return T{a.x * b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y};                            \
  }
LP_COMPLEX(cuFloatComplex, float, f)
LP_COMPLEX(cuDoubleComplex, double, )
#undef LP_COMPLEX

static __forceinline__ __host__ __device__ cuComplex make_cuComplex(float re, float im) {
  return cuComplex{re, im};
}
