// 8-bit floats of HIP: the OCP formats, and AMD's FNUZ ones. On gfx942 a kernel has the FNUZ
// formats alone, on gfx950 the OCP ones; elsewhere and on the host there are both.
// https://rocm.docs.amd.com/projects/HIP/en/latest/reference/fp8_numbers.html
#pragma once
#include "hip/hip_bf16.h"
#include "hip/hip_fp16.h"

typedef unsigned char __hip_fp8_storage_t;
typedef unsigned short __hip_fp8x2_storage_t;
typedef unsigned int __hip_fp8x4_storage_t;
enum __hip_saturation_t { __HIP_NOSAT, __HIP_SATFINITE };
enum __hip_fp8_interpretation_t { __HIP_E4M3, __HIP_E5M2, __HIP_E4M3_FNUZ, __HIP_E5M2_FNUZ };

#define LP_FN static __forceinline__ __host__ __device__
#ifdef __gfx942__
#define LP_OCP __host__
#else
#define LP_OCP __host__ __device__
#endif
#ifdef __gfx950__
#define LP_FNUZ __host__
#else
#define LP_FNUZ __host__ __device__
#endif

#include "../../lp/fp8.inc"

LP_FN __hip_fp8_storage_t __hip_cvt_float_to_fp8(float x, __hip_saturation_t saturate,
                                                 __hip_fp8_interpretation_t format) {
  bool clamp = saturate == __HIP_SATFINITE;
  switch (format) {
  case __HIP_E4M3:
    return __lp_float_to_fp8<4, 3>(x, clamp);
  case __HIP_E5M2:
    return __lp_float_to_fp8<5, 2>(x, clamp);
  case __HIP_E4M3_FNUZ:
    return __lp_float_to_fp8<4, 3, true>(x, clamp);
  case __HIP_E5M2_FNUZ:
    return __lp_float_to_fp8<5, 2, true>(x, clamp);
  }
}
LP_FN float __lp_fp8_value(__hip_fp8_storage_t x, __hip_fp8_interpretation_t format) {
  switch (format) {
  case __HIP_E4M3:
    return __lp_fp8_to_float<4, 3>(x);
  case __HIP_E5M2:
    return __lp_fp8_to_float<5, 2>(x);
  case __HIP_E4M3_FNUZ:
    return __lp_fp8_to_float<4, 3, true>(x);
  case __HIP_E5M2_FNUZ:
    return __lp_fp8_to_float<5, 2, true>(x);
  }
}
LP_FN __hip_fp8_storage_t __hip_cvt_double_to_fp8(double x, __hip_saturation_t saturate,
                                                  __hip_fp8_interpretation_t format) {
  return __hip_cvt_float_to_fp8((float)x, saturate, format);
}
LP_FN __hip_fp8x2_storage_t __hip_cvt_float2_to_fp8x2(float2 x, __hip_saturation_t saturate,
                                                      __hip_fp8_interpretation_t format) {
  return (__hip_fp8x2_storage_t)(__hip_cvt_float_to_fp8(x.x, saturate, format) |
                                 __hip_cvt_float_to_fp8(x.y, saturate, format) << 8);
}
LP_FN __hip_fp8x2_storage_t __hip_cvt_double2_to_fp8x2(double2 x, __hip_saturation_t saturate,
                                                       __hip_fp8_interpretation_t format) {
  return __hip_cvt_float2_to_fp8x2(float2((float)x.x, (float)x.y), saturate, format);
}
LP_FN __hip_fp8_storage_t __hip_cvt_halfraw_to_fp8(__half_raw x, __hip_saturation_t saturate,
                                                   __hip_fp8_interpretation_t format) {
  return __hip_cvt_float_to_fp8(__half2float(__half(x)), saturate, format);
}
LP_FN __hip_fp8x2_storage_t __hip_cvt_halfraw2_to_fp8x2(__half2_raw x, __hip_saturation_t saturate,
                                                        __hip_fp8_interpretation_t format) {
  return __hip_cvt_float2_to_fp8x2(__half22float2(__half2(x)), saturate, format);
}
LP_FN __hip_fp8_storage_t __hip_cvt_bfloat16raw_to_fp8(__hip_bfloat16_raw x,
                                                       __hip_saturation_t saturate,
                                                       __hip_fp8_interpretation_t format) {
  return __hip_cvt_float_to_fp8(__bfloat162float(__hip_bfloat16(x)), saturate, format);
}
LP_FN __hip_fp8x2_storage_t __hip_cvt_bfloat16raw2_to_fp8x2(__hip_bfloat162_raw x,
                                                            __hip_saturation_t saturate,
                                                            __hip_fp8_interpretation_t format) {
  return __hip_cvt_float2_to_fp8x2(__bfloat1622float2(__hip_bfloat162(x)), saturate, format);
}
LP_FN __half_raw __hip_cvt_fp8_to_halfraw(__hip_fp8_storage_t x,
                                          __hip_fp8_interpretation_t format) {
  return __float2half(__lp_fp8_value(x, format));
}
LP_FN __half2_raw __hip_cvt_fp8x2_to_halfraw2(__hip_fp8x2_storage_t x,
                                              __hip_fp8_interpretation_t format) {
  return __half2(__half(__hip_cvt_fp8_to_halfraw((__hip_fp8_storage_t)x, format)),
                 __half(__hip_cvt_fp8_to_halfraw((__hip_fp8_storage_t)(x >> 8), format)));
}

#define LP_FP8(name, name2, name4, format, sides)                                                  \
  struct name {                                                                                    \
    __hip_fp8_storage_t __x;                                                                       \
    name() = default;                                                                              \
    sides name(float f) : __x(__hip_cvt_float_to_fp8(f, __HIP_SATFINITE, format)) {}               \
    sides name(double f) : name((float)f) {}                                                       \
    sides name(int f) : name((float)f) {}                                                          \
    sides name(__half f) : name(__half2float(f)) {}                                                \
    sides name(__hip_bfloat16 f) : name(__bfloat162float(f)) {}                                    \
    sides operator float() const { return __lp_fp8_value(__x, format); }                           \
    sides explicit operator double() const { return (double)__lp_fp8_value(__x, format); }         \
    sides explicit operator __half() const { return __float2half(float(*this)); }                  \
    sides explicit operator __hip_bfloat16() const { return __float2bfloat16(float(*this)); }      \
  };                                                                                               \
  struct __align__(2) name2 {                                                                      \
    __hip_fp8x2_storage_t __x;                                                                     \
    name2() = default;                                                                             \
    sides name2(float2 f) : __x(__hip_cvt_float2_to_fp8x2(f, __HIP_SATFINITE, format)) {}          \
    sides name2(__half2 f) : name2(__half22float2(f)) {}                                           \
    sides operator float2() const {                                                                \
      return float2(__lp_fp8_value((__hip_fp8_storage_t)__x, format),                              \
                    __lp_fp8_value((__hip_fp8_storage_t)(__x >> 8), format));                      \
    }                                                                                              \
    sides explicit operator __half2() const {                                                      \
      return __half2(__hip_cvt_fp8x2_to_halfraw2(__x, format));                                    \
    }                                                                                              \
  };                                                                                               \
  struct __align__(4) name4 {                                                                      \
    __hip_fp8x4_storage_t __x;                                                                     \
    name4() = default;                                                                             \
    sides name4(float4 f)                                                                          \
        : __x(__hip_cvt_float2_to_fp8x2(float2(f.x, f.y), __HIP_SATFINITE, format) |               \
              (unsigned int)__hip_cvt_float2_to_fp8x2(float2(f.z, f.w), __HIP_SATFINITE, format)   \
                  << 16) {}                                                                        \
    sides operator float4() const {                                                                \
      return float4(__lp_fp8_value((__hip_fp8_storage_t)__x, format),                              \
                    __lp_fp8_value((__hip_fp8_storage_t)(__x >> 8), format),                       \
                    __lp_fp8_value((__hip_fp8_storage_t)(__x >> 16), format),                      \
                    __lp_fp8_value((__hip_fp8_storage_t)(__x >> 24), format));                     \
    }                                                                                              \
  };
LP_FP8(__hip_fp8_e4m3, __hip_fp8x2_e4m3, __hip_fp8x4_e4m3, __HIP_E4M3, LP_OCP)
LP_FP8(__hip_fp8_e5m2, __hip_fp8x2_e5m2, __hip_fp8x4_e5m2, __HIP_E5M2, LP_OCP)
LP_FP8(__hip_fp8_e4m3_fnuz, __hip_fp8x2_e4m3_fnuz, __hip_fp8x4_e4m3_fnuz, __HIP_E4M3_FNUZ, LP_FNUZ)
LP_FP8(__hip_fp8_e5m2_fnuz, __hip_fp8x2_e5m2_fnuz, __hip_fp8x4_e5m2_fnuz, __HIP_E5M2_FNUZ, LP_FNUZ)
#undef LP_FP8
#undef LP_FN
#undef LP_OCP
#undef LP_FNUZ
