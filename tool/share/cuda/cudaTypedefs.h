// Function-pointer types of driver entry points, as cudaGetDriverEntryPoint hands them out.
#pragma once
#include "cuda.h"

#define LP_ENTRY(name, version) typedef decltype(&name) PFN_##name; typedef decltype(&name) PFN_##name##_v##version;
LP_ENTRY(cuTensorMapEncodeTiled, 12000)
LP_ENTRY(cuGetErrorString, 6000)
LP_ENTRY(cuLaunchKernel, 4000)
#undef LP_ENTRY
