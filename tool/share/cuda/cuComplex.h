// cuFloatComplex, cuDoubleComplex and the functions over them.
#pragma once
#include "cuda_runtime.h"

#define LP_CX(pre, name) pre##cu##name
#include "../lp/complex.inc"
