// 4-bit floats: __nv_fp4_e2m1 and its pairs. Values 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives; no
// infinity, no NaN. https://docs.nvidia.com/cuda/cuda-math-api/ (FP4 Intrinsics)
#pragma once
#define __CUDA_FP4_H__
#include "cuda_fp8.h"

typedef unsigned char __nv_fp4_storage_t;
typedef unsigned char __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp4x4_storage_t;
enum __nv_fp4_interpretation_t { __NV_E2M1 };
enum cudaRoundMode {
  cudaRoundNearest,
  cudaRoundZero,
  cudaRoundPosInf,
  cudaRoundMinInf
};

#define LP_FN static __forceinline__ __host__ __device__

LP_FN float __lp_fp4_to_float(__nv_fp4_storage_t x) {
  int e = x >> 1 & 3, m = x & 1;
  float magnitude = e == 0 ? 0.5f * (float)m : (float)(2 + m) * (float)(1 << e) * 0.25f;
  return x & 8 ? -magnitude : magnitude;
}
// Nearest, ties to the even code; beyond 6 is 6.
LP_FN __nv_fp4_storage_t __nv_cvt_float_to_fp4(float x, __nv_fp4_interpretation_t, cudaRoundMode) {
  float magnitude = __builtin_fabsf(x);
  int code = 0;
  while (code < 7) {
    float middle = (__lp_fp4_to_float((__nv_fp4_storage_t)code) +
                    __lp_fp4_to_float((__nv_fp4_storage_t)(code + 1))) *
                   0.5f;
    if (magnitude < middle || (magnitude == middle && !(code & 1)))
      break;
    ++code;
  }
  return (__nv_fp4_storage_t)(code | (__builtin_signbit(x) ? 8 : 0));
}
LP_FN __nv_fp4x2_storage_t __nv_cvt_float2_to_fp4x2(float2 x, __nv_fp4_interpretation_t format,
                                                    cudaRoundMode mode) {
  return (__nv_fp4x2_storage_t)(__nv_cvt_float_to_fp4(x.x, format, mode) |
                                __nv_cvt_float_to_fp4(x.y, format, mode) << 4);
}
LP_FN __half_raw __nv_cvt_fp4_to_halfraw(__nv_fp4_storage_t x, __nv_fp4_interpretation_t) {
  return __float2half(__lp_fp4_to_float(x));
}
LP_FN __half2_raw __nv_cvt_fp4x2_to_halfraw2(__nv_fp4x2_storage_t x,
                                             __nv_fp4_interpretation_t format) {
  return __half2(__half(__nv_cvt_fp4_to_halfraw(x & 15, format)),
                 __half(__nv_cvt_fp4_to_halfraw(x >> 4, format)));
}

struct __nv_fp4_e2m1 {
  __nv_fp4_storage_t __x;
  __nv_fp4_e2m1() = default;
  __host__ __device__ explicit __nv_fp4_e2m1(float f)
      : __x(__nv_cvt_float_to_fp4(f, __NV_E2M1, cudaRoundNearest)) {}
  __host__ __device__ explicit operator float() const { return __lp_fp4_to_float(__x); }
};
struct __nv_fp4x2_e2m1 {
  __nv_fp4x2_storage_t __x;
  __nv_fp4x2_e2m1() = default;
  __host__ __device__ explicit __nv_fp4x2_e2m1(float2 f)
      : __x(__nv_cvt_float2_to_fp4x2(f, __NV_E2M1, cudaRoundNearest)) {}
  __host__ __device__ explicit operator float2() const {
    return float2{__lp_fp4_to_float(__x & 15), __lp_fp4_to_float(__x >> 4)};
  }
};
struct __align__(2) __nv_fp4x4_e2m1 {
  __nv_fp4x4_storage_t __x;
  __nv_fp4x4_e2m1() = default;
  __host__ __device__ explicit __nv_fp4x4_e2m1(float4 f)
      : __x((__nv_fp4x4_storage_t)(__nv_fp4x2_e2m1(float2{f.x, f.y}).__x |
                                   __nv_fp4x2_e2m1(float2{f.z, f.w}).__x << 8)) {}
};
#undef LP_FN
