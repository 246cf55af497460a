// One lane for the whole block is read into scalars; XOR from 16 on is one move.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip --verify --launch %S/Inputs/uniform.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: %ported %t.hip | FileCheck %s
// RUN: %clang-hip --offload-arch=gfx90a -O3 -S --no-gpu-bundle-output %t.hip -o - | FileCheck %s --check-prefixes=ISA,SWIZZLE
// RUN: %clang-hip --offload-arch=gfx942 -O3 -S --no-gpu-bundle-output %t.hip -o - | FileCheck %s --check-prefixes=ISA,SWIZZLE
// RUN: %clang-hip --offload-arch=gfx950 -O3 -S --no-gpu-bundle-output %t.hip -o - | FileCheck %s --check-prefixes=ISA,SWAP
// REPORT: warp-shuffle 6 emulated one lane for all threads of the block: v_readlane, one a warp
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes host yes
// REPORT-NEXT: verify gfx90a: tested: all outputs
// REPORT-NEXT: verify gfx942: tested: all outputs
// REPORT-NEXT: verify gfx950: tested: all outputs
// ISA-LABEL: onlyUniform
// ISA-NOT: ds_
// ISA-COUNT-2: v_readlane_b32
// ISA-NOT: ds_
// ISA: s_endpgm
__global__ void onlyUniform(int *out, const int *x, int n) {
  out[threadIdx.x] = __shfl_sync(~0u, x[threadIdx.x], n);
}
// SWIZZLE-LABEL: farApart
// SWIZZLE-NOT: dpp
// SWIZZLE: ds_swizzle_b32
// SWIZZLE-NOT: {{dpp|quad_perm|row_}}
// SWIZZLE: s_endpgm
// SWAP-LABEL: farApart
// SWAP-NOT: ds_
// SWAP: v_permlane16_swap
// SWAP-NOT: ds_
// SWAP: s_endpgm
__global__ void farApart(int *out, const int *x) {
  out[threadIdx.x] = __shfl_xor_sync(~0u, x[threadIdx.x], 21);
}
// Another file may call it with a lane of each thread's own.
// CHECK: return lp::shfl(v, src);
__device__ int chosen(int v, int src) { return __shfl_sync(~0u, v, src); }
__global__ void mixed(float *out, const float *x, const int *perm, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const float v = x[t];
  float sum = 0;
  for (int i = 0; i < n; ++i)
    // CHECK: sum += lp::shfl_uniform(v, i) * (i + 1);
    sum += __shfl_sync(0xffffffff, v, i) * (i + 1);
  // CHECK: sum += lp::shfl_uniform(v, perm[blockIdx.x]);
  sum += __shfl_sync(0xffffffffu, v, perm[blockIdx.x]);
  // CHECK: sum += lp::shfl_uniform((double)v, n + 40) > 0.5;
  sum += __shfl_sync(~0u, (double)v, n + 40) > 0.5;
  // CHECK: sum += lp::shfl(v, n, 16);
  sum += __shfl_sync(~0u, v, n, 16);
  // CHECK: sum += lp::shfl(v, perm[lane]);
  sum += __shfl_sync(~0u, v, perm[lane]);
  // CHECK: sum += lp::shfl(v, threadIdx.x / 32);
  sum += __shfl_sync(~0u, v, threadIdx.x / 32);
  int mine = threadIdx.x / 64 + n;
  // CHECK: sum += lp::shfl(v, mine);
  sum += __shfl_sync(~0u, v, mine);
  if (lane < 16)
    // CHECK: sum += lp::shfl(v, n);
    sum += __shfl_sync(0xffffu, v, n);
  sum += chosen(t, n);
  if (threadIdx.x / 32 == 1)
    // CHECK: sum += lp::shfl_uniform(v, n - 1);
    sum += __shfl_sync(~0u, v, n - 1);
  int k = 0;
  while (k < 3 + int(threadIdx.x / 32)) {
    // CHECK: sum += lp::shfl_uniform(v, k);
    sum += __shfl_sync(~0u, v, k);
    k += 1;
  }
  out[t] = sum;
}
