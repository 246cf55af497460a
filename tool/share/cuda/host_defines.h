// CUDA's function and variable qualifiers, spelled with the attributes that Clang gives them.
//
// These are parse headers: layout-port reads CUDA sources with them where no CUDA SDK is
// installed. Names and signatures follow the CUDA Runtime API and the CUDA Math API
// (https://docs.nvidia.com/cuda/); the bodies are our own, written over Clang builtins, so that
// device code also compiles to NVPTX IR for `layout-port verify`.
#pragma once

// Clang defines these only through its own CUDA wrapper, which needs an SDK.
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define __CUDACC_VER_BUILD__ 0
#ifndef CUDA_VERSION
#define CUDA_VERSION 12080
#endif
#define CUDART_VERSION 12080
#define CUDA_API_PER_THREAD_DEFAULT_STREAM 0

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __grid_constant__ __attribute__((grid_constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __cluster_dims__(...)
#define __maxnreg__(...)

// Clang takes `__noinline__` itself, inside and outside of __attribute__, so it stays undefined.
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __device_builtin__
#define __cudart_builtin__
#define __no_return__ __attribute__((noreturn))
#define __thread__ __thread
#define __annotate__(a)
#define __location__(a)
#define __nv_pure__ __attribute__((pure))
#define __nv_is_extended_device_lambda_closure_type(T) false
#define __nv_is_extended_host_device_lambda_closure_type(T) false

#define CUDARTAPI
#define CUDAAPI
#define CUDART_CB
#define CUDA_CB
#define CUDARTAPI_CDECL
