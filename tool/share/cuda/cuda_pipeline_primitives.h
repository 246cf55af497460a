// __pipeline_memcpy_async and its commit and wait, over the cp.async builtins.
// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#pipeline-primitives-interface
#pragma once
#include "cuda_runtime.h"

#define LP_DEVICE static __forceinline__ __device__

// `size` is 4, 8 or 16 bytes; the last `zfill` of them become zero instead of being read.
LP_DEVICE void __pipeline_memcpy_async(void *__restrict__ shared, const void *__restrict__ global,
                                       size_t size, size_t zfill = 0) {
  auto *to = (__attribute__((address_space(3))) void *)shared;
  auto *from = (__attribute__((address_space(1))) void *)global;
  int bytes = (int)(size - zfill);
  switch (size) {
  case 4:
    __nvvm_cp_async_ca_shared_global_4(to, from, bytes);
    break;
  case 8:
    __nvvm_cp_async_ca_shared_global_8(to, from, bytes);
    break;
  case 16:
    __nvvm_cp_async_cg_shared_global_16(to, from, bytes);
    break;
  }
}
LP_DEVICE void __pipeline_commit() { __nvvm_cp_async_commit_group(); }
// The builtin takes a constant; the counts kernels use are spelled.
LP_DEVICE void __pipeline_wait_prior(size_t groups) {
  switch (groups) {
  case 0:
    __nvvm_cp_async_wait_all();
    break;
  case 1:
    __nvvm_cp_async_wait_group(1);
    break;
  case 2:
    __nvvm_cp_async_wait_group(2);
    break;
  case 3:
    __nvvm_cp_async_wait_group(3);
    break;
  case 4:
    __nvvm_cp_async_wait_group(4);
    break;
  case 5:
    __nvvm_cp_async_wait_group(5);
    break;
  case 6:
    __nvvm_cp_async_wait_group(6);
    break;
  default:
    __nvvm_cp_async_wait_group(7);
    break;
  }
}

#undef LP_DEVICE
