// Products in either part of a branch: the sums are where they belong behind it, whichever ran.
//
// RUN: %prove --launch %S/in_branches.yaml 2>&1 | FileCheck %S/Inputs/proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void rows16(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void rows8(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#define BEGIN                                                                                      \
  __shared__ __align__(16) half s[48 * 16];                                                        \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  for (int i = threadIdx.x; i < 48 * 16; i += 64)                                                  \
    s[i] = A[i];                                                                                   \
  __syncthreads();                                                                                 \
  const half *ofB = s + (32 + lane % 8) * 16 + lane / 8 % 2 * 8;                                   \
  float c[2][4] = {};                                                                              \
  uint32_t a[4], b[2];
#define END                                                                                        \
  for (int e = 0; e < 8; e++)                                                                      \
    C[(blockIdx.x * 64 + threadIdx.x) * 8 + e] = c[e / 4][e % 4];

// CHECK-LABEL: parts(
// CHECK: } else {
// CHECK: _wave(
// CHECK-NEXT: {{^  }$}}
// CHECK-NEXT: lp: accumulators in the layout of CUDA
__global__ void __launch_bounds__(64) parts(const half *A, float *C) {
  BEGIN
  rows16(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  rows8(b, ofB);
  if (blockIdx.x == 0) {
    mma(c[0], a, b);
  } else {
    mma(c[1], a, b);
  }
  END
}

// CHECK-LABEL: perhaps(
// CHECK: _wave(
// CHECK: _wave(
// CHECK-NEXT: {{^  }$}}
// CHECK-NEXT: lp: accumulators in the layout of CUDA
__global__ void __launch_bounds__(64) perhaps(const half *A, float *C) {
  BEGIN
  rows16(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  rows8(b, ofB);
  mma(c[0], a, b);
  if (blockIdx.x == 0) {
    rows8(b, ofB + 8 * 16);
    mma(c[1], a, b);
  }
  END
}

// CHECK-LABEL: cases(
// CHECK: default:
// CHECK: _wave(
// CHECK-NEXT: {{^  }$}}
// CHECK-NEXT: lp: accumulators in the layout of CUDA
__global__ void __launch_bounds__(64) cases(const half *A, float *C) {
  BEGIN
  rows16(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  rows8(b, ofB);
  switch (blockIdx.x) {
  case 0:
    mma(c[0], a, b);
    break;
  default:
    mma(c[1], a, b);
  }
  END
}
