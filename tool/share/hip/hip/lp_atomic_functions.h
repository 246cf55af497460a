// HIP's atomic functions, at device scope and with the _system forms. HIP has no _block forms.
#pragma once
#include "hip/host_defines.h"

#define LP_DEVICE static __forceinline__ __device__

#define LP_ATOMIC(T, name, op, postfix, scope)                                                     \
  LP_DEVICE T atomic##name##postfix(T *address, T value) {                                         \
    return __hip_atomic_##op(address, value, __ATOMIC_RELAXED, scope);                             \
  }
#define LP_ATOMIC_SCOPES(T, name, op)                                                              \
  LP_ATOMIC(T, name, op, , __HIP_MEMORY_SCOPE_AGENT)                                               \
  LP_ATOMIC(T, name, op, _system, __HIP_MEMORY_SCOPE_SYSTEM)
#define LP_ATOMIC_CAS(T, postfix, scope)                                                           \
  LP_DEVICE T atomicCAS##postfix(T *address, T compare, T value) {                                 \
    __hip_atomic_compare_exchange_strong(address, &compare, value, __ATOMIC_RELAXED,               \
                                         __ATOMIC_RELAXED, scope);                                 \
    return compare;                                                                                \
  }
#define LP_ATOMIC_SUB(T)                                                                           \
  LP_DEVICE T atomicSub(T *address, T value) { return atomicAdd(address, (T)-value); }             \
  LP_DEVICE T atomicSub_system(T *address, T value) { return atomicAdd_system(address, (T)-value); }

#define LP_ATOMIC_INTEGER(T)                                                                       \
  LP_ATOMIC_SCOPES(T, Add, fetch_add)                                                              \
  LP_ATOMIC_SCOPES(T, Min, fetch_min)                                                              \
  LP_ATOMIC_SCOPES(T, Max, fetch_max)                                                              \
  LP_ATOMIC_SCOPES(T, And, fetch_and)                                                              \
  LP_ATOMIC_SCOPES(T, Or, fetch_or)                                                                \
  LP_ATOMIC_SCOPES(T, Xor, fetch_xor)                                                              \
  LP_ATOMIC_SCOPES(T, Exch, exchange)                                                              \
  LP_ATOMIC_CAS(T, , __HIP_MEMORY_SCOPE_AGENT)                                                     \
  LP_ATOMIC_CAS(T, _system, __HIP_MEMORY_SCOPE_SYSTEM)                                             \
  LP_ATOMIC_SUB(T)
LP_ATOMIC_INTEGER(int)
LP_ATOMIC_INTEGER(unsigned int)
LP_ATOMIC_INTEGER(unsigned long)
LP_ATOMIC_INTEGER(unsigned long long)
LP_ATOMIC_SCOPES(long long, Min, fetch_min)
LP_ATOMIC_SCOPES(long long, Max, fetch_max)

#define LP_ATOMIC_REAL(T)                                                                          \
  LP_ATOMIC_SCOPES(T, Add, fetch_add)                                                              \
  LP_ATOMIC_SCOPES(T, Min, fetch_min)                                                              \
  LP_ATOMIC_SCOPES(T, Max, fetch_max)                                                              \
  LP_ATOMIC_SUB(T)                                                                                 \
  LP_DEVICE T unsafeAtomicAdd(T *address, T value) { return atomicAdd(address, value); }           \
  LP_DEVICE T safeAtomicAdd(T *address, T value) { return atomicAdd(address, value); }
LP_ATOMIC_REAL(float)
LP_ATOMIC_REAL(double)
LP_ATOMIC_SCOPES(float, Exch, exchange)
LP_ATOMIC_SCOPES(double, Exch, exchange)
LP_DEVICE void atomicAddNoRet(float *address, float value) { (void)atomicAdd(address, value); }

// Wrap at the bound: old >= bound ? 0 : old + 1, and (old == 0 || old > bound) ? bound : old - 1.
LP_DEVICE unsigned int atomicInc(unsigned int *address, unsigned int bound) {
  return __builtin_amdgcn_atomic_inc32(address, bound, __ATOMIC_RELAXED, "agent");
}
LP_DEVICE unsigned int atomicDec(unsigned int *address, unsigned int bound) {
  return __builtin_amdgcn_atomic_dec32(address, bound, __ATOMIC_RELAXED, "agent");
}

#undef LP_ATOMIC
#undef LP_ATOMIC_SCOPES
#undef LP_ATOMIC_CAS
#undef LP_ATOMIC_SUB
#undef LP_ATOMIC_INTEGER
#undef LP_ATOMIC_REAL
#undef LP_DEVICE
