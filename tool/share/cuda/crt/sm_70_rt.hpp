// Included by name from the Clang intrinsics header: match over every type of 32 or 64 bits.
#pragma once
#include "../host_defines.h"

#define LP_DEVICE static __device__ __forceinline__ __attribute__((convergent))

#define LP_MATCH(T, width, U)                                                                      \
  LP_DEVICE unsigned int __match_any_sync(unsigned int mask, T value) {                            \
    return __match##width##_any_sync(mask, __builtin_bit_cast(U, value));                          \
  }                                                                                                \
  LP_DEVICE unsigned int __match_all_sync(unsigned int mask, T value, int *predicate) {            \
    return __match##width##_all_sync(mask, __builtin_bit_cast(U, value), predicate);               \
  }
LP_MATCH(int, 32, unsigned int)
LP_MATCH(unsigned int, 32, unsigned int)
LP_MATCH(float, 32, unsigned int)
LP_MATCH(long, 64, unsigned long long)
LP_MATCH(unsigned long, 64, unsigned long long)
LP_MATCH(long long, 64, unsigned long long)
LP_MATCH(unsigned long long, 64, unsigned long long)
LP_MATCH(double, 64, unsigned long long)
#undef LP_MATCH
#undef LP_DEVICE
