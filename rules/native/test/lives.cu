// An operand's array that serves for something else behind the products: only where every word that
// is read was written before.
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
  float c[4] = {};                                                                         \
  uint32_t a[2][4], b[4];

// CHECK-NOT: inLoops is not native
__global__ void __launch_bounds__(64) inLoops(float *C, int n) {
  SETUP
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < 2; ++i) {
      LDSM4(a[i], base + i * 512 + lane * 16);
      LDSM4(b, base + lane * 16 + 4096);
      MMA(c, a[i], b[0], b[1]);
    }
  for (int i = 0; i < 2; ++i)
    for (int r = 0; r < 4; ++r)
      a[i][r] = __float_as_uint(c[r]);
  for (int i = 0; i < 2; ++i)
    *(uint4 *)&C[threadIdx.x * 8 + i * 4] = *(uint4 *)&a[i][0];
}

// CHECK-NOT: underOne is not native
__global__ void __launch_bounds__(64) underOne(float *C, int n) {
  SETUP
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < 2; ++i) {
      LDSM4(a[i], base + i * 512 + lane * 16);
      LDSM4(b, base + lane * 16 + 4096);
      MMA(c, a[i], b[0], b[1]);
    }
  if (lane < 4) {
    a[1][2] = __float_as_uint(c[1]);
    C[threadIdx.x] = __uint_as_float(a[1][2]);
  }
}

// CHECK-DAG: oneWordShort keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64) oneWordShort(float *C, int n) {
  SETUP
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < 2; ++i) {
      LDSM4(a[i], base + i * 512 + lane * 16);
      LDSM4(b, base + lane * 16 + 4096);
      MMA(c, a[i], b[0], b[1]);
    }
  for (int r = 0; r < 3; ++r)
    a[1][r] = __float_as_uint(c[r]);
  *(uint4 *)&C[threadIdx.x * 4] = *(uint4 *)&a[1][0];
}

// CHECK-DAG: underACondition keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64) underACondition(float *C, int n) {
  SETUP
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < 2; ++i) {
      LDSM4(a[i], base + i * 512 + lane * 16);
      LDSM4(b, base + lane * 16 + 4096);
      MMA(c, a[i], b[0], b[1]);
    }
  if (lane < 4)
    a[0][0] = __float_as_uint(c[0]);
  C[threadIdx.x] = __uint_as_float(a[0][0]);
}

// CHECK-DAG: behindTheRead keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64) behindTheRead(float *C, int n) {
  SETUP
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < 2; ++i) {
      LDSM4(a[i], base + i * 512 + lane * 16);
      LDSM4(b, base + lane * 16 + 4096);
      MMA(c, a[i], b[0], b[1]);
    }
  for (int r = 0; r < 4; ++r) {
    C[threadIdx.x * 4 + r] = __uint_as_float(a[0][r]);
    a[0][r] = __float_as_uint(c[r]);
  }
}

// CHECK-DAG: otherTurns keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64) otherTurns(float *C, int n) {
  SETUP
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < 2; ++i) {
      LDSM4(a[i], base + i * 512 + lane * 16);
      LDSM4(b, base + lane * 16 + 4096);
      MMA(c, a[i], b[0], b[1]);
    }
  for (int r = 0; r < 4; r += 2)
    a[0][r] = __float_as_uint(c[r]);
  for (int r = 1; r < 4; r += 2)
    C[threadIdx.x * 4 + r] = __uint_as_float(a[0][r]);
}

// CHECK-DAG: maybeNoTurn keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64) maybeNoTurn(float *C, int n) {
  SETUP
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < 2; ++i) {
      LDSM4(a[i], base + i * 512 + lane * 16);
      LDSM4(b, base + lane * 16 + 4096);
      MMA(c, a[i], b[0], b[1]);
    }
  for (int r = 0; r < n; ++r)
    a[0][r] = __float_as_uint(c[r]);
  C[threadIdx.x] = __uint_as_float(a[0][0]);
}

// CHECK-DAG: leftEarly keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64) leftEarly(float *C, int n) {
  SETUP
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < 2; ++i) {
      LDSM4(a[i], base + i * 512 + lane * 16);
      LDSM4(b, base + lane * 16 + 4096);
      MMA(c, a[i], b[0], b[1]);
    }
  for (int r = 0; r < 4; ++r) {
    if (r == n)
      break;
    a[0][r] = __float_as_uint(c[r]);
  }
  C[threadIdx.x] = __uint_as_float(a[0][3]);
}

// CHECK-DAG: byAnotherName keeps 'now' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64) byAnotherName(float *C, int n) {
  SETUP
  const uint32_t *now = a[0];
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < 2; ++i) {
      LDSM4(a[i], base + i * 512 + lane * 16);
      LDSM4(b, base + lane * 16 + 4096);
      MMA(c, now, b[0], b[1]);
    }
  a[0][1] = 0;
  C[threadIdx.x] = __uint_as_float(a[0][1]) + now[2];
}

// CHECK-DAG: handedOn keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64) handedOn(float *C, int n) {
  SETUP
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < 2; ++i) {
      LDSM4(a[i], base + i * 512 + lane * 16);
      LDSM4(b, base + lane * 16 + 4096);
      MMA(c, a[i], b[0], b[1]);
    }
  a[0][0] = __float_as_uint(c[0]);
  const uint32_t *p = a[0];
  C[threadIdx.x] = __uint_as_float(p[0]);
}
