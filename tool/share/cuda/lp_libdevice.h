// Bodies for the libdevice functions whose result is exactly defined: integer operations, bit
// casts, rounding, correctly rounded arithmetic. The compiler sees through them, and the simulator
// need not know them by name. Transcendental functions (__nv_expf and its like) and directed
// rounding keep no body: `layout-port verify` gives them a meaning, and a build for a card links
// libdevice.
//
// Meanings: https://docs.nvidia.com/cuda/libdevice-users-guide/
#pragma once
#include "host_defines.h"

#define LP_NV(result, name, ...)                                                                   \
  extern "C" __device__ __forceinline__ result __nv_##name(__VA_ARGS__)

// Bits.
LP_NV(int, popc, unsigned int a) { return __builtin_popcount(a); }
LP_NV(int, popcll, unsigned long long a) { return __builtin_popcountll(a); }
LP_NV(int, clz, int a) { return __builtin_clzg((unsigned int)a, 32); }
LP_NV(int, clzll, long long a) { return __builtin_clzg((unsigned long long)a, 64); }
LP_NV(int, ffs, int a) { return __builtin_ctzg((unsigned int)a, -1) + 1; }
LP_NV(int, ffsll, long long a) { return __builtin_ctzg((unsigned long long)a, -1) + 1; }
LP_NV(int, brev, int a) { return (int)__builtin_bitreverse32((unsigned int)a); }
LP_NV(long long, brevll, long long a) {
  return (long long)__builtin_bitreverse64((unsigned long long)a);
}
// Selector nibble i picks byte (i & 7) of {b, a}; its bit 3 is ignored here, unlike in PTX prmt.
LP_NV(int, byte_perm, int a, int b, int selector) {
  unsigned long long bytes = (unsigned long long)(unsigned int)b << 32 | (unsigned int)a;
  unsigned int result = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i)
    result |= (unsigned int)(bytes >> ((selector >> (4 * i) & 7) * 8) & 0xff) << (8 * i);
  return (int)result;
}

// Integer arithmetic, modulo 2^32 or 2^64: no operation here is undefined on overflow.
LP_NV(int, abs, int a) { return a < 0 ? (int)(0u - (unsigned int)a) : a; }
LP_NV(long long, llabs, long long a) {
  return a < 0 ? (long long)(0ull - (unsigned long long)a) : a;
}
LP_NV(int, min, int a, int b) { return a < b ? a : b; }
LP_NV(int, max, int a, int b) { return a > b ? a : b; }
LP_NV(unsigned int, umin, unsigned int a, unsigned int b) { return a < b ? a : b; }
LP_NV(unsigned int, umax, unsigned int a, unsigned int b) { return a > b ? a : b; }
LP_NV(long long, llmin, long long a, long long b) { return a < b ? a : b; }
LP_NV(long long, llmax, long long a, long long b) { return a > b ? a : b; }
LP_NV(unsigned long long, ullmin, unsigned long long a, unsigned long long b) {
  return a < b ? a : b;
}
LP_NV(unsigned long long, ullmax, unsigned long long a, unsigned long long b) {
  return a > b ? a : b;
}
LP_NV(int, mulhi, int a, int b) { return (int)((long long)a * b >> 32); }
LP_NV(unsigned int, umulhi, unsigned int a, unsigned int b) {
  return (unsigned int)((unsigned long long)a * b >> 32);
}
LP_NV(long long, mul64hi, long long a, long long b) { return (long long)((__int128)a * b >> 64); }
LP_NV(unsigned long long, umul64hi, unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
// The low 24 bits of each factor, sign-extended or not.
LP_NV(int, mul24, int a, int b) {
  return (int)((unsigned int)(a << 8 >> 8) * (unsigned int)(b << 8 >> 8));
}
LP_NV(unsigned int, umul24, unsigned int a, unsigned int b) {
  return (a & 0xffffff) * (b & 0xffffff);
}
LP_NV(int, sad, int a, int b, int c) {
  unsigned int distance =
      a < b ? (unsigned int)b - (unsigned int)a : (unsigned int)a - (unsigned int)b;
  return (int)(distance + (unsigned int)c);
}
LP_NV(unsigned int, usad, unsigned int a, unsigned int b, unsigned int c) {
  return (a < b ? b - a : a - b) + c;
}
LP_NV(int, hadd, int a, int b) { return (int)(((long long)a + b) >> 1); }
LP_NV(int, rhadd, int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
LP_NV(int, uhadd, unsigned int a, unsigned int b) {
  return (int)(((unsigned long long)a + b) >> 1);
}
LP_NV(unsigned int, urhadd, unsigned int a, unsigned int b) {
  return (unsigned int)(((unsigned long long)a + b + 1) >> 1);
}

// Bit casts.
LP_NV(int, float_as_int, float a) { return __builtin_bit_cast(int, a); }
LP_NV(unsigned int, float_as_uint, float a) { return __builtin_bit_cast(unsigned int, a); }
LP_NV(float, int_as_float, int a) { return __builtin_bit_cast(float, a); }
LP_NV(float, uint_as_float, unsigned int a) { return __builtin_bit_cast(float, a); }
LP_NV(unsigned long long, double_as_longlong, double a) {
  return __builtin_bit_cast(unsigned long long, a);
}
LP_NV(double, longlong_as_double, long long a) { return __builtin_bit_cast(double, a); }
LP_NV(int, double2hiint, double a) { return (int)(__builtin_bit_cast(long long, a) >> 32); }
LP_NV(int, double2loint, double a) { return (int)__builtin_bit_cast(long long, a); }
LP_NV(double, hiloint2double, int high, int low) {
  return __builtin_bit_cast(double, (long long)high << 32 | (unsigned int)low);
}
LP_NV(unsigned short, float2half_rn, float a) {
  return __builtin_bit_cast(unsigned short, (_Float16)a);
}
LP_NV(float, half2float, unsigned short h) { return (float)__builtin_bit_cast(_Float16, h); }

// Rounding to an integral value, and what needs only the sign or the class of its argument.
#define LP_NV_REAL(T, s, suffix)                                                                   \
  LP_NV(T, fabs##s, T a) { return __builtin_fabs##s(a); }                                          \
  LP_NV(T, ceil##s, T a) { return __builtin_ceil##s(a); }                                          \
  LP_NV(T, floor##s, T a) { return __builtin_floor##s(a); }                                        \
  LP_NV(T, trunc##s, T a) { return __builtin_trunc##s(a); }                                        \
  LP_NV(T, rint##s, T a) { return __builtin_rint##s(a); }                                          \
  LP_NV(T, nearbyint##s, T a) { return __builtin_nearbyint##s(a); }                                \
  LP_NV(T, round##s, T a) { return __builtin_round##s(a); }                                        \
  LP_NV(T, copysign##s, T a, T b) { return __builtin_copysign##s(a, b); }                          \
  LP_NV(T, fmin##s, T a, T b) { return __builtin_fmin##s(a, b); }                                  \
  LP_NV(T, fmax##s, T a, T b) { return __builtin_fmax##s(a, b); }                                  \
  LP_NV(T, fma##s, T a, T b, T c) { return __builtin_fma##s(a, b, c); }                            \
  LP_NV(T, sqrt##s, T a) { return __builtin_sqrt##s(a); }                                          \
  LP_NV(int, isnan##suffix, T a) { return __builtin_isnan(a); }                                    \
  LP_NV(int, isinf##suffix, T a) { return __builtin_isinf(a); }                                    \
  LP_NV(int, signbit##suffix, T a) { return __builtin_signbit(a) != 0; }
LP_NV_REAL(float, f, f)
LP_NV_REAL(double, , d)
#undef LP_NV_REAL
LP_NV(int, finitef, float a) { return __builtin_isfinite(a); }
LP_NV(int, isfinited, double a) { return __builtin_isfinite(a); }
LP_NV(float, saturatef, float a) { return __builtin_fminf(__builtin_fmaxf(a, 0.f), 1.f); }

// Arithmetic rounded to nearest: never contracted into an fma, which is what these names promise.
#define LP_NV_RN(T, prefix, fma)                                                                   \
  LP_NV(T, prefix##add_rn, T a, T b) { _Pragma("clang fp contract(off)") return a + b; }           \
  LP_NV(T, prefix##sub_rn, T a, T b) { _Pragma("clang fp contract(off)") return a - b; }           \
  LP_NV(T, prefix##mul_rn, T a, T b) { _Pragma("clang fp contract(off)") return a * b; }           \
  LP_NV(T, prefix##div_rn, T a, T b) { return a / b; }                                             \
  LP_NV(T, prefix##rcp_rn, T a) { return 1 / a; }                                                  \
  LP_NV(T, prefix##sqrt_rn, T a) { return __builtin_elementwise_sqrt(a); }                         \
  LP_NV(T, fma##_rn, T a, T b, T c) { return __builtin_elementwise_fma(a, b, c); }
LP_NV_RN(float, f, fmaf)
LP_NV_RN(double, d, fma)
#undef LP_NV_RN

// Float to integer. The hardware saturates; C++ leaves values out of range undefined, and so do we.
#define LP_NV_TO_INT(T, from, s, I, to)                                                            \
  LP_NV(I, from##2##to##_rn, T a) { return (I)__builtin_rint##s(a); }                              \
  LP_NV(I, from##2##to##_rz, T a) { return (I)a; }                                                 \
  LP_NV(I, from##2##to##_rd, T a) { return (I)__builtin_floor##s(a); }                             \
  LP_NV(I, from##2##to##_ru, T a) { return (I)__builtin_ceil##s(a); }
LP_NV_TO_INT(float, float, f, int, int)
LP_NV_TO_INT(float, float, f, unsigned int, uint)
LP_NV_TO_INT(float, float, f, long long, ll)
LP_NV_TO_INT(float, float, f, unsigned long long, ull)
LP_NV_TO_INT(double, double, , int, int)
LP_NV_TO_INT(double, double, , unsigned int, uint)
LP_NV_TO_INT(double, double, , long long, ll)
LP_NV_TO_INT(double, double, , unsigned long long, ull)
#undef LP_NV_TO_INT

LP_NV(float, double2float_rn, double a) { return (float)a; }
LP_NV(float, int2float_rn, int a) { return (float)a; }
LP_NV(float, uint2float_rn, unsigned int a) { return (float)a; }
LP_NV(float, ll2float_rn, long long a) { return (float)a; }
LP_NV(float, ull2float_rn, unsigned long long a) { return (float)a; }
LP_NV(double, int2double_rn, int a) { return a; }
LP_NV(double, uint2double_rn, unsigned int a) { return a; }
LP_NV(double, ll2double_rn, long long a) { return (double)a; }
LP_NV(double, ull2double_rn, unsigned long long a) { return (double)a; }

#undef LP_NV
