// A scan of floats keeps its order of additions: steps of 1, 2 and 4 lanes by DPP, 8 and 16
// by one trip each through the LDS pipe.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: %layout-port verify %s %t.hip --launch %S/Inputs/scan.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}{{proved|tested}}: all outputs
// RUN: %clang-hip --offload-arch=gfx90a -O3 -S --no-gpu-bundle-output %t.hip -o - | FileCheck %s --check-prefix=ISA
// RUN: %clang-hip --offload-arch=gfx942 -O3 -S --no-gpu-bundle-output %t.hip -o - | FileCheck %s --check-prefix=ISA
// RUN: %clang-hip --offload-arch=gfx950 -O3 -S --no-gpu-bundle-output %t.hip -o - | FileCheck %s --check-prefix=ISA
// CHECK: const float n = lp::shfl_up(v, d);
// CHECK: v += lp::shfl_down_some(v, 2);
// ISA-LABEL: scanned
// ISA: wave_shr:1
// ISA-COUNT-6: wave_shr:1
// ISA: ds_bpermute_b32
// ISA: ds_swizzle_b32
// ISA-NOT: ds_
// ISA: s_endpgm
__global__ void scanned(float *D, const float *A) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  float v = A[t];
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const float n = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d)
      v += n;
  }
  D[t] = v;
}
// Odd lanes alone: no value may pass through an even one.
__global__ void odd(float *D, const float *A) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float v = A[t];
  if (t & 1)
    v += __shfl_down_sync(0xaaaaaaaau, v, 2);
  D[t] = v;
}
