// hip_bfloat16, the older type: storage with conversions and arithmetic through float.
#pragma once
#include "hip/hip_runtime.h"

struct hip_bfloat16 {
  uint16_t data;

  hip_bfloat16() = default;
  __host__ __device__ explicit hip_bfloat16(float f)
      : data(__builtin_bit_cast(uint16_t, (__bf16)f)) {}
  __host__ __device__ operator float() const { return (float)__builtin_bit_cast(__bf16, data); }
};

#define LP_OP(op)                                                                                  \
  inline __host__ __device__ hip_bfloat16 operator op(hip_bfloat16 a, hip_bfloat16 b) {            \
    return hip_bfloat16(float(a) op float(b));                                                     \
  }
LP_OP(+)
LP_OP(-)
LP_OP(*)
LP_OP(/)
#undef LP_OP
