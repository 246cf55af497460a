// Kept for sources that include it by name.
#pragma once
#include "cublas_v2.h"
