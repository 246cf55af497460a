// A macro or function of several products is one statement of several; not where only some of them
// are in a loop or under a condition, something stands between, they are more than sixteen (four of a
// function), the call is part of an expression, or what it says changes something.
//
// RUN: %layout-port %s -o %t.hip 2>&1 | FileCheck %s
// RUN: %layout-port %s -o %t.hip --explain-plan 2>&1 | FileCheck %s --check-prefix=PLAN
// PLAN: tiles of 'more' are numbered in several ways
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t *r, const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
#define MMA(c, i, a, b, j)                                                                         \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "  \
               "{%8,%9}, {%0,%1,%2,%3};"                                                           \
               : "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3])                        \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[j]), "r"(b[j + 1]))
#define TWO(c, a, b) MMA(c, 0, a, b, 0); MMA(c, 4, a, b, 2)
#define TWO_AND_WAIT(c, a, b) MMA(c, 0, a, b, 0); asm volatile("bar.sync 0;"); MMA(c, 4, a, b, 2)
#define EIGHT(c, a, b) TWO(c, a, b); TWO(c, a, b); TWO(c, a, b); TWO(c, a, b)
#define SEVENTEEN(c, a, b) EIGHT(c, a, b); EIGHT(c, a, b); MMA(c, 0, a, b, 0)

__device__ void ldsm2(uint32_t *r, const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void one(float *c, const uint32_t *a, const uint32_t *b) { MMA(c, 0, a, b, 0); }

#define BEGIN                                                                                      \
  __shared__ half s[64 * 16];                                                                      \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  s[threadIdx.x] = A[threadIdx.x];                                                                 \
  __syncthreads();                                                                                 \
  float c[8] = {};                                                                                 \
  uint32_t a[4], b[4];
#define A_AT (s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8)
#define B_AT (s + (32 + lane / 16 * 8 + lane % 8) * 16 + lane / 8 % 2 * 8)

// CHECK-NOT: together is not native
__global__ void __launch_bounds__(64) together(const half *A, float *C) {
  BEGIN
  ldsm4(a, A_AT);
  ldsm4(b, B_AT);
  TWO(c, a, b);
  C[threadIdx.x] = c[0] + c[4];
}

// CHECK: note: firstLooped is not native: a macro writes a matrix instruction together with something else ({{.*}}:[[# @LINE + 6]])
__global__ void __launch_bounds__(64) firstLooped(const half *A, float *C, int n) {
  BEGIN
  ldsm4(a, A_AT);
  ldsm4(b, B_AT);
  for (int i = 0; i < n; ++i)
    TWO(c, a, b);
  C[threadIdx.x] = c[0] + c[4];
}

// CHECK: note: firstAsked is not native: a macro writes a matrix instruction together with something else ({{.*}}:[[# @LINE + 6]])
__global__ void __launch_bounds__(64) firstAsked(const half *A, float *C, int n) {
  BEGIN
  ldsm4(a, A_AT);
  ldsm4(b, B_AT);
  if (n > 2)
    TWO(c, a, b);
  C[threadIdx.x] = c[0] + c[4];
}

// CHECK: note: waits is not native: a macro writes a matrix instruction together with something else ({{.*}}:[[# @LINE + 5]])
__global__ void __launch_bounds__(64) waits(const half *A, float *C) {
  BEGIN
  ldsm4(a, A_AT);
  ldsm4(b, B_AT);
  TWO_AND_WAIT(c, a, b);
  C[threadIdx.x] = c[0] + c[4];
}

// CHECK: note: seventeen is not native: a macro writes a matrix instruction together with something else ({{.*}}:[[# @LINE + 5]])
__global__ void __launch_bounds__(64) seventeen(const half *A, float *C) {
  BEGIN
  ldsm4(a, A_AT);
  ldsm4(b, B_AT);
  SEVENTEEN(c, a, b);
  C[threadIdx.x] = c[0] + c[4];
}

__device__ void two(float *c, const uint32_t *a, const uint32_t *b) {
  MMA(c, 0, a, b, 0);
  MMA(c, 4, a, b, 2);
}

// CHECK: note: inExpression is not native: 'two' multiplies more than once, inside an expression or by what its call changes ({{.*}}:[[# @LINE + 5]])
__global__ void __launch_bounds__(64) inExpression(const half *A, float *C, int n) {
  BEGIN
  ldsm4(a, A_AT);
  ldsm4(b, B_AT);
  n > 2 ? void() : two(c, a, b);
  C[threadIdx.x] = c[0] + c[4];
}

// CHECK: note: withEffects is not native: 'two' multiplies more than once, inside an expression or by what its call changes ({{.*}}:[[# @LINE + 7]])
__global__ void __launch_bounds__(64) withEffects(const half *A, float *C) {
  BEGIN
  ldsm4(a, A_AT);
  ldsm4(b, B_AT);
  float d[2][8] = {};
  int i = 0;
  two(d[i++], a, b);
  C[threadIdx.x] = c[0] + d[0][4];
}

// Read and multiplied by other indices: no pair.
__global__ void __launch_bounds__(64) otherDigits(const half *A, float *C) {
  BEGIN
  ldsm4(a, A_AT);
  uint32_t more[8];
  float d[4][4] = {};
  for (int i = 0; i < 2; ++i)
    for (int t = 0; t < 2; ++t)
      ldsm2(more + i * 4 + t * 2, s + ((i * 2 + t) * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
  for (int i = 0; i < 2; ++i) {
    one(d[i * 2], a, more + i * 4);
    one(d[i * 2 + 1], a, more + i * 4 + 2);
  }
  C[threadIdx.x] = c[0] + d[0][3];
}
