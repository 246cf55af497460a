// wmma keeps its text but for the namespace; elementwise uses stay.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT < %t.err
// RUN: %layout-port verify %s %t.hip --launch %S/Inputs/forms.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}{{proved|tested}}: all outputs
// RUN: %clang-hip --offload-arch=gfx942 -O3 -S --no-gpu-bundle-output %t.hip -o - | FileCheck %s --check-prefix=ISA
// REPORT: 1 bridged
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes host yes
// CHECK: // #include <mma.h>
#include <mma.h>
// CHECK: namespace wmma = lp::wmma;
using namespace nvcuda;
#define LAYOUT wmma::mem_row_major

// No value changes its lane where the wave is whole: 8 MFMAs, and nothing of the
// LDS pipe but the DPPs of the other arm.
// ISA-LABEL: product
// ISA-NOT: ds_bpermute
// ISA: v_mfma_f32_4x4x4
// ISA-NOT: ds_bpermute
// ISA: s_endpgm
__global__ void product(const half *a, const half *b, float *c, float alpha) {
  // CHECK: wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  // CHECK: lp::wmma::fragment<lp::wmma::matrix_b, 16, 16, 16, half, lp::wmma::col_major> fb;
  nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, half, nvcuda::wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2];
  wmma::fill_fragment(acc[0], 0.f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::load_matrix_sync(acc[1], c, 16, LAYOUT);
  wmma::mma_sync(acc[0], fa, fb, acc[0]);
  // CHECK: acc[1].x[t] = alpha * acc[0].x[t] + acc[1].x[t];
  for (int t = 0; t < acc[0].num_elements; t++)
    acc[1].x[t] = alpha * acc[0].x[t] + acc[1].x[t];
  for (int t = 0; t < 8; t++) {
    const float x = acc[1].x[t];
    acc[1].x[t] = x > 0 ? x : 0;
  }
  wmma::store_matrix_sync(c, acc[1], 16, LAYOUT);
}
