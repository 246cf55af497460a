// Words that are put together half by half and read by their address, where they, or what they are made
// from, may change on the way; and operands that come from where results go.
//
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void mma(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

struct Args {
  const float *a;
  const half *b;
  float *c, *d;
  int K;
};
__device__ const float *rowOf(const float *x, int K, int r) {
  return x + (threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + r % 2 * 8) * K + threadIdx.x % 4 * 2 + r / 2 * 8;
}
__device__ uint32_t wordOfB(const half *x, int K, int k) {
  return *(const uint32_t *)&x[threadIdx.x % 32 / 4 * K + k + threadIdx.x % 4 * 2];
}

// CHECK-DAG: throughReference keeps 'a' in CUDA's layout and moves it for each product: 'a': its value is made from 'h', which changes
__global__ void __launch_bounds__(64) throughReference(Args args) {
  float c[4] = {};
  for (int k = 0; k < args.K; k += 16) {
    uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r) {
      const float *p = rowOf(args.a, args.K, r) + k;
      half2 h = __floats2half2_rn(p[0], p[1]);
      uint32_t &word = reinterpret_cast<uint32_t &>(h);
      word ^= 0x8000u;
      a[r] = word;
    }
    b[0] = wordOfB(args.b, args.K, k);
    b[1] = wordOfB(args.b, args.K, k + 8);
    mma(c, a, b);
  }
  for (int e = 0; e < 4; ++e)
    args.c[threadIdx.x * 4 + e] = c[e];
}

// CHECK-DAG: scaled keeps 'a' in CUDA's layout and moves it for each product: 'a': its value reads 'scale', registers of the thread's own
__global__ void __launch_bounds__(64) scaled(Args args) {
  float c[4] = {};
  half2 scale = __float2half2_rn(1.f + threadIdx.x % 4);
  for (int k = 0; k < args.K; k += 16) {
    uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r) {
      const float *p = rowOf(args.a, args.K, r) + k;
      half2 h = __hmul2(__floats2half2_rn(p[0], p[1]), scale);
      a[r] = *(uint32_t *)&h;
    }
    b[0] = wordOfB(args.b, args.K, k);
    b[1] = wordOfB(args.b, args.K, k + 8);
    mma(c, a, b);
    scale = __hadd2(scale, scale);
  }
  for (int e = 0; e < 4; ++e)
    args.c[threadIdx.x * 4 + e] = c[e];
}

// The first product's sums are the second's operands, by way of memory that no barrier stands before.
//
// CHECK-DAG: readBack keeps 'p' in CUDA's layout and moves it for each product: 'p' is an operand and is used by other code
__global__ void __launch_bounds__(64) readBack(Args args) {
  float c[4] = {}, d[4] = {};
  uint32_t a[4], b[2], p[4];
  for (int r = 0; r < 4; ++r)
    a[r] = *(const uint32_t *)rowOf(args.a, args.K, r);
  b[0] = wordOfB(args.b, args.K, 0);
  b[1] = wordOfB(args.b, args.K, 8);
  mma(c, a, b);
  for (int e = 0; e < 4; ++e)
    args.c[threadIdx.x * 4 + e] = c[e];
  for (int r = 0; r < 4; ++r)
    p[r] = *(const uint32_t *)&args.c[threadIdx.x * 4 + r];
  mma(d, p, b);
  for (int e = 0; e < 4; ++e)
    args.d[threadIdx.x * 4 + e] = d[e];
}
