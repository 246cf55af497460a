// DPX: integer sums and limits in one call, and limits that say which operand they took.
// https://docs.nvidia.com/cuda/cuda-math-api/cuda_math_api/group__CUDA__MATH__INTRINSIC__SIMD.html
#pragma once
#include "host_defines.h"

#define LP_BOTH static __host__ __device__ __forceinline__

template <typename T> LP_BOTH T __lp_dpx_max(T a, T b) { return a > b ? a : b; }
template <typename T> LP_BOTH T __lp_dpx_min(T a, T b) { return a < b ? a : b; }
template <typename T> LP_BOTH T __lp_dpx_relu(T x) { return x > 0 ? x : 0; }

// Of the two halves of words, T each.
template <typename T, typename F>
LP_BOTH unsigned int __lp_dpx_pair(unsigned int a, unsigned int b, unsigned int c, F f) {
  const T low = f((T)a, (T)b, (T)c), high = f((T)(a >> 16), (T)(b >> 16), (T)(c >> 16));
  return (unsigned int)(unsigned short)high << 16 | (unsigned short)low;
}

#define LP_DPX_WORD(limit, suffix, T)                                                              \
  LP_BOTH T __viadd##limit##_##suffix(T a, T b, T c) {                                             \
    return __lp_dpx_##limit((T)((unsigned int)a + (unsigned int)b), c);                            \
  }                                                                                                \
  LP_BOTH T __vi##limit##3_##suffix(T a, T b, T c) {                                               \
    return __lp_dpx_##limit(__lp_dpx_##limit(a, b), c);                                            \
  }                                                                                                \
  LP_BOTH T __vib##limit##_##suffix(T a, T b, bool *first) {                                       \
    *first = __lp_dpx_##limit(a, b) == a;                                                          \
    return *first ? a : b;                                                                         \
  }
LP_DPX_WORD(max, s32, int)
LP_DPX_WORD(min, s32, int)
LP_DPX_WORD(max, u32, unsigned int)
LP_DPX_WORD(min, u32, unsigned int)
#undef LP_DPX_WORD

#define LP_DPX_PAIR(limit, suffix, T)                                                              \
  LP_BOTH unsigned int __viadd##limit##_##suffix(unsigned int a, unsigned int b, unsigned int c) { \
    return __lp_dpx_pair<T>(a, b, c,                                                               \
                            [](T x, T y, T z) { return __lp_dpx_##limit((T)(x + y), z); });        \
  }                                                                                                \
  LP_BOTH unsigned int __vi##limit##3_##suffix(unsigned int a, unsigned int b, unsigned int c) {   \
    return __lp_dpx_pair<T>(                                                                       \
        a, b, c, [](T x, T y, T z) { return __lp_dpx_##limit(__lp_dpx_##limit(x, y), z); });       \
  }                                                                                                \
  LP_BOTH unsigned int __vib##limit##_##suffix(unsigned int a, unsigned int b, bool *high,         \
                                               bool *low) {                                        \
    *low = __lp_dpx_##limit((T)a, (T)b) == (T)a;                                                   \
    *high = __lp_dpx_##limit((T)(a >> 16), (T)(b >> 16)) == (T)(a >> 16);                          \
    return __lp_dpx_pair<T>(a, b, 0, [](T x, T y, T) { return __lp_dpx_##limit(x, y); });          \
  }
LP_DPX_PAIR(max, s16x2, short)
LP_DPX_PAIR(min, s16x2, short)
LP_DPX_PAIR(max, u16x2, unsigned short)
LP_DPX_PAIR(min, u16x2, unsigned short)
#undef LP_DPX_PAIR

#define LP_DPX_RELU(limit)                                                                         \
  LP_BOTH int __viadd##limit##_s32_relu(int a, int b, int c) {                                     \
    return __lp_dpx_relu(__viadd##limit##_s32(a, b, c));                                           \
  }                                                                                                \
  LP_BOTH int __vi##limit##3_s32_relu(int a, int b, int c) {                                       \
    return __lp_dpx_relu(__vi##limit##3_s32(a, b, c));                                             \
  }                                                                                                \
  LP_BOTH int __vi##limit##_s32_relu(int a, int b) {                                               \
    return __lp_dpx_relu(__lp_dpx_##limit(a, b));                                                  \
  }                                                                                                \
  LP_BOTH unsigned int __viadd##limit##_s16x2_relu(unsigned int a, unsigned int b,                 \
                                                   unsigned int c) {                               \
    return __lp_dpx_pair<short>(__viadd##limit##_s16x2(a, b, c), 0, 0,                             \
                                [](short x, short, short) { return __lp_dpx_relu(x); });           \
  }                                                                                                \
  LP_BOTH unsigned int __vi##limit##3_s16x2_relu(unsigned int a, unsigned int b, unsigned int c) { \
    return __lp_dpx_pair<short>(__vi##limit##3_s16x2(a, b, c), 0, 0,                               \
                                [](short x, short, short) { return __lp_dpx_relu(x); });           \
  }                                                                                                \
  LP_BOTH unsigned int __vi##limit##_s16x2_relu(unsigned int a, unsigned int b) {                  \
    return __lp_dpx_pair<short>(                                                                   \
        a, b, 0, [](short x, short y, short) { return __lp_dpx_relu(__lp_dpx_##limit(x, y)); });   \
  }
LP_DPX_RELU(max)
LP_DPX_RELU(min)
#undef LP_DPX_RELU
#undef LP_BOTH
