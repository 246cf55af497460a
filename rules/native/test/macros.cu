// A macro's use that holds a matrix instruction is written anew as a whole: where it does something
// else too, the kernel is not native.
//
// RUN: %layout-port %s -o %t.hip 2>&1 | FileCheck %s
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

#define ALONE(r, p) do { ldsm4(r, p); } while (0)
#define COUNTS(r, p) count++; ldsm4(r, p)
#define IN_BRACES(r, p) { ldsm4(r, p); places[threadIdx.x] = 1; }
#define WAITS(r, p) __syncthreads(); ldsm4(r, p)
#define WITH_COMMA(r, p) (count++, ldsm4(r, p))
#define LOOPS(r, p) for (int n = 0; n < count; n++) ldsm4(r, p)
#define CHECKS(r, p) if (count < 1) ldsm4(r, p)
#define DECLARES(r, p) uint32_t r[4]; ldsm4(r, p)


// CHECK-NOT: alone is not native
__global__ void __launch_bounds__(64) alone(const half *A, float *C) {
  __shared__ half s[64 * 16];
  __shared__ int places[64];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int count = 0;
  s[threadIdx.x] = A[threadIdx.x];
  places[threadIdx.x] = 0;
  __syncthreads();
  float c[2][4] = {};
  uint32_t b[2];
  uint32_t a[4];
  ALONE(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  for (int j = 0; j < 2; j++) {
    ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    mma(c[j], a, b);
  }
  C[threadIdx.x] = c[0][0] + count + places[threadIdx.x];
}

__global__ void __launch_bounds__(64) counts(const half *A, float *C) {
  __shared__ half s[64 * 16];
  __shared__ int places[64];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int count = 0;
  s[threadIdx.x] = A[threadIdx.x];
  places[threadIdx.x] = 0;
  __syncthreads();
  float c[2][4] = {};
  uint32_t b[2];
  uint32_t a[4];
  // CHECK: note: counts is not native: a macro writes a matrix instruction together with something else ({{.*}}:[[# @LINE + 1]])
  COUNTS(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  for (int j = 0; j < 2; j++) {
    ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    mma(c[j], a, b);
  }
  C[threadIdx.x] = c[0][0] + count + places[threadIdx.x];
}

__global__ void __launch_bounds__(64) inBraces(const half *A, float *C) {
  __shared__ half s[64 * 16];
  __shared__ int places[64];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int count = 0;
  s[threadIdx.x] = A[threadIdx.x];
  places[threadIdx.x] = 0;
  __syncthreads();
  float c[2][4] = {};
  uint32_t b[2];
  uint32_t a[4];
  // CHECK: note: inBraces is not native: a macro writes a matrix instruction together with something else ({{.*}}:[[# @LINE + 1]])
  IN_BRACES(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  for (int j = 0; j < 2; j++) {
    ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    mma(c[j], a, b);
  }
  C[threadIdx.x] = c[0][0] + count + places[threadIdx.x];
}

__global__ void __launch_bounds__(64) waits(const half *A, float *C) {
  __shared__ half s[64 * 16];
  __shared__ int places[64];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int count = 0;
  s[threadIdx.x] = A[threadIdx.x];
  places[threadIdx.x] = 0;
  __syncthreads();
  float c[2][4] = {};
  uint32_t b[2];
  uint32_t a[4];
  // CHECK: note: waits is not native: a macro writes a matrix instruction together with something else ({{.*}}:[[# @LINE + 1]])
  WAITS(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  for (int j = 0; j < 2; j++) {
    ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    mma(c[j], a, b);
  }
  C[threadIdx.x] = c[0][0] + count + places[threadIdx.x];
}

__global__ void __launch_bounds__(64) withComma(const half *A, float *C) {
  __shared__ half s[64 * 16];
  __shared__ int places[64];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int count = 0;
  s[threadIdx.x] = A[threadIdx.x];
  places[threadIdx.x] = 0;
  __syncthreads();
  float c[2][4] = {};
  uint32_t b[2];
  uint32_t a[4];
  // CHECK: note: withComma is not native: a macro writes a matrix instruction together with something else ({{.*}}:[[# @LINE + 1]])
  WITH_COMMA(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  for (int j = 0; j < 2; j++) {
    ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    mma(c[j], a, b);
  }
  C[threadIdx.x] = c[0][0] + count + places[threadIdx.x];
}

__global__ void __launch_bounds__(64) loops(const half *A, float *C) {
  __shared__ half s[64 * 16];
  __shared__ int places[64];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int count = 0;
  s[threadIdx.x] = A[threadIdx.x];
  places[threadIdx.x] = 0;
  __syncthreads();
  float c[2][4] = {};
  uint32_t b[2];
  uint32_t a[4];
  // CHECK: note: loops is not native: a macro writes a matrix instruction together with something else ({{.*}}:[[# @LINE + 1]])
  LOOPS(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  for (int j = 0; j < 2; j++) {
    ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    mma(c[j], a, b);
  }
  C[threadIdx.x] = c[0][0] + count + places[threadIdx.x];
}

__global__ void __launch_bounds__(64) checks(const half *A, float *C) {
  __shared__ half s[64 * 16];
  __shared__ int places[64];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int count = 0;
  s[threadIdx.x] = A[threadIdx.x];
  places[threadIdx.x] = 0;
  __syncthreads();
  float c[2][4] = {};
  uint32_t b[2];
  uint32_t a[4];
  // CHECK: note: checks is not native: a macro writes a matrix instruction together with something else ({{.*}}:[[# @LINE + 1]])
  CHECKS(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  for (int j = 0; j < 2; j++) {
    ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    mma(c[j], a, b);
  }
  C[threadIdx.x] = c[0][0] + count + places[threadIdx.x];
}

__global__ void __launch_bounds__(64) declares(const half *A, float *C) {
  __shared__ half s[64 * 16];
  __shared__ int places[64];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int count = 0;
  s[threadIdx.x] = A[threadIdx.x];
  places[threadIdx.x] = 0;
  __syncthreads();
  float c[2][4] = {};
  uint32_t b[2];
  // CHECK: note: declares is not native: a macro writes a matrix instruction together with something else ({{.*}}:[[# @LINE + 1]])
  DECLARES(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  for (int j = 0; j < 2; j++) {
    ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    mma(c[j], a, b);
  }
  C[threadIdx.x] = c[0][0] + count + places[threadIdx.x];
}

// A kernel that a macro writes has no text of its own.
//
// CHECK-DAG: note: written is not native: the kernel itself is written by a macro ({{.*}}macros.cu:[[#@LINE+10]])
__device__ void product(const half *s, float *C, int lane) {
  float c[4] = {};
  uint32_t a[4], b[2];
  ldsm4(a, s + lane % 16 * 16 + lane / 16 * 8);
  ldsm2(b, s + lane % 8 * 16 + lane / 8 % 2 * 8);
  mma(c, a, b);
  C[threadIdx.x] = c[0];
}
#define KERNEL(NAME) __global__ void __launch_bounds__(64) NAME(const half *A, float *C) { __shared__ half s[256]; s[threadIdx.x] = A[threadIdx.x]; __syncthreads(); product(s, C, threadIdx.x % 32); }
KERNEL(written)

// Nor is its function another kernel's alone, which calls it in a generic lambda.
//
// CHECK-DAG: note: byLambda is not native: it shares a function that handles fragments with 'written', which is not ported alike
__device__ void productOfLane(const half *s, float *C) { product(s, C, threadIdx.x % 32); }
__global__ void __launch_bounds__(64) byLambda(const half *A, float *C) {
  __shared__ half s[256];
  s[threadIdx.x] = A[threadIdx.x];
  __syncthreads();
  const auto any = [](auto... x) { productOfLane(x...); };
  any(s, C);
}
