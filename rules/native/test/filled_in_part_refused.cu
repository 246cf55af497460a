// ldmatrix that fills one register of each of several operands, where another one fills the rest of
// them: the MFMA's lanes read all of an operand at once.
//
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

__device__ uint32_t smem(const half *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ void ldsm4(uint32_t &r0, uint32_t &r1, uint32_t &r2, uint32_t &r3, uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(row));
}
__device__ void ldsm2(uint32_t &r0, uint32_t &r1, uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r0), "=r"(r1) : "r"(row));
}
__device__ void ldsm2twice(uint32_t (&r)[2][2], uint32_t row) {
  asm volatile("{\nldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%2}, [%4];\n"
               "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%1,%3}, [%4+16];\n}\n"
               : "=r"(r[0][0]), "=r"(r[0][1]), "=r"(r[1][0]), "=r"(r[1][1]) : "r"(row));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void finish(float *C, const float (&c)[4][4]) {
  for (int e = 0; e < 16; e++)
    C[threadIdx.x * 16 + e] = c[e / 4][e % 4];
}
#define BEGIN                                                                                      \
  __shared__ half s[64 * 24];                                                                      \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  s[threadIdx.x] = A[threadIdx.x];                                                                 \
  __syncthreads();                                                                                 \
  float c[4][4] = {};                                                                              \
  uint32_t a[4], b[4][2];

__global__ void __launch_bounds__(64) ofFour(const half *A, float *C) {
  BEGIN
  ldsm4(a[0], a[1], a[2], a[3], smem(s + (warp * 16 + lane % 16) * 24 + lane / 16 * 8));
  // CHECK-DAG: ofFour keeps 'b' in CUDA's layout and moves it for each product: ldmatrix fills only part of an operand of 'b' ({{.*}}:[[# @LINE + 1]])
  ldsm4(b[0][0], b[1][0], b[2][0], b[3][0], smem(s + lane * 24));
  ldsm4(b[0][1], b[1][1], b[2][1], b[3][1], smem(s + lane * 24 + 8));
  for (int j = 0; j < 4; j++)
    mma(c[j], a, b[j]);
  finish(C, c);
}

__global__ void __launch_bounds__(64) ofTwo(const half *A, float *C) {
  BEGIN
  ldsm4(a[0], a[1], a[2], a[3], smem(s + (warp * 16 + lane % 16) * 24 + lane / 16 * 8));
  // CHECK-DAG: ofTwo keeps 'b' in CUDA's layout and moves it for each product: ldmatrix fills only part of an operand of 'b' ({{.*}}:[[# @LINE + 1]])
  ldsm2(b[0][0], b[1][0], smem(s + lane % 16 * 24));
  ldsm2(b[0][1], b[1][1], smem(s + lane % 16 * 24 + 8));
  for (int j = 0; j < 2; j++)
    mma(c[j], a, b[j]);
  finish(C, c);
}

__global__ void __launch_bounds__(64) inOneAsm(const half *A, float *C) {
  BEGIN
  ldsm4(a[0], a[1], a[2], a[3], smem(s + (warp * 16 + lane % 16) * 24 + lane / 16 * 8));
  uint32_t x[2][2];
  const uint32_t row = smem(s + lane % 16 * 24);
  // CHECK-DAG: inOneAsm keeps 'x' in CUDA's layout and moves it for each product: ldmatrix fills only part of an operand of 'x' ({{.*}}:[[# @LINE + 1]])
  ldsm2twice(x, row);
  for (int j = 0; j < 2; j++)
    mma(c[j], a, x[j]);
  finish(C, c);
}
