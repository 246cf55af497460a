// Sums that a lane has no room for go to memory, as they did for the author; a note says so.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
// RUN: %ported %t.hip | FileCheck %s --check-prefix=OUT
// CHECK-NOT: is not native
// CHECK: note: many takes {{[0-9]+}} registers of the 512 that a lane has: the others go to memory
// CHECK-NOT: few takes
// OUT-COUNT-2: lp::mma_m16n8k16_f32_f16_wave(
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t (&r)[4], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
}
__device__ void ldsm2(uint32_t (&r)[2], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#define SETUP                                                                                      \
  extern __shared__ half s[];                                                                      \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);                                     \
  uint32_t a[4], b[2];

__global__ void __launch_bounds__(64) many(float *C) {
  SETUP
  float c[160][4] = {};
  ldsm4(a, base + (warp * 16 + lane % 16) * 32 + lane / 16 * 16);
  for (int j = 0; j < 160; ++j) {
    ldsm2(b, base + (j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
    mma(c[j], a, b);
  }
  for (int j = 0; j < 160; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 1280 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

__global__ void __launch_bounds__(64) few(float *C) {
  SETUP
  float c[16][4] = {};
  ldsm4(a, base + (warp * 16 + lane % 16) * 32 + lane / 16 * 16);
  for (int j = 0; j < 16; ++j) {
    ldsm2(b, base + (j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
    mma(c[j], a, b);
  }
  for (int j = 0; j < 16; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 128 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}
