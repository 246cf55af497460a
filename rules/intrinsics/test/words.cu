// SIMD in a word, dot products and cache hints: each name becomes the runtime's.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: %layout-port verify %S/Inputs/words.cu %t.hip --launch %S/Inputs/words.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}tested: all outputs
#include <cuda_runtime.h>
__global__ void words(unsigned *d, const unsigned *a, const float4 *f, float4 *g, int *s) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned x = a[2 * t] * 2654435761u, y = a[2 * t + 1] * 2246822519u;
  // CHECK: d[8 * t] = lp::vadd4(x, y) + lp::vsubss4(x, y);
  d[8 * t] = __vadd4(x, y) + __vsubss4(x, y);
  // CHECK: d[8 * t + 1] = lp::vcmpeq4(x & 0x0f0f0f0f, y) ^ lp::vcmpne4(x, 0);
  d[8 * t + 1] = __vcmpeq4(x & 0x0f0f0f0f, y) ^ __vcmpne4(x, 0);
  // CHECK: d[8 * t + 2] = lp::vmaxs2(x, y) + lp::vminu4(x, y);
  d[8 * t + 2] = __vmaxs2(x, y) + __vminu4(x, y);
  // CHECK: d[8 * t + 3] = lp::vabsdiffu4(x, y) + lp::vsadu4(x, y) + lp::vavgu4(x, y);
  d[8 * t + 3] = __vabsdiffu4(x, y) + __vsadu4(x, y) + __vavgu4(x, y);
  // CHECK: s[2 * t] = lp::dp4a((int)x, (int)y, t);
  s[2 * t] = __dp4a((int)x, (int)y, t);
  // CHECK: s[2 * t + 1] = (int)lp::dp4a(x, y, 7u) + lp::dp2a_lo((int)x, (int)y, 1);
  s[2 * t + 1] = (int)__dp4a(x, y, 7u) + __dp2a_lo((int)x, (int)y, 1);
  // CHECK: lp::stcs(&g[t], lp::ldcg(&f[t]));
  __stcs(&g[t], __ldcg(&f[t]));
  // CHECK: d[8 * t + 4] = lp::ldcv(a + t);
  d[8 * t + 4] = __ldcv(a + t);
}
