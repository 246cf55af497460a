// What every CUDA source begins with, to be parsed once: see tool/frontend/Precompiled.h. The
// command line includes cuda_runtime.h ahead of it.
