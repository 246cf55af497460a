// NCCL, as a shell; see lp/nccl.inc.
#pragma once
#include "cuda_runtime.h"

#define LP_NCCL_STREAM cudaStream_t
#include "../lp/nccl.inc"
#undef LP_NCCL_STREAM
