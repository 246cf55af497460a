// PyTorch over HIP, as a shell; see lp/torch.inc.
#pragma once
#include "hip/hip_bf16.h"
#include "hip/hip_fp16.h"
#include "hip/hip_fp8.h"
#include "hip/hip_runtime.h"
#include "hipblas/hipblas.h"

#define LP_TORCH_STREAM hipStream_t
#define LP_TORCH_BLAS hipblasHandle_t
#define LP_TORCH_PROPERTIES hipDeviceProp_t
#define LP_TORCH_BF16 __hip_bfloat16
#define LP_TORCH_LAST_ERROR hipGetLastError
#define LP_TORCH_HIP
#include "../../lp/torch.inc"
