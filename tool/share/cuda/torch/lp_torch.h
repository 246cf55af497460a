// PyTorch over CUDA, as a shell; see lp/torch.inc.
#pragma once
#include "../cuda_bf16.h"
#include "../cuda_fp16.h"
#include "../cuda_fp8.h"
#include "../cublas_v2.h"
#include "../cuda_runtime.h"

#define LP_TORCH_STREAM cudaStream_t
#define LP_TORCH_BLAS cublasHandle_t
#define LP_TORCH_PROPERTIES cudaDeviceProp
#define LP_TORCH_BF16 __nv_bfloat16
#define LP_TORCH_LAST_ERROR cudaGetLastError
#include "../../lp/torch.inc"
