// Results that nobody wants, and numbers in the place of registers: sums over rows by a
// product with ones, of which one column of eight is enough.
// RUN: %layout-port %s -o %t.hip --target gfx90a,gfx942,gfx950 --verify --launch %S/Inputs/unwanted.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: %ported %t.hip | FileCheck %s
//
// REPORT-NOT: manual
// REPORT: verify gfx90a: proved
// REPORT: verify gfx942: proved
// REPORT: verify gfx950: proved
#include <stdint.h>

// CHECK-LABEL: rowSums(
__global__ void __launch_bounds__(64) rowSums(const uint32_t *P, float *sums) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t *p = P + thread * 4;
  float s[2] = {1.f, thread / 4 * 1.f};
  // CHECK: [&] { __typeof__(s[0]) unwanted0, unwanted1; lp::mma_m16n8k16_f32_f16(s[0], unwanted0, s[1], unwanted1, p[0], p[1], p[2], p[3], 0x3c003c00, 0x3c003c00, s[0], 0.0f, s[1], 0.5f); }();
  asm volatile("{ mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, _, %1, _}, {%2, %3, %4, %5}, "
               "{%6, %7}, {%8, 0., %9, 0.5}; }"
               : "=f"(s[0]), "=f"(s[1])
               : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(0x3c003c00), "r"(0x3c003c00),
                 "f"(s[0]), "f"(s[1]));
  sums[thread * 2] = s[0];
  sums[thread * 2 + 1] = s[1];
}

// Sums that are kept as bits.
// CHECK-LABEL: rowSumsAsBits(
__global__ void __launch_bounds__(64) rowSumsAsBits(const uint32_t *P, uint32_t *sums) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t *p = P + thread * 4;
  uint32_t s = __float_as_uint(2.f);
  // CHECK: unwanted0, unwanted1, unwanted2; lp::mma_m16n8k16_f32_f16(s, unwanted0, unwanted1, unwanted2, {{.*}}, s, __builtin_bit_cast(__typeof__(s), 1.5f), s, __builtin_bit_cast(__typeof__(s), 0.0f)); }();
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, _, _, _}, {%1, %2, %3, %4}, "
               "{%5, %6}, {%0, 1.5, %0, 0f00000000};"
               : "+r"(s)
               : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(0x3c003c00), "r"(0x3c003c00));
  sums[thread] = s;
}
