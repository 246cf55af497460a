// Device functions that Clang's headers leave to the SDK: printf, assert and malloc, address space
// queries, byte and dot-product intrinsics.
#pragma once
#include "host_defines.h"
#include <stddef.h>

// nvcc knows both spellings.
#define __assume(condition) __builtin_assume(condition)

extern "C" {
__device__ int vprintf(const char *format, const char *arguments);
__device__ int printf(const char *format, ...);
__device__ void free(void *p) __attribute((nothrow));
__device__ void *malloc(size_t size) __attribute((nothrow)) __attribute__((malloc));
__device__ void __assertfail(const char *message, const char *file, unsigned int line,
                             const char *function, size_t charSize);
// What assert() of the C library calls.
__device__ static inline void __assert_fail(const char *message, const char *file,
                                            unsigned int line, const char *function) {
  __assertfail(message, file, line, function, sizeof(char));
}
}

namespace std {
__device__ static inline void free(void *p) { ::free(p); }
__device__ static inline void *malloc(size_t size) { return ::malloc(size); }
} // namespace std

#define LP_DEVICE static __device__ __forceinline__

LP_DEVICE void __nanosleep(unsigned int ns) { __nvvm_nanosleep(ns); }

LP_DEVICE unsigned int __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
LP_DEVICE unsigned int __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
LP_DEVICE unsigned int __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
LP_DEVICE unsigned int __isLocal(const void *p) { return __nvvm_isspacep_local(p); }

LP_DEVICE size_t __cvta_generic_to_global(const void *p) {
  return (size_t)(__attribute__((address_space(1))) const void *)p;
}
LP_DEVICE size_t __cvta_generic_to_shared(const void *p) {
  return (size_t)(__attribute__((address_space(3))) const void *)p;
}
LP_DEVICE size_t __cvta_generic_to_constant(const void *p) {
  return (size_t)(__attribute__((address_space(4))) const void *)p;
}
LP_DEVICE size_t __cvta_generic_to_local(const void *p) {
  return (size_t)(__attribute__((address_space(5))) const void *)p;
}
LP_DEVICE void *__cvta_global_to_generic(size_t p) {
  return (void *)(__attribute__((address_space(1))) void *)p;
}
LP_DEVICE void *__cvta_shared_to_generic(size_t p) {
  return (void *)(__attribute__((address_space(3))) void *)p;
}
LP_DEVICE void *__cvta_constant_to_generic(size_t p) {
  return (void *)(__attribute__((address_space(4))) void *)p;
}
LP_DEVICE void *__cvta_local_to_generic(size_t p) {
  return (void *)(__attribute__((address_space(5))) void *)p;
}

// Byte and half-word dot products with accumulation modulo 2^32: c + sum a[i] * b[i].
LP_DEVICE int __dp4a(int a, int b, int c) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
    c = (int)((unsigned int)c +
              (unsigned int)((int)(signed char)(a >> 8 * i) * (int)(signed char)(b >> 8 * i)));
  return c;
}
LP_DEVICE unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
    c += (a >> 8 * i & 0xff) * (b >> 8 * i & 0xff);
  return c;
}
LP_DEVICE int __dp4a(char4 a, char4 b, int c) {
  return (int)((unsigned int)c + (unsigned int)(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w));
}
LP_DEVICE unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
  return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
// The lo form takes the low two bytes of b, the hi form the high two.
LP_DEVICE int __dp2a_lo(int a, int b, int c) {
  int sum = (int)(short)a * (int)(signed char)b + (a >> 16) * (int)(signed char)(b >> 8);
  return (int)((unsigned int)c + (unsigned int)sum);
}
LP_DEVICE int __dp2a_hi(int a, int b, int c) { return __dp2a_lo(a, b >> 16, c); }
LP_DEVICE unsigned int __dp2a_lo(unsigned int a, unsigned int b, unsigned int c) {
  return c + (a & 0xffff) * (b & 0xff) + (a >> 16) * (b >> 8 & 0xff);
}
LP_DEVICE unsigned int __dp2a_hi(unsigned int a, unsigned int b, unsigned int c) {
  return __dp2a_lo(a, b >> 16, c);
}


// Loads and stores with cache hints, the ones Clang's headers lack. A hint changes no value, so these
// are plain accesses. `value` converts to what the pointer points to.
template <typename T> struct lp_same {
  typedef T type;
};
#define LP_CACHED_STORE(name)                                                                      \
  template <typename T> LP_DEVICE void name(T *p, typename lp_same<T>::type value) { *p = value; }
LP_CACHED_STORE(__stwb)
LP_CACHED_STORE(__stcg)
LP_CACHED_STORE(__stcs)
LP_CACHED_STORE(__stwt)
#undef LP_CACHED_STORE
template <typename T> LP_DEVICE T __ldca(const T *p) { return *p; }
template <typename T> LP_DEVICE T __ldlu(const T *p) { return *p; }

#undef LP_DEVICE
