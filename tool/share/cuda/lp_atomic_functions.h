// atomicAdd and its family: relaxed atomic operations at device scope, with the _block and _system
// forms. https://docs.nvidia.com/cuda/cuda-c-programming-guide/#atomic-functions
#pragma once
#include "host_defines.h"

#define LP_DEVICE static __device__ __forceinline__

#define LP_ATOMIC(T, name, op, postfix, scope)                                                     \
  LP_DEVICE T atomic##name##postfix(T *address, T value) {                                         \
    return __scoped_atomic_##op(address, value, __ATOMIC_RELAXED, scope);                          \
  }
#define LP_ATOMIC_SCOPES(T, name, op)                                                              \
  LP_ATOMIC(T, name, op, , __MEMORY_SCOPE_DEVICE)                                                  \
  LP_ATOMIC(T, name, op, _block, __MEMORY_SCOPE_WRKGRP)                                            \
  LP_ATOMIC(T, name, op, _system, __MEMORY_SCOPE_SYSTEM)

#define LP_ATOMIC_CAS(T, postfix, scope)                                                           \
  LP_DEVICE T atomicCAS##postfix(T *address, T compare, T value) {                                 \
    __scoped_atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED,          \
                                       __ATOMIC_RELAXED, scope);                                   \
    return compare;                                                                                \
  }
#define LP_ATOMIC_CAS_SCOPES(T)                                                                    \
  LP_ATOMIC_CAS(T, , __MEMORY_SCOPE_DEVICE)                                                        \
  LP_ATOMIC_CAS(T, _block, __MEMORY_SCOPE_WRKGRP)                                                  \
  LP_ATOMIC_CAS(T, _system, __MEMORY_SCOPE_SYSTEM)

#define LP_ATOMIC_INTEGER(T)                                                                       \
  LP_ATOMIC_SCOPES(T, Add, fetch_add)                                                              \
  LP_ATOMIC_SCOPES(T, Min, fetch_min)                                                              \
  LP_ATOMIC_SCOPES(T, Max, fetch_max)                                                              \
  LP_ATOMIC_SCOPES(T, And, fetch_and)                                                              \
  LP_ATOMIC_SCOPES(T, Or, fetch_or)                                                                \
  LP_ATOMIC_SCOPES(T, Xor, fetch_xor)                                                              \
  LP_ATOMIC_SCOPES(T, Exch, exchange_n)                                                            \
  LP_ATOMIC_CAS_SCOPES(T)
LP_ATOMIC_INTEGER(int)
LP_ATOMIC_INTEGER(unsigned int)
LP_ATOMIC_INTEGER(unsigned long long)
#undef LP_ATOMIC_INTEGER
LP_ATOMIC_SCOPES(long long, Min, fetch_min)
LP_ATOMIC_SCOPES(long long, Max, fetch_max)
LP_ATOMIC_SCOPES(long long, And, fetch_and)
LP_ATOMIC_SCOPES(long long, Or, fetch_or)
LP_ATOMIC_SCOPES(long long, Xor, fetch_xor)
LP_ATOMIC_SCOPES(float, Add, fetch_add)
LP_ATOMIC_SCOPES(double, Add, fetch_add)
LP_ATOMIC_CAS_SCOPES(unsigned short)

#define LP_ATOMIC_SUB(postfix)                                                                     \
  LP_DEVICE int atomicSub##postfix(int *address, int value) {                                      \
    return atomicAdd##postfix(address, -value);                                                    \
  }                                                                                                \
  LP_DEVICE unsigned int atomicSub##postfix(unsigned int *address, unsigned int value) {           \
    return atomicAdd##postfix(address, 0u - value);                                                \
  }
LP_ATOMIC_SUB()
LP_ATOMIC_SUB(_block)
LP_ATOMIC_SUB(_system)
#undef LP_ATOMIC_SUB
LP_DEVICE float atomicExch(float *address, float value) {
  return __builtin_bit_cast(
      float, atomicExch((unsigned int *)address, __builtin_bit_cast(unsigned int, value)));
}
// Wrap at the bound: old >= bound ? 0 : old + 1, and (old == 0 || old > bound) ? bound : old - 1.
LP_DEVICE unsigned int atomicInc(unsigned int *address, unsigned int bound) {
  return __nvvm_atom_inc_gen_ui(address, bound);
}
LP_DEVICE unsigned int atomicDec(unsigned int *address, unsigned int bound) {
  return __nvvm_atom_dec_gen_ui(address, bound);
}
LP_DEVICE unsigned int atomicInc_block(unsigned int *address, unsigned int bound) {
  return atomicInc(address, bound);
}
LP_DEVICE unsigned int atomicDec_block(unsigned int *address, unsigned int bound) {
  return atomicDec(address, bound);
}

#undef LP_ATOMIC
#undef LP_ATOMIC_SCOPES
#undef LP_ATOMIC_CAS
#undef LP_ATOMIC_CAS_SCOPES
#undef LP_DEVICE
