// hipRAND's device interface: states and the functions over them, without bodies.
#pragma once
#include "hiprand/hiprand.h"

#define LP_RAND(name) hiprand##name
#include "../../lp/rand_device.inc"
#undef LP_RAND
