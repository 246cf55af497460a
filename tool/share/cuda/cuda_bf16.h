// __nv_bfloat16 and __nv_bfloat162:
// https://docs.nvidia.com/cuda/cuda-math-api/cuda_math_api/group__CUDA__MATH__INTRINSIC__BFLOAT16.html
#pragma once
// Sources test the SDK's include guards to see what is there.
#define __CUDA_BF16_H__
#include "cuda_runtime.h"

#include "../lp/bfloat16_round.h"

#define LP_SF_T __nv_bfloat16
#define LP_SF_T2 __nv_bfloat162
#define LP_SF_RAW __nv_bfloat16_raw
#define LP_SF_RAW2 __nv_bfloat162_raw
#define LP_SF_E __bf16
#ifdef __CUDA_ARCH__
#define LP_SF_WORK __bf16
#define LP_SF_ROUND(x) ((__bf16)(x))
#else
#define LP_SF_WORK float
#define LP_SF_ROUND(x) __lp_round_to_bfloat16((float)(x))
#endif
#define LP_SF_CAT(pre, post) pre##bfloat16##post
#define LP_SF_CUDA
#include "../lp/small_float.inc"

#include "lp_shuffle_pairs.inc"

static __forceinline__ __host__ __device__ __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) {
  return __nv_bfloat162(a, a);
}

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

LP_SHUFFLES(__nv_bfloat16, __nv_bfloat162)
#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)
