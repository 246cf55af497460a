// The runtime that a program under `layout-port verify` is linked with: CUDA's names, or HIP's with
// LP_HIP. Plain C++ over the APIs' prototypes. LP_SHARED_BYTES is the shared memory that a block
// may have, LP_ARCH the target's name.
#define LP_MULTIPROCESSORS 16
#include "memory.cpp"

#include "launch.cpp"

#include "device.cpp"

#include "clock.cpp"
