// The CUDA runtime as a source file sees it: what nvcc includes ahead of every .cu file.
//
// Clang's own headers, found in its resource directory, map the device math and integer functions
// to __nv_* names and the warp functions to __nvvm_* builtins; lp_libdevice.h gives bodies to those
// __nv_* functions that have an exact meaning and leaves the transcendental ones undefined.
#pragma once
// Sources test the SDK's include guards to see what is there.
#define __CUDA_RUNTIME_H__
#include "host_defines.h"

#ifndef __CUDA__
#error "cuda_runtime.h of layout-port is meant for `clang -x cuda`"
#endif

// Device overloads must be declared before <cmath>, or its constexpr functions become host-device
// ones and clash with them.
#include <__clang_cuda_math_forward_declares.h>

// layout-port reads a source, and compiles nothing of it.
#if defined(__LAYOUT_PORT_READS__) && __has_include(<bits/c++config.h>) && __cplusplus >= 201703L
#include <bits/c++config.h>
#ifdef _GLIBCXX_USE_STD_SPEC_FUNCS
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#include <cmath>
#include "lp_special_functions.h"
#endif
#endif

#include <assert.h>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <utility>

#include "cuda_runtime_api.h"
#include "vector_functions.h"

#include <__clang_cuda_builtin_vars.h>

#include <__clang_cuda_libdevice_declares.h>

#include "lp_libdevice.h"

#include <__clang_cuda_device_functions.h>

#include <__clang_cuda_math.h>

#include "lp_device_functions.h"
#include "lp_dpx_functions.h"
#include "lp_math_functions.h"
#include "lp_runtime_templates.h"

#include <__clang_cuda_cmath.h>

#include <__clang_cuda_intrinsics.h>

#include <__clang_cuda_complex_builtins.h>

#include "lp_atomic_functions.h"
#include "lp_texture_functions.h"

__device__ inline __cuda_builtin_threadIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_threadIdx_t::operator uint3() const { return uint3{x, y, z}; }
__device__ inline __cuda_builtin_blockIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockIdx_t::operator uint3() const { return uint3{x, y, z}; }
__device__ inline __cuda_builtin_blockDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockDim_t::operator uint3() const { return uint3{x, y, z}; }
__device__ inline __cuda_builtin_gridDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_gridDim_t::operator uint3() const { return uint3{x, y, z}; }
