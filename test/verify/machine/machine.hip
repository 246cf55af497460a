#include "machine.cu"
