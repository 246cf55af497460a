// Kept for sources that include it by name.
#pragma once
#include "nvtx3/nvToolsExt.h"
