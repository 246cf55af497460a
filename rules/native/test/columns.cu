// The warps of a pair share A: one MFMA a tile, no cross-lane move in the loop nor behind it.
// RUN: %layout-port %s -o %t.hip --target gfx90a,gfx942,gfx950 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: %ported %t.hip | FileCheck %s
//
// REPORT: native
// REPORT-NOT: bridged
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes
#include <cuda_fp16.h>
#include <stdint.h>

// CHECK-NOT: {{^__device__ void ldsm4}}
// CHECK-NOT: {{^#define LDSM2}}
__device__ void ldsm4(uint32_t (&r)[4], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
}
#define LDSM2(r0, r1, a)                                                                           \
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r0), "=r"(r1) : "r"(a))
#define MMA(d, a, b)                                                                               \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "  \
               "{%8,%9}, {%0,%1,%2,%3};"                                                           \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                    \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

// CHECK: columns(const half
__global__ void __launch_bounds__(64) columns(const half *B, float *C) {
  __shared__ half a[16 * 16], b[64 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 64 * 16; i += 64)
    b[i] = B[i];
  a[threadIdx.x] = B[threadIdx.x];
  __syncthreads();
  float c[4][4] = {};
  uint32_t af[4];
  // CHECK: lp::load_a(af, [&](int lane, int) { return
  ldsm4(af, (uint32_t)__cvta_generic_to_shared(&a[lane % 16 * 16 + lane / 16 * 8]));
  for (int j = 0; j < 4; ++j) {
    uint32_t bf[2];
    // CHECK: lp::load_b(bf, [&](int lane, int warp) { return {{.*}}warp * 32 + j * 8
    LDSM2(bf[0], bf[1], (uint32_t)__cvta_generic_to_shared(&b[(warp * 32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8]));
    // CHECK: lp::mma_m16n8k16_f32_f16_wave(c[j], af, bf)
    MMA(c[j], af, bf);
  }
  for (int j = 0; j < 4; ++j)
    for (int r = 0; r < 4; ++r)
      C[(warp * 4 + j) * 128 + r * 32 + lane] = c[j][r];
}

// CHECK-NOT: to_warp_layout
// CHECK: lp::each_pair(c[j], [&](int lane, int lower, const auto &v) {
// CHECK: for (int r = 2 * lower; r < 2 * lower + 2; ++r)
// CHECK: C[(warp * 4 + j) * 128 + r * 32 + lane] = v[r & 1];
