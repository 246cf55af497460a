// Names that point into a fragment and are used by other code too, what C is that is no constant zero,
// and blocks of several rows where threadIdx.x is all that is read: refused, by name.
//
// RUN: %layout-port %s -o %t.hip 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t *r, const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void ldsm2(uint32_t *r, const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void mma(float *c, const uint32_t *a, uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ void mmaFrom(float *d, const uint32_t *a, const uint32_t *b, const float *c) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%10,%11,%12,%13};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]),
                 "f"(c[2]), "f"(c[3]));
}
__device__ void mmaNegative(float *d, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%10,%10,%10,%10};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(-0.0f));
}
#define BEGIN                                                                                      \
  __shared__ half s[64 * 16];                                                                      \
  const int lane = threadIdx.x % 32;                                                               \
  s[threadIdx.x] = A[threadIdx.x];                                                                 \
  __syncthreads();

// CHECK-DAG: note: usedToo is not native: 'sum', which points into a fragment, is used by other code, too
__global__ void __launch_bounds__(64) usedToo(const half *A, float *C) {
  BEGIN
  uint32_t a[4], b[2];
  ldsm4(a, s + (threadIdx.x / 32 * 16 + lane % 16) * 16 + lane / 16 * 8);
  ldsm2(b, s + (32 + lane % 8) * 16 + lane / 8 % 2 * 8);
  float c[8] = {};
  for (int j = 0; j < 2; ++j) {
    float *sum = &c[j * 4];
    mma(sum, a, b[0], b[1]);
    C[threadIdx.x * 2 + j] = sum[0];
  }
}
// CHECK-DAG: note: ofChanging is not native: an accumulator that is read from one variable and written to another
__global__ void __launch_bounds__(64) ofChanging(const half *A, float *C) {
  BEGIN
  uint32_t a[4], b[2];
  ldsm4(a, s + (threadIdx.x / 32 * 16 + lane % 16) * 16 + lane / 16 * 8);
  ldsm2(b, s + (32 + lane % 8) * 16 + lane / 8 % 2 * 8);
  float zero[4] = {}, c[4];
  for (int k = 0; k < 2; ++k) {
    mmaFrom(c, a, b, zero);
    zero[0] = 1.0f;
  }
  for (int e = 0; e < 4; ++e)
    C[threadIdx.x * 4 + e] = c[e];
}
// CHECK-DAG: note: ofNegative is not native: an operand of mma.m16n8k16.f16 is not a register of a fragment variable
__global__ void __launch_bounds__(64) ofNegative(const half *A, float *C) {
  BEGIN
  uint32_t a[4], b[2];
  ldsm4(a, s + (threadIdx.x / 32 * 16 + lane % 16) * 16 + lane / 16 * 8);
  ldsm2(b, s + (32 + lane % 8) * 16 + lane / 8 % 2 * 8);
  float c[4];
  mmaNegative(c, a, b);
  for (int e = 0; e < 4; ++e)
    C[threadIdx.x * 4 + e] = c[e];
}
// CHECK-DAG: note: severalRows is not native: it is launched with several rows of 64 threads, and reads threadIdx.x alone
__global__ void __launch_bounds__(128) severalRows(const half *A, float *C) {
  BEGIN
  uint32_t a[4], b[2];
  ldsm4(a, s + (threadIdx.x / 32 * 16 + lane % 16) * 16 + lane / 16 * 8);
  ldsm2(b, s + (32 + lane % 8) * 16 + lane / 8 % 2 * 8);
  float c[4] = {};
  mma(c, a, b[0], b[1]);
  for (int e = 0; e < 4; ++e)
    C[threadIdx.x * 4 + e] = c[e];
}
void run(const half *A, float *C) { severalRows<<<1, dim3(64, 2)>>>(A, C); }
