// HIP as a source file sees it, without ROCm.
//
// layout-port compiles its outputs with these headers (`-nogpuinc -nogpulib`) to check them, and to
// get the IR that `layout-port verify` runs. They declare what ROCm 6.3 declares and no more, so that
// what compiles here compiles there. Math comes from Clang's own headers, as it does in ROCm: calls
// to __ocml_* functions, which stay undefined for the simulator; with LAYOUT_PORT_CHECK they get
// bodies that link, so that `-c` reaches a finished code object.
#pragma once
#define HIP_INCLUDE_HIP_HIP_RUNTIME_H // by which sources ask for this header
#include "hip/hip_version.h"
#include "hip/host_defines.h"

#ifndef __HIP__
#error "hip_runtime.h of layout-port is meant for `clang -x hip`"
#endif

#include <__clang_cuda_math_forward_declares.h>

#include <assert.h>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <ctime> // ROCm's brings <thread>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hip/hip_runtime_api.h"
#include "hip/hip_vector_types.h"

#include <__clang_hip_libdevice_declares.h>

#ifdef LAYOUT_PORT_CHECK
#include "hip/lp_ocml_link.h"
#else
#include "hip/lp_fast_math_names.h"
#endif

#include <__clang_hip_math.h>

#include <__clang_hip_stdlib.h>

#include <__clang_hip_cmath.h>

#ifndef LAYOUT_PORT_CHECK
#include "hip/lp_fast_math.h"
#endif

#include "hip/lp_builtin_variables.h"
#include "hip/lp_device_functions.h"
#include "hip/lp_atomic_functions.h"
#include "hip/lp_warp_functions.h"

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(x) x
#define HIP_DYNAMIC_SHARED(type, variable) extern __shared__ type variable[];
#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...)                               \
  kernel<<<grid, block, shared, stream>>>(__VA_ARGS__)
