// The DPX functions: integer sums and limits in one call.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: %layout-port verify %s %t.hip --launch %S/Inputs/dpx.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}{{tested|proved}}: all outputs
__global__ void dpx(unsigned *D, const unsigned *A) {
  const int t = threadIdx.x;
  const unsigned a = A[t], b = A[t + 32], c = A[t + 64];
  unsigned *d = D + 8 * t;
  bool first, second;
  // CHECK: d[0] = lp::viaddmax_s32(a, b, c) + lp::viaddmin_u32(a, b, c);
  d[0] = __viaddmax_s32(a, b, c) + __viaddmin_u32(a, b, c);
  // CHECK: d[1] = lp::viaddmax_s32_relu(a, b, c);
  d[1] = __viaddmax_s32_relu(a, b, c);
  // CHECK: d[2] = lp::vimax3_s32(a, b, c) + lp::vimin3_u32(a, b, c);
  d[2] = __vimax3_s32(a, b, c) + __vimin3_u32(a, b, c);
  // CHECK: d[3] = lp::viaddmax_s16x2(a, b, c);
  d[3] = __viaddmax_s16x2(a, b, c);
  // CHECK: d[4] = lp::vimax3_u16x2(a, b, c) ^ lp::vimin_s16x2_relu(a, b);
  d[4] = __vimax3_u16x2(a, b, c) ^ __vimin_s16x2_relu(a, b);
  // CHECK: d[5] = lp::vibmax_s32(a, b, &first);
  d[5] = __vibmax_s32(a, b, &first);
  // CHECK: d[6] = lp::vibmin_u16x2(a, b, &second, &first);
  d[6] = __vibmin_u16x2(a, b, &second, &first);
  d[7] = first + 2 * second;
}
