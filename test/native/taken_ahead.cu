// Products that take what a load returns straight from its call: in a loop without braces, both
// operands of one, two products of one call, and sums that are returned.
//
// RUN: %prove --launch %S/taken_ahead.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kLd = 40; // halves

struct FragA { uint32_t x[4]; };
struct FragB { uint32_t x[2]; };
struct FragB2 { uint32_t x[4]; }; // two n8 tiles
struct FragC { float x[4]; };

__device__ __forceinline__ FragA loadA(const half *p) {
  FragA f;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(f.x[0]), "=r"(f.x[1]), "=r"(f.x[2]), "=r"(f.x[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
  return f;
}
__device__ __forceinline__ FragB loadB(const half *p) {
  FragB f;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(f.x[0]), "=r"(f.x[1])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
  return f;
}
__device__ __forceinline__ FragB2 loadTwo(const half *p) {
  FragB2 f;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(f.x[0]), "=r"(f.x[1]), "=r"(f.x[2]), "=r"(f.x[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
  return f;
}
__device__ __forceinline__ void mma(FragC &c, const FragA &a, const FragB &b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c.x[0]), "+f"(c.x[1]), "+f"(c.x[2]), "+f"(c.x[3])
               : "r"(a.x[0]), "r"(a.x[1]), "r"(a.x[2]), "r"(a.x[3]), "r"(b.x[0]), "r"(b.x[1]));
}
__device__ __forceinline__ FragC product(const FragA &a, const FragB &b, FragC c) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c.x[0]), "+f"(c.x[1]), "+f"(c.x[2]), "+f"(c.x[3])
               : "r"(a.x[0]), "r"(a.x[1]), "r"(a.x[2]), "r"(a.x[3]), "r"(b.x[0]), "r"(b.x[1]));
  return c;
}
__device__ __forceinline__ void two(float *c, float *d, const FragA &a, const FragB2 &b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a.x[0]), "r"(a.x[1]), "r"(a.x[2]), "r"(a.x[3]), "r"(b.x[0]), "r"(b.x[1]));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a.x[0]), "r"(a.x[1]), "r"(a.x[2]), "r"(a.x[3]), "r"(b.x[2]), "r"(b.x[3]));
}
__device__ __forceinline__ void stage(half *to, const half *from) {
  for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x)
    to[i / 32 * kLd + i % 32] = from[i];
}

// CHECK-LABEL: single(const half
// CHECK: for (int n = 0; n < 4; ++n)
// CHECK-NEXT: {
// CHECK-NEXT: FragB b;
// CHECK-NEXT: lp::load_b(b.x, {{.*}}, n);
// CHECK-NEXT: lp::mma_m16n8k16_f32_f16_steps_wave({{.*}}, a.x, b.x, n & 1, held[n], k / 16);
// CHECK-NEXT: }
__global__ void __launch_bounds__(64) single(const half *A, const half *B, float *C) {
  __shared__ half sA[32 * kLd], sB[32 * kLd];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  stage(sA, A);
  stage(sB, B);
  __syncthreads();
  FragC c[4] = {};
  for (int k = 0; k < 32; k += 16) {
    const FragA a = loadA(sA + (warp * 16 + lane % 16) * kLd + k + lane / 16 * 8);
#pragma unroll
    for (int n = 0; n < 4; ++n)
      mma(c[n], a, loadB(sB + (n * 8 + lane % 8) * kLd + k + lane / 8 % 2 * 8));
  }
  for (int n = 0; n < 4; ++n) {
    float *out = C + (warp * 16 + lane / 4) * 32 + n * 8 + lane % 4 * 2;
    out[0] = c[n].x[0];
    out[1] = c[n].x[1];
    out[8 * 32] = c[n].x[2];
    out[8 * 32 + 1] = c[n].x[3];
  }
}

// CHECK-LABEL: returned(const half
// CHECK: FragA a;
// CHECK: lp::load_a(a.x,
// CHECK: FragB b;
// CHECK: lp::load_b(b.x,
__global__ void __launch_bounds__(64) returned(const half *A, const half *B, float *C) {
  __shared__ half sA[32 * kLd], sB[32 * kLd];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  stage(sA, A);
  stage(sB, B);
  __syncthreads();
  FragC c[4] = {};
#pragma unroll
  for (int n = 0; n < 4; ++n)
#pragma unroll
    for (int k = 0; k < 32; k += 16)
      c[n] = product(loadA(sA + (warp * 16 + lane % 16) * kLd + k + lane / 16 * 8),
                     loadB(sB + (n * 8 + lane % 8) * kLd + k + lane / 8 % 2 * 8), c[n]);
  for (int n = 0; n < 4; ++n) {
    float *out = C + (warp * 16 + lane / 4) * 32 + n * 8 + lane % 4 * 2;
    out[0] = c[n].x[0];
    out[1] = c[n].x[1];
    out[8 * 32] = c[n].x[2];
    out[8 * 32 + 1] = c[n].x[3];
  }
}

// CHECK-LABEL: pairs(const half
// CHECK: FragB2 b;
// CHECK: lp::tile<unsigned int, 2>(b.x, 1)
__global__ void __launch_bounds__(64) pairs(const half *A, const half *B, float *C) {
  __shared__ half sA[32 * kLd], sB[32 * kLd];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  stage(sA, A);
  stage(sB, B);
  __syncthreads();
  float c[4][4] = {};
  for (int k = 0; k < 32; k += 16) {
    const FragA a = loadA(sA + (warp * 16 + lane % 16) * kLd + k + lane / 16 * 8);
#pragma unroll
    for (int n = 0; n < 2; ++n)
      two(c[2 * n], c[2 * n + 1], a,
          loadTwo(sB + (n * 16 + lane / 16 * 8 + lane % 8) * kLd + k + lane / 8 % 2 * 8));
  }
  for (int n = 0; n < 4; ++n) {
    float *out = C + (warp * 16 + lane / 4) * 32 + n * 8 + lane % 4 * 2;
    out[0] = c[n][0];
    out[1] = c[n][1];
    out[8 * 32] = c[n][2];
    out[8 * 32 + 1] = c[n][3];
  }
}
