// __half and __half2: https://docs.nvidia.com/cuda/cuda-math-api/cuda_math_api/group__CUDA__MATH__INTRINSIC__HALF.html
#pragma once
// Sources test the SDK's include guards to see what is there.
#define __CUDA_FP16_H__
#include "cuda_runtime.h"

#define LP_SF_T __half
#define LP_SF_T2 __half2
#define LP_SF_RAW __half_raw
#define LP_SF_RAW2 __half2_raw
#define LP_SF_E _Float16
#define LP_SF_WORK _Float16
#define LP_SF_ROUND(x) ((_Float16)(x))
#define LP_SF_CAT(pre, post) pre##half##post
#define LP_SF_CUDA
#include "../lp/small_float.inc"

#include "lp_shuffle_pairs.inc"

static __forceinline__ __host__ __device__ __half2 __half2half2(__half a) { return __half2(a, a); }

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;

LP_SHUFFLES(__half, __half2)
#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
