// min, max and the float-named functions that CUDA adds to C++'s, for both sides.
// https://docs.nvidia.com/cuda/cuda-math-api/
#pragma once
#include "host_defines.h"
#include <cmath>

#define LP_BOTH static __forceinline__ __host__ __device__
#define LP_HOST static __forceinline__ __host__

// Mixed-sign pairs convert to the unsigned type, as CUDA's overloads do.
#define LP_MIN_MAX(T, A, B)                                                                        \
  LP_BOTH T min(A a, B b) { return (T)a < (T)b ? (T)a : (T)b; }                                    \
  LP_BOTH T max(A a, B b) { return (T)a > (T)b ? (T)a : (T)b; }
#define LP_MIN_MAX_HOST(T, A, B)                                                                   \
  LP_HOST T min(A a, B b) { return (T)a < (T)b ? (T)a : (T)b; }                                    \
  LP_HOST T max(A a, B b) { return (T)a > (T)b ? (T)a : (T)b; }
LP_MIN_MAX_HOST(int, int, int)
LP_MIN_MAX(unsigned int, unsigned int, unsigned int)
LP_MIN_MAX(unsigned int, int, unsigned int)
LP_MIN_MAX(unsigned int, unsigned int, int)
LP_MIN_MAX(long, long, long)
LP_MIN_MAX(unsigned long, unsigned long, unsigned long)
LP_MIN_MAX(unsigned long, long, unsigned long)
LP_MIN_MAX(unsigned long, unsigned long, long)
LP_MIN_MAX(long long, long long, long long)
LP_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
LP_MIN_MAX(unsigned long long, long long, unsigned long long)
LP_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef LP_MIN_MAX
#undef LP_MIN_MAX_HOST

// The argument that is a number wins over a NaN.
LP_BOTH float min(float a, float b) { return __builtin_fminf(a, b); }
LP_BOTH float max(float a, float b) { return __builtin_fmaxf(a, b); }
LP_BOTH double min(double a, double b) { return __builtin_fmin(a, b); }
LP_BOTH double max(double a, double b) { return __builtin_fmax(a, b); }
LP_BOTH double min(float a, double b) { return __builtin_fmin(a, b); }
LP_BOTH double max(float a, double b) { return __builtin_fmax(a, b); }
LP_BOTH double min(double a, float b) { return __builtin_fmin(a, b); }
LP_BOTH double max(double a, float b) { return __builtin_fmax(a, b); }

// Host versions of what CUDA adds to the C library; device versions come from Clang's headers.
LP_HOST float rsqrtf(float a) { return 1 / std::sqrt(a); }
LP_HOST double rsqrt(double a) { return 1 / std::sqrt(a); }
LP_HOST float rsqrt(float a) { return rsqrtf(a); }
LP_HOST float rcbrtf(float a) { return 1 / std::cbrt(a); }
LP_HOST double rcbrt(double a) { return 1 / std::cbrt(a); }
LP_HOST float fdividef(float a, float b) { return a / b; }
LP_HOST float saturatef(float a) { return a < 0 ? 0 : a > 1 ? 1 : a; }
LP_HOST float rhypotf(float a, float b) { return 1 / std::hypot(a, b); }
LP_HOST float norm3df(float a, float b, float c) { return std::sqrt(a * a + b * b + c * c); }
LP_HOST float sinpif(float a) { return std::sin(a * 3.14159265358979f); }
LP_HOST double sinpi(double a) { return std::sin(a * 3.14159265358979); }
LP_HOST float cospif(float a) { return std::cos(a * 3.14159265358979f); }
LP_HOST double cospi(double a) { return std::cos(a * 3.14159265358979); }

#undef LP_BOTH
#undef LP_HOST
