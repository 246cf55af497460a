// __half and __half2, as far as ROCm 6.3 has them.
#pragma once
#include "hip/hip_runtime.h"

#define LP_SF_T __half
#define LP_SF_T2 __half2
#define LP_SF_RAW __half_raw
#define LP_SF_RAW2 __half2_raw
#define LP_SF_E _Float16
#define LP_SF_WORK _Float16
#define LP_SF_ROUND(x) ((_Float16)(x))
#define LP_SF_CAT(pre, post) pre##half##post
#define LP_SF_HIP_HALF
#include "../../lp/small_float.inc"

static __forceinline__ __host__ __device__ __half2 __half2half2(__half a) { return __half2(a, a); }

typedef __half half;
typedef __half2 half2;

#define HIPRT_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define HIPRT_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define HIPRT_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define HIPRT_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
