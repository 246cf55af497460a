// Headers that CUDA's own bring along and HIP's do not.
//
//   #include <cublas_v2.h>      brings cuda_fp16.h and cuda_bf16.h
//   #include <hipblas/hipblas.h>  brings neither: <hip/hip_bf16.h> must be asked for
#pragma once

#include "frontend/Parse.h"

#include <string>
#include <vector>

namespace layout_port {

// Those that the output needs beside the renamed ones, as they stand between <>.
std::vector<std::string> standardHeaders(const ParseResult &parsed);

} // namespace layout_port
