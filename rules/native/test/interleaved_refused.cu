// Two n8 tiles as one of 16 columns: one array is counted in one order, and what reads a tile has to
// say by loops of two turns, or by numbers, which row and which of the two tiles it means. Other code
// between the products is not told.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void even(float *c, const uint32_t (&a)[4], const uint32_t (&b)[4]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[4]), "+f"(c[5])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void odd(float *c, const uint32_t (&a)[4], const uint32_t (&b)[4]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[2]), "+f"(c[3]), "+f"(c[6]), "+f"(c[7])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[2]), "r"(b[3]));
}
__device__ void plain(float *c, const uint32_t (&a)[4], const uint32_t (&b)[4]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}

#define SETUP                                                                                      \
  __shared__ half s[1024];                                                                         \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  float c[2 * 8] = {};                                                                             \
  uint32_t a[4], b[4];
#define READ                                                                                       \
  ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);                                      \
  ldsm4(b, s + 512 + (lane / 16 * 8 + lane % 8) * 16 + lane / 8 % 2 * 8)
#define PLACE(r, j, e)                                                                             \
  C[(warp * 16 + lane / 4 + (r) * 8) * 32 + (j) * 8 + lane % 4 * 2 + (e)]

// CHECK-DAG: mixed is not native: the registers of mma.m16n8k16.f16 are not one array in order
__global__ void __launch_bounds__(64) mixed(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    READ;
    even(c, a, b);
    plain(c + 8, a, b);
  }
  for (int r = 0; r < 16; ++r)
    C[threadIdx.x * 16 + r] = c[r];
}

// CHECK-DAG: scaled is not native: {{.*}}'c', whose tiles have every other pair of registers
__global__ void __launch_bounds__(64) scaled(float *C, const float *S, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    READ;
    for (int r = 0; r < 2; ++r)
      for (int e = 0; e < 4; ++e)
        c[r * 4 + e] *= S[i * 32 + warp * 16 + lane / 4 + r * 8];
    even(c, a, b);
    odd(c, a, b);
  }
  for (int r = 0; r < 2; ++r)
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 2; ++e)
        PLACE(r, j, e) = c[r * 4 + j * 2 + e];
}

// One counter for both tiles of a row: which of them it is, its higher bit says.
// CHECK-DAG: counted keeps its epilogue, behind a conversion of 'c': its tiles lie in one flat array
__global__ void __launch_bounds__(64) counted(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    READ;
    even(c, a, b);
    odd(c, a, b);
  }
  for (int r = 0; r < 2; ++r)
    for (int e = 0; e < 4; ++e)
      PLACE(r, e / 2, e % 2) = c[r * 4 + e];
}
