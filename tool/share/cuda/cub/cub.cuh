// CUB, over warps of 32 lanes. https://nvidia.github.io/cccl/cub/
#pragma once
#include "../cuda_runtime.h"
#include <limits>
#include <type_traits>

#define CUB_VERSION 200800
#define CUB_PTX_ARCH 800
#define CubDebugExit(e) (void)(e)
#define CubDebug(e) (e)

#define CUB_PTX_LOG_WARP_THREADS 5
#define CUB_PTX_WARP_THREADS (1 << CUB_PTX_LOG_WARP_THREADS)

#define LP_CUB cub
#define LP_CUB_ERROR cudaError_t
#define LP_CUB_STREAM cudaStream_t
#define LP_CUB_LANES 32
#define LP_CUB_LANE __nvvm_read_ptx_sreg_laneid()
#define LP_CUB_SHUFFLE(word, lane) __shfl_sync(~0u, word, lane)
#include "../../lp/cub.inc"
