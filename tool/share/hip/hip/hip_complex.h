// hipFloatComplex, hipDoubleComplex and the functions over them.
#pragma once
#include "hip/hip_runtime.h"

#define LP_CX(pre, name) pre##hip##name
#include "../../lp/complex.inc"
