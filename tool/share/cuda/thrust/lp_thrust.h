// Thrust. https://nvidia.github.io/cccl/thrust/
#pragma once
#include "../cuda_runtime.h"

#define LP_THRUST_SYSTEM cuda
#define LP_THRUST_STREAM cudaStream_t
#include "../../lp/thrust.inc"
