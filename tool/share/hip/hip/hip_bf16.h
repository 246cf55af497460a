// __hip_bfloat16 and __hip_bfloat162, as far as ROCm 6.3 has them.
#pragma once
#include "hip/hip_runtime.h"

#include "../../lp/bfloat16_round.h"

#define LP_SF_T __hip_bfloat16
#define LP_SF_T2 __hip_bfloat162
#define LP_SF_RAW __hip_bfloat16_raw
#define LP_SF_RAW2 __hip_bfloat162_raw
#define LP_SF_E __bf16
#ifdef __HIP_DEVICE_COMPILE__
#define LP_SF_WORK __bf16
#define LP_SF_ROUND(x) ((__bf16)(x))
#else
#define LP_SF_WORK float
#define LP_SF_ROUND(x) __lp_round_to_bfloat16((float)(x))
#endif
#define LP_SF_CAT(pre, post) pre##bfloat16##post
#define LP_SF_HIP_BFLOAT16
#include "../../lp/small_float.inc"

static __forceinline__ __host__ __device__ __hip_bfloat162 __bfloat162bfloat162(__hip_bfloat16 a) {
  return __hip_bfloat162(a, a);
}

#define HIPRT_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define HIPRT_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define HIPRT_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define HIPRT_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)
