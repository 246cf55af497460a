// Operands in unions whose members are not all one register: bridged.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

typedef union {
  uint32_t u;
  half2 h;
  uint64_t both;
} Wide;
typedef union {
  uint32_t u : 32;
  half2 h;
} Field;

__device__ void mma(float (&c)[4], uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint32_t b0,
                    uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(64) name(const half *A, const uint32_t *B, float *C)
#define SETUP                                                                                      \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  float s[2][4] = {}, c[4] = {};                                                                   \
  uint32_t a[4], b[2];                                                                             \
  for (int r = 0; r < 4; ++r)                                                                      \
    a[r] = *(const uint32_t *)&A[(warp * 16 + lane / 4 + r % 2 * 8) * 16 + lane % 4 * 2 + r / 2 * 8]; \
  for (int r = 0; r < 2; ++r)                                                                      \
    b[r] = B[lane / 4 * 8 + lane % 4 + r * 4];

// CHECK-DAG: note: wide is not native: an operand of mma.m16n8k16.f16 is not a register of a fragment variable (
KERNEL(wide) {
  SETUP
  for (int j = 0; j < 2; ++j)
    mma(s[j], a[0], a[1], a[2], a[3], b[0], b[1]);
  Wide p[4];
  for (int r = 0; r < 4; ++r)
    p[r].h = __floats2half2_rn(s[r / 2][r % 2 * 2], s[r / 2][r % 2 * 2 + 1]);
  mma(c, p[0].u, p[1].u, p[2].u, p[3].u, b[0], b[1]);
  for (int e = 0; e < 4; ++e)
    C[(warp * 16 + lane / 4 + e / 2 * 8) * 8 + lane % 4 * 2 + e % 2] = c[e];
}

// CHECK-DAG: note: field is not native: an operand of mma.m16n8k16.f16 is not a register of a fragment variable (
KERNEL(field) {
  SETUP
  for (int j = 0; j < 2; ++j)
    mma(s[j], a[0], a[1], a[2], a[3], b[0], b[1]);
  Field p[4];
  for (int r = 0; r < 4; ++r)
    p[r].h = __floats2half2_rn(s[r / 2][r % 2 * 2], s[r / 2][r % 2 * 2 + 1]);
  mma(c, p[0].u, p[1].u, p[2].u, p[3].u, b[0], b[1]);
  for (int e = 0; e < 4; ++e)
    C[(warp * 16 + lane / 4 + e / 2 * 8) * 8 + lane % 4 * 2 + e % 2] = c[e];
}
