// Places in an array of rows that are no number of words times a tile: what is not j / 2 beside j % 2,
// or may count from below zero.
//
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
#include <cuda_runtime.h>
#include <stdint.h>

#define LDSM4(R, addr)                                                                     \
  asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0,%1,%2,%3}, [%4];"             \
               : "=r"((R)[0]), "=r"((R)[1]), "=r"((R)[2]), "=r"((R)[3]) : "r"(addr))
#define MMA(D, A, B0, B1)                                                                  \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "         \
               "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                                    \
               : "+f"((D)[0]), "+f"((D)[1]), "+f"((D)[2]), "+f"((D)[3])                    \
               : "r"((A)[0]), "r"((A)[1]), "r"((A)[2]), "r"((A)[3]), "r"(B0), "r"(B1))
#define SETUP                                                                              \
  extern __shared__ uint32_t s[];                                                          \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                              \
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s) + warp * 1024;               \
  float c[4][4] = {};                                                                      \
  uint32_t a[4], b[2][4];

// CHECK-NOT: fromZero is not native
__global__ void __launch_bounds__(64) fromZero(float *C) {
  SETUP
  LDSM4(a, base + lane * 16);
  for (int p = 0; p < 2; ++p)
    LDSM4(b[p], base + p * 512 + lane * 16);
  for (int j = 0; j < 4; ++j)
    MMA(c[j], a, b[j / 2][(j & 1) * 2], b[j / 2][(j & 1) * 2 + 1]);
  for (int j = 0; j < 4; ++j)
    C[threadIdx.x * 4 + j] = c[j][0];
}

// CHECK-DAG: otherRest is not native: an operand of mma.m16n8k16.f16 is not a register of a fragment variable
__global__ void __launch_bounds__(64) otherRest(float *C) {
  SETUP
  LDSM4(a, base + lane * 16);
  for (int p = 0; p < 2; ++p)
    LDSM4(b[p], base + p * 512 + lane * 16);
  for (int j = 0; j < 4; ++j)
    MMA(c[j], a, b[j / 2][j % 3], b[j / 2][j % 3 + 1]);
  for (int j = 0; j < 4; ++j)
    C[threadIdx.x * 4 + j] = c[j][0];
}

// CHECK-DAG: crossed is not native: an operand of mma.m16n8k16.f16 is not a register of a fragment variable
__global__ void __launch_bounds__(64) crossed(float *C) {
  SETUP
  LDSM4(a, base + lane * 16);
  for (int p = 0; p < 2; ++p)
    LDSM4(b[p], base + p * 512 + lane * 16);
  for (int j = 0; j < 4; ++j)
    MMA(c[j], a, b[j % 2][j / 2 * 2], b[j % 2][j / 2 * 2 + 1]);
  for (int j = 0; j < 4; ++j)
    C[threadIdx.x * 4 + j] = c[j][0];
}

// CHECK-DAG: fromAnywhere is not native: an operand of mma.m16n8k16.f16 is not a register of a fragment variable
__global__ void __launch_bounds__(64) fromAnywhere(float *C, int first) {
  SETUP
  LDSM4(a, base + lane * 16);
  for (int p = 0; p < 2; ++p)
    LDSM4(b[p], base + p * 512 + lane * 16);
  for (int j = first; j < 4; ++j)
    MMA(c[j & 3], a, b[j / 2][(j & 1) * 2], b[j / 2][(j & 1) * 2 + 1]);
  for (int j = 0; j < 4; ++j)
    C[threadIdx.x * 4 + j] = c[j][0];
}

// Every other register of the same array, and neighbours.
// CHECK-DAG: twoOrders is not native: the registers of mma.m16n8k16.f16 are not one array in order
__global__ void __launch_bounds__(64) twoOrders(float *C) {
  SETUP
  LDSM4(a, base + lane * 16);
  for (int p = 0; p < 2; ++p)
    LDSM4(b[p], base + p * 512 + lane * 16);
  for (int p = 0; p < 2; ++p) {
    MMA(c[2 * p], a, b[p][0], b[p][2]);
    MMA(c[2 * p + 1], a, b[p][0], b[p][1]);
  }
  for (int j = 0; j < 4; ++j)
    C[threadIdx.x * 4 + j] = c[j][0];
}

// CHECK-DAG: reversed keeps 'b' in CUDA's layout and moves it for each product: the registers of mma.m16n8k16.f16 are not one array in order
__global__ void __launch_bounds__(64) reversed(float *C) {
  SETUP
  LDSM4(a, base + lane * 16);
  for (int p = 0; p < 2; ++p)
    LDSM4(b[p], base + p * 512 + lane * 16);
  for (int p = 0; p < 2; ++p) {
    MMA(c[2 * p], a, b[p][2], b[p][0]);
    MMA(c[2 * p + 1], a, b[p][3], b[p][1]);
  }
  for (int j = 0; j < 4; ++j)
    C[threadIdx.x * 4 + j] = c[j][0];
}

// CHECK-DAG: overlapping is not native: an operand of mma.m16n8k16.f16 is not a register of a fragment variable
__global__ void __launch_bounds__(64) overlapping(float *C) {
  SETUP
  LDSM4(a, base + lane * 16);
  for (int p = 0; p < 2; ++p)
    LDSM4(b[p], base + p * 512 + lane * 16);
  for (int j = 0; j < 4; ++j)
    MMA(c[j], a, b[j / 2][j % 2], b[j / 2][j % 2 + 1]);
  for (int j = 0; j < 4; ++j)
    C[threadIdx.x * 4 + j] = c[j][0];
}
