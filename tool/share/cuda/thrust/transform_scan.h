// Kept for sources that include it by name.
#pragma once
#include "lp_thrust.h"
