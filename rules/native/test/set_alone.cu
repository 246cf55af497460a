// What sets registers of a fragment to a constant: of one tile of two that share an MFMA, of which each
// holds half of both; and of a tile that is another one from register to register.
//
// RUN: %layout-port %s -o %t.hip 2>&1 | FileCheck %s
// CHECK-DAG: 2 native MFMAs for two warps, half of their rows of use
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void ldsm2(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void mma(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#define BEGIN                                                                                      \
  __shared__ half s[64 * 16];                                                                      \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  s[threadIdx.x] = A[threadIdx.x];                                                                 \
  __syncthreads();                                                                                 \
  float c[4][4] = {};

__global__ void __launch_bounds__(64) oneTile(const half *A, float *C, int n) {
  BEGIN
  for (int k = 0; k < n; ++k) {
    uint32_t a[4], b[4][2];
    ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    for (int r = 0; r < 4; ++r)
      c[0][r] = 0;
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[threadIdx.x * 16 + j * 4 + e] = c[j][e];
}

__global__ void __launch_bounds__(64) oneOfB(const half *A, float *C, int n) {
  BEGIN
  for (int k = 0; k < n; ++k) {
    uint32_t a[4], b[4][2];
    ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    b[1][0] = 0;
    b[1][1] = 0;
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[threadIdx.x * 16 + j * 4 + e] = c[j][e];
}

// CHECK-DAG: split is not native: 'c' is used between the products
__global__ void __launch_bounds__(64) split(const half *A, float *C, int n) {
  BEGIN
  for (int k = 0; k < n; ++k) {
    uint32_t a[4], b[4][2];
    ldsm4(a, s + (lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], s + ((warp * 2 + j) * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    int q = 0;
    c[q][0] = c[q][1] = 0;
    q += 2;
    c[q][2] = c[q][3] = 0;
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[threadIdx.x * 16 + j * 4 + e] = c[j][e];
}

// CHECK-DAG: diagonal is not native: 'c' is used between the products
__global__ void __launch_bounds__(64) diagonal(const half *A, float *C, int n) {
  BEGIN
  for (int k = 0; k < n; ++k) {
    uint32_t a[4], b[4][2];
    ldsm4(a, s + (lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], s + ((warp * 2 + j) * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    for (int r = 0; r < 4; ++r)
      c[r][r] = 0;
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[threadIdx.x * 16 + j * 4 + e] = c[j][e];
}

// CHECK-DAG: walks is not native: 'c' is used between the products
__global__ void __launch_bounds__(64) walks(const half *A, float *C, int n) {
  BEGIN
  for (int k = 0; k < n; ++k) {
    uint32_t a[4], b[4][2];
    ldsm4(a, s + (lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], s + ((warp * 2 + j) * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    int q = 0;
    for (int r = 0; r < 4; ++r)
    {
      c[q][r] = 0;
      q = (q + 1) & 3;
    }
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[threadIdx.x * 16 + j * 4 + e] = c[j][e];
}

// CHECK-DAG: splitB keeps 'b' in CUDA's layout and moves it for each product: 'b' is an operand and is used by other code
__global__ void __launch_bounds__(64) splitB(const half *A, float *C, int n) {
  BEGIN
  for (int k = 0; k < n; ++k) {
    uint32_t a[4], b[4][2];
    ldsm4(a, s + (lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], s + ((warp * 2 + j) * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    int q = 0;
    b[q][0] = 0;
    q = 1;
    b[q][1] = 0;
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[threadIdx.x * 16 + j * 4 + e] = c[j][e];
}

// CHECK-DAG: 1 native one full MFMA
__global__ void __launch_bounds__(64) whole(const half *A, float *C, int n) {
  BEGIN
  for (int k = 0; k < n; ++k) {
    uint32_t a[4], b[4][2];
    ldsm4(a, s + (lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], s + ((warp * 2 + j) * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 4; ++r)
        c[j][r] = 0;
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[threadIdx.x * 16 + j * 4 + e] = c[j][e];
}
