// 8-bit floats: __nv_fp8_e4m3, __nv_fp8_e5m2, their x2 and x4 forms, and conversions.
// https://docs.nvidia.com/cuda/cuda-math-api/ (FP8 Intrinsics); formats: OCP 8-bit Floating Point
// Specification. e4m3 has no infinity, its one NaN is S.1111.111; e5m2 follows IEEE 754.
#pragma once
// Sources test the SDK's include guards to see what is there.
#define __CUDA_FP8_H__
#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

#define LP_FN static __forceinline__ __host__ __device__

#include "../lp/fp8.inc"

LP_FN __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                               __nv_fp8_interpretation_t format) {
  return format == __NV_E4M3 ? __lp_float_to_fp8<4, 3>(x, saturate == __NV_SATFINITE)
                             : __lp_float_to_fp8<5, 2>(x, saturate == __NV_SATFINITE);
}
LP_FN __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                __nv_fp8_interpretation_t format) {
  return __nv_cvt_float_to_fp8((float)x, saturate, format);
}
LP_FN __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturate,
                                                    __nv_fp8_interpretation_t format) {
  return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(x.x, saturate, format) |
                                __nv_cvt_float_to_fp8(x.y, saturate, format) << 8);
}
LP_FN __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                 __nv_fp8_interpretation_t format) {
  return __nv_cvt_float_to_fp8(__half2float(__half(x)), saturate, format);
}
LP_FN __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t format) {
  return __nv_cvt_float2_to_fp8x2(__half22float2(__half2(x)), saturate, format);
}
LP_FN __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
                                                     __nv_saturation_t saturate,
                                                     __nv_fp8_interpretation_t format) {
  return __nv_cvt_float_to_fp8(__bfloat162float(__nv_bfloat16(x)), saturate, format);
}
LP_FN __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x,
                                                          __nv_saturation_t saturate,
                                                          __nv_fp8_interpretation_t format) {
  return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(__nv_bfloat162(x)), saturate, format);
}
LP_FN __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t format) {
  return __float2half(format == __NV_E4M3 ? __lp_fp8_to_float<4, 3>(x)
                                          : __lp_fp8_to_float<5, 2>(x));
}
LP_FN __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                             __nv_fp8_interpretation_t format) {
  return __half2(__half(__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, format)),
                 __half(__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), format)));
}

// e8m0, the scale of block formats: 2^(x - 127), and 0xff for NaN. 2^-127 is subnormal in bfloat16.
LP_FN __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x) {
  return __nv_bfloat16_raw{(unsigned short)(x == 0 ? 0x40 : x == 0xff ? 0x7fff : x << 7)};
}
struct __nv_fp8_e8m0 {
  __nv_fp8_storage_t __x;
  __nv_fp8_e8m0() = default;
  __host__ __device__ explicit operator float() const {
    return __bfloat162float(__nv_bfloat16(__nv_cvt_e8m0_to_bf16raw(__x)));
  }
};

#define LP_FP8(name, name2, name4, format)                                                         \
  struct name {                                                                                    \
    __nv_fp8_storage_t __x;                                                                        \
    name() = default;                                                                              \
    __forceinline__ __host__ __device__ explicit name(float f)                                     \
        : __x(__nv_cvt_float_to_fp8(f, __NV_SATFINITE, format)) {}                                 \
    __forceinline__ __host__ __device__ explicit name(double f) : name((float)f) {}                \
    __forceinline__ __host__ __device__ explicit name(int f) : name((float)f) {}                   \
    __forceinline__ __host__ __device__ explicit name(__half f) : name(__half2float(f)) {}         \
    __forceinline__ __host__ __device__ explicit name(__nv_bfloat16 f)                             \
        : name(__bfloat162float(f)) {}                                                             \
    __forceinline__ __host__ __device__ explicit operator float() const {                          \
      return __half2float(__half(__nv_cvt_fp8_to_halfraw(__x, format)));                           \
    }                                                                                              \
    __forceinline__ __host__ __device__ explicit operator double() const {                         \
      return (double)float(*this);                                                                 \
    }                                                                                              \
    __forceinline__ __host__ __device__ explicit operator __half() const {                         \
      return __half(__nv_cvt_fp8_to_halfraw(__x, format));                                         \
    }                                                                                              \
    __forceinline__ __host__ __device__ explicit operator __nv_bfloat16() const {                  \
      return __float2bfloat16(float(*this));                                                       \
    }                                                                                              \
    __forceinline__ __host__ __device__ explicit operator bool() const {                           \
      return (__x & 0x7f) != 0;                                                                    \
    }                                                                                              \
  };                                                                                               \
  struct __align__(2) name2 {                                                                      \
    __nv_fp8x2_storage_t __x;                                                                      \
    name2() = default;                                                                             \
    __forceinline__ __host__ __device__ explicit name2(float2 f)                                   \
        : __x(__nv_cvt_float2_to_fp8x2(f, __NV_SATFINITE, format)) {}                              \
    __forceinline__ __host__ __device__ explicit name2(__half2 f) : name2(__half22float2(f)) {}    \
    __forceinline__ __host__ __device__ explicit operator __half2() const {                        \
      return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, format));                                     \
    }                                                                                              \
    __forceinline__ __host__ __device__ explicit operator float2() const {                         \
      return __half22float2(__half2(*this));                                                       \
    }                                                                                              \
  };                                                                                               \
  struct __align__(4) name4 {                                                                      \
    __nv_fp8x4_storage_t __x;                                                                      \
    name4() = default;                                                                             \
    __forceinline__ __host__ __device__ explicit name4(float4 f)                                   \
        : __x(__nv_cvt_float2_to_fp8x2(float2{f.x, f.y}, __NV_SATFINITE, format) |                 \
              (unsigned int)__nv_cvt_float2_to_fp8x2(float2{f.z, f.w}, __NV_SATFINITE, format)     \
                  << 16) {}                                                                        \
    __forceinline__ __host__ __device__ explicit operator float4() const {                         \
      float2 lo = __half22float2(                                                                  \
          __half2(__nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)__x, format)));                 \
      float2 hi = __half22float2(                                                                  \
          __half2(__nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(__x >> 16), format)));         \
      return float4{lo.x, lo.y, hi.x, hi.y};                                                       \
    }                                                                                              \
  };
LP_FP8(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
LP_FP8(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
#undef LP_FP8
#undef LP_FN
