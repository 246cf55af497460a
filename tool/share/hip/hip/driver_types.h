// Kept for sources that include it by name.
#pragma once
#define HIP_INCLUDE_HIP_DRIVER_TYPES_H // by which sources ask for this header
#include "hip/hip_runtime.h"
