// RCCL, which has NCCL's names, as a shell; see lp/nccl.inc.
#pragma once
#include "hip/hip_runtime.h"

#define LP_NCCL_STREAM hipStream_t
#include "../../lp/nccl.inc"
#undef LP_NCCL_STREAM
