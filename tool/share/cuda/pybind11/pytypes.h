// Kept for sources that include it by name.
#pragma once
#include "../torch/lp_torch.h"
