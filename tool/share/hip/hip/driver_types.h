// Kept for sources that include it by name.
#pragma once
#include "hip/hip_runtime.h"
