// A 32-bit mask on a 64-lane wave is an error in ROCm, so it is one here.
#include <hip/hip_runtime.h>

__global__ void kernel(int *n) { n[0] = __shfl_sync(0xffffffffu, n[0], 0); }
