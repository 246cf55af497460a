// rocThrust. https://rocm.docs.amd.com/projects/rocThrust/
#pragma once
#include "hip/hip_runtime.h"

#define LP_THRUST_SYSTEM hip
#define LP_THRUST_STREAM hipStream_t
#include "../../lp/thrust.inc"
