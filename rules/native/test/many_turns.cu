// Loops in a tile's body of more turns than can be looked at one by one: nothing hangs or eats memory.
// Where they count places together the epilogue stays as it is, with the reason; one alone is looked at
// as one of unknown length is.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s --implicit-check-not='{{endless keeps}}'
// RUN: %ported %t.hip | FileCheck %s --check-prefix=PORT
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#define PRODUCT                                                                                    \
  __shared__ half s[1024];                                                                         \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const long row = warp * 16 + lane / 4, col = lane % 4 * 2;                                       \
  float c[4] = {};                                                                                 \
  uint32_t a[4], b[2];

// CHECK: nested keeps its epilogue, behind a conversion of 'c': whether each element is written to a place of its own is not clear
__global__ void __launch_bounds__(64) nested(float *C) {
  PRODUCT
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
               : "r"((uint32_t)__cvta_generic_to_shared(s) + warp * 512 + lane * 16));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(b[0]), "=r"(b[1]) : "r"((uint32_t)__cvta_generic_to_shared(s) + lane % 16 * 16));
  mma(c, a, b);
  for (int x = 0; x < 64; ++x)
    for (int y = 0; y < 64; ++y) {
      C[((row * 8 + col) * 64 + x) * 64 + y] = c[0];
      C[(((row + 8) * 8 + col) * 64 + x) * 64 + y] = c[2];
    }
  for (int z = 0; z < 64; ++z)
    for (int w = 0; w < 64; ++w) {
      C[((row * 8 + col + 1) * 64 + z) * 64 + w] = c[1];
      C[(((row + 8) * 8 + col + 1) * 64 + z) * 64 + w] = c[3];
    }
}

// PORT-LABEL: endless(
// PORT: lp::each_pair
__global__ void __launch_bounds__(64) endless(float *C) {
  PRODUCT
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
               : "r"((uint32_t)__cvta_generic_to_shared(s) + warp * 512 + lane * 16));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(b[0]), "=r"(b[1]) : "r"((uint32_t)__cvta_generic_to_shared(s) + lane % 16 * 16));
  mma(c, a, b);
  for (int x = 0; x < 2000000000; ++x) {
    C[row * 8 + col + x / 1000000000 * 512] = c[0];
    C[(row + 8) * 8 + col + x / 1000000000 * 512] = c[2];
  }
}
