// Integer, conversion, barrier and memory functions of HIP device code.
// https://rocm.docs.amd.com/projects/HIP/en/latest/how-to/hip_cpp_language_extensions.html
#pragma once
#include "hip/host_defines.h"

#define LP_DEVICE static __forceinline__ __device__
#define LP_CONVERGENT LP_DEVICE __attribute__((convergent))

extern "C" {
__device__ int printf(const char *format, ...);
__device__ static inline void *malloc(size_t) { __builtin_trap(); }
__device__ static inline void free(void *) { __builtin_trap(); }
// What assert() of the C library calls.
__device__ static inline void __assert_fail(const char *, const char *, unsigned int,
                                            const char *) {
  __builtin_trap();
}
}
LP_DEVICE void abort() { __builtin_trap(); }

// --- Bits ----------------------------------------------------------------------------------------

LP_DEVICE unsigned int __popc(unsigned int a) { return __builtin_popcount(a); }
LP_DEVICE unsigned int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
LP_DEVICE int __clz(int a) { return __builtin_clzg((unsigned int)a, 32); }
LP_DEVICE int __clzll(long long a) { return __builtin_clzg((unsigned long long)a, 64); }
LP_DEVICE int __ffs(unsigned int a) { return __builtin_ctzg(a, -1) + 1; }
LP_DEVICE int __ffs(int a) { return __builtin_ctzg((unsigned int)a, -1) + 1; }
LP_DEVICE int __ffsll(unsigned long long a) { return __builtin_ctzg(a, -1) + 1; }
LP_DEVICE int __ffsll(long long a) { return __builtin_ctzg((unsigned long long)a, -1) + 1; }
LP_DEVICE unsigned int __brev(unsigned int a) { return __builtin_bitreverse32(a); }
LP_DEVICE unsigned long long __brevll(unsigned long long a) { return __builtin_bitreverse64(a); }
// Selector nibble i picks byte (i & 7) of {y, x}.
LP_DEVICE unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
  unsigned long long bytes = (unsigned long long)y << 32 | x;
  unsigned int result = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i)
    result |= (unsigned int)(bytes >> ((selector >> (4 * i) & 7) * 8) & 0xff) << (8 * i);
  return result;
}
LP_DEVICE unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int shift) {
  return (unsigned int)(((unsigned long long)hi << 32 | lo) << (shift & 31) >> 32);
}
LP_DEVICE unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int shift) {
  return (unsigned int)(((unsigned long long)hi << 32 | lo) << (shift < 32 ? shift : 32) >> 32);
}
LP_DEVICE unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int shift) {
  return (unsigned int)(((unsigned long long)hi << 32 | lo) >> (shift & 31));
}
LP_DEVICE unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int shift) {
  return (unsigned int)(((unsigned long long)hi << 32 | lo) >> (shift < 32 ? shift : 32));
}
LP_DEVICE unsigned int __bitextract_u32(unsigned int a, unsigned int offset, unsigned int width) {
  return width == 0 ? 0 : a << (32 - (offset & 31) - (width & 31)) >> (32 - (width & 31));
}

// --- Integer arithmetic --------------------------------------------------------------------------

LP_DEVICE int __mul24(int a, int b) {
  return (int)((unsigned int)(a << 8 >> 8) * (unsigned int)(b << 8 >> 8));
}
LP_DEVICE int __umul24(unsigned int a, unsigned int b) { return (a & 0xffffff) * (b & 0xffffff); }
LP_DEVICE int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
LP_DEVICE unsigned int __umulhi(unsigned int a, unsigned int b) {
  return (unsigned int)((unsigned long long)a * b >> 32);
}
LP_DEVICE long long __mul64hi(long long a, long long b) {
  return (long long)((__int128)a * b >> 64);
}
LP_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
LP_DEVICE unsigned int __sad(int a, int b, unsigned int c) {
  return (a < b ? (unsigned int)b - (unsigned int)a : (unsigned int)a - (unsigned int)b) + c;
}
LP_DEVICE unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) {
  return (a < b ? b - a : a - b) + c;
}
LP_DEVICE int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
LP_DEVICE int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
LP_DEVICE unsigned int __uhadd(unsigned int a, unsigned int b) {
  return (unsigned int)(((unsigned long long)a + b) >> 1);
}
LP_DEVICE unsigned int __urhadd(unsigned int a, unsigned int b) {
  return (unsigned int)(((unsigned long long)a + b + 1) >> 1);
}

// --- Conversions ---------------------------------------------------------------------------------

LP_DEVICE int __float_as_int(float a) { return __builtin_bit_cast(int, a); }
LP_DEVICE unsigned int __float_as_uint(float a) { return __builtin_bit_cast(unsigned int, a); }
LP_DEVICE float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
LP_DEVICE float __uint_as_float(unsigned int a) { return __builtin_bit_cast(float, a); }
LP_DEVICE long long __double_as_longlong(double a) { return __builtin_bit_cast(long long, a); }
LP_DEVICE double __longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
LP_DEVICE int __double2hiint(double a) { return (int)(__builtin_bit_cast(long long, a) >> 32); }
LP_DEVICE int __double2loint(double a) { return (int)__builtin_bit_cast(long long, a); }
LP_DEVICE double __hiloint2double(int hi, int lo) {
  return __builtin_bit_cast(double, (long long)hi << 32 | (unsigned int)lo);
}

#define LP_TO_INT(T, from, s, I, to)                                                               \
  LP_DEVICE I __##from##2##to##_rn(T a) { return (I)__builtin_rint##s(a); }                        \
  LP_DEVICE I __##from##2##to##_rz(T a) { return (I)a; }                                           \
  LP_DEVICE I __##from##2##to##_rd(T a) { return (I)__builtin_floor##s(a); }                       \
  LP_DEVICE I __##from##2##to##_ru(T a) { return (I)__builtin_ceil##s(a); }
LP_TO_INT(float, float, f, int, int)
LP_TO_INT(float, float, f, unsigned int, uint)
LP_TO_INT(float, float, f, long long, ll)
LP_TO_INT(float, float, f, unsigned long long, ull)
LP_TO_INT(double, double, , int, int)
LP_TO_INT(double, double, , unsigned int, uint)
LP_TO_INT(double, double, , long long, ll)
LP_TO_INT(double, double, , unsigned long long, ull)
#undef LP_TO_INT
LP_DEVICE float __double2float_rn(double a) { return (float)a; }
LP_DEVICE float __int2float_rn(int a) { return (float)a; }
LP_DEVICE float __uint2float_rn(unsigned int a) { return (float)a; }
LP_DEVICE float __ll2float_rn(long long a) { return (float)a; }
LP_DEVICE float __ull2float_rn(unsigned long long a) { return (float)a; }
LP_DEVICE double __int2double_rn(int a) { return a; }
LP_DEVICE double __uint2double_rn(unsigned int a) { return a; }
LP_DEVICE double __ll2double_rn(long long a) { return (double)a; }
LP_DEVICE double __ull2double_rn(unsigned long long a) { return (double)a; }

// Rounded down (-1), up (1) or to zero (0): the nearest, a step on if what is left over says so.
template <typename T> LP_DEVICE T __lp_next(T x, bool up) {
  if constexpr (sizeof(T) == 4)
    return __builtin_bit_cast(T, x == 0 ? (up ? 1 : (int)0x80000001)
                                        : __builtin_bit_cast(int, x) + ((x > 0) == up ? 1 : -1));
  else
    return __builtin_bit_cast(T, x == 0 ? (up ? 1ll : (long long)0x8000000000000001ull)
                                        : __builtin_bit_cast(long long, x) +
                                              ((x > 0) == up ? 1 : -1));
}
template <typename T, int Way> LP_DEVICE T __lp_directed(double value, double rest) {
  const T nearest = (T)value;
  const double over = value - (double)nearest, off = over != 0 ? over : rest;
  if ((Way < 0 || (Way == 0 && value > 0)) && off < 0)
    return __lp_next(nearest, false);
  return (Way > 0 || (Way == 0 && value < 0)) && off > 0 ? __lp_next(nearest, true) : nearest;
}
// The upper half and the lower word are doubles; their sum is rounded, and `rest` exact.
template <typename T, int Way, typename I> LP_DEVICE T __lp_directed_integer(I x) {
#pragma clang fp contract(off) reassociate(off)
  const double a = (double)(x >> 32) * 4294967296.0, b = (double)(unsigned int)x, sum = a + b;
  return __lp_directed<T, Way>(sum, b - (sum - a));
}
#define LP_FROM_INT(I, from, T)                                                                    \
  LP_DEVICE T __##from##2##T##_rd(I a) { return __lp_directed_integer<T, -1>((long long)a); }      \
  LP_DEVICE T __##from##2##T##_ru(I a) { return __lp_directed_integer<T, 1>((long long)a); }       \
  LP_DEVICE T __##from##2##T##_rz(I a) { return __lp_directed_integer<T, 0>((long long)a); }
LP_FROM_INT(int, int, float)
LP_FROM_INT(unsigned int, uint, float)
LP_FROM_INT(long long, ll, float)
LP_FROM_INT(long long, ll, double)
#undef LP_FROM_INT
#define LP_FROM_INT(T)                                                                             \
  LP_DEVICE T __ull2##T##_rd(unsigned long long a) { return __lp_directed_integer<T, -1>(a); }     \
  LP_DEVICE T __ull2##T##_ru(unsigned long long a) { return __lp_directed_integer<T, 1>(a); }      \
  LP_DEVICE T __ull2##T##_rz(unsigned long long a) { return __lp_directed_integer<T, 0>(a); }
LP_FROM_INT(float)
LP_FROM_INT(double)
#undef LP_FROM_INT
LP_DEVICE float __double2float_rd(double a) { return __lp_directed<float, -1>(a, 0); }
LP_DEVICE float __double2float_ru(double a) { return __lp_directed<float, 1>(a, 0); }
LP_DEVICE float __double2float_rz(double a) { return __lp_directed<float, 0>(a, 0); }

// --- Barriers and fences -------------------------------------------------------------------------

// The fences make memory written before the barrier visible after it; s_barrier alone does not.
LP_CONVERGENT void __lp_barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
LP_CONVERGENT void __syncthreads() { __lp_barrier(); }
LP_DEVICE void *memcpy(void *to, const void *from, size_t bytes) {
  return __builtin_memcpy(to, from, bytes);
}
LP_DEVICE void *memset(void *to, int byte, size_t bytes) {
  return __builtin_memset(to, byte, bytes);
}
LP_DEVICE void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
LP_DEVICE void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
LP_DEVICE void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }

// One word a kernel collects the block's votes.
template <typename Combine>
LP_CONVERGENT int __lp_block_vote(int initial, Combine combine) {
  static __shared__ int word;
  if (__builtin_amdgcn_workitem_id_x() == 0 && __builtin_amdgcn_workitem_id_y() == 0 &&
      __builtin_amdgcn_workitem_id_z() == 0)
    word = initial;
  __lp_barrier();
  combine(&word);
  __lp_barrier();
  int result = word;
  __lp_barrier();
  return result;
}
LP_CONVERGENT int __syncthreads_count(int predicate) {
  return __lp_block_vote(0, [=](int *word) {
    __hip_atomic_fetch_add(word, predicate != 0, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  });
}
LP_CONVERGENT int __syncthreads_and(int predicate) {
  return __lp_block_vote(1, [=](int *word) {
    __hip_atomic_fetch_and(word, predicate != 0, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  });
}
LP_CONVERGENT int __syncthreads_or(int predicate) {
  return __lp_block_vote(0, [=](int *word) {
    __hip_atomic_fetch_or(word, predicate != 0, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  });
}

LP_DEVICE long long __clock64() { return (long long)__builtin_readcyclecounter(); }
LP_DEVICE long long __clock() { return __clock64(); }
LP_DEVICE long long clock64() { return __clock64(); }
LP_DEVICE long long clock() { return __clock64(); }
LP_DEVICE long long wall_clock64() { return (long long)__builtin_readsteadycounter(); }

template <typename T> LP_DEVICE T __ldg(const T *p) { return *p; }

#undef LP_DEVICE
#undef LP_CONVERGENT
