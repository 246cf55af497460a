// cuRAND's device interface: states and the functions over them, without bodies.
#pragma once
#include "curand.h"

#define LP_RAND(name) curand##name
#include "../lp/rand_device.inc"
#undef LP_RAND
