// What a product of cuBLAS computes in, where a type of data says so: since cuBLAS 11 that is an
// overload, which hipBLAS has not.
//
//   cublasGemmEx(..., &beta, c, CUDA_R_32F, ldc, CUDA_R_32F, algorithm)
//     ──▶  hipblasGemmEx(..., &beta, c, HIP_R_32F, ldc, HIPBLAS_COMPUTE_32F, algorithm)
//
// https://docs.nvidia.com/cuda/cublas/#cublasgemmex
#pragma once

#include "source/Program.h"

#include <map>
#include <string>

namespace layout_port {

// The HIP names of such arguments, by place.
std::map<Place, std::string> blasComputeTypes(const Program &program);

} // namespace layout_port
