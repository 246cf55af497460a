// What of Thrust and CUB has no counterpart is a person's, by name.
// RUN: not %layout-port %s -o %t.hip 2>&1 | FileCheck %s
// CHECK: thrust_refuse.cu:[[@LINE+1]]:1: manual: include: a CUDA header without a counterpart
#include <thrust/system/cuda/detail/util.h>
// CHECK: thrust_refuse.cu:[[@LINE+1]]:1: manual: include: a CUDA header without a counterpart
#include <nv/target>
// CHECK: thrust_refuse.cu:[[@LINE+1]]:1: manual: include: a CUDA header without a counterpart
#include <cub/agent/agent_reduce.cuh>
#include <cub/util_debug.cuh>
// CHECK: thrust_refuse.cu:[[@LINE+1]]:{{[0-9]+}}: manual: CubDebugExit: {{.*}}write if (HipcubDebug(e)) exit(1)
void check(cudaError_t e) { CubDebugExit(e); }
// CHECK: compiled: gfx942 yes host yes (but for 4 manual sites
