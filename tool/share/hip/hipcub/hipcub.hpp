// hipCUB, over waves of 64 lanes. https://rocm.docs.amd.com/projects/hipCUB/
#pragma once
#include "hip/hip_runtime.h"
#include <limits>
#include <type_traits>

#define HIPCUB_VERSION 300300
#define HIPCUB_WARP_THREADS 64

#define LP_CUB hipcub
#define LP_CUB_ERROR hipError_t
#define LP_CUB_STREAM hipStream_t
#define LP_CUB_LANES 64
#define LP_CUB_LANE __lane_id()
#define LP_CUB_SHUFFLE(word, lane) __shfl(word, lane, 64)
#include "../../lp/cub.inc"
