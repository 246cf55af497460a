// Products that are operators, c += a * b, of structs which functions put together and return.
//
// RUN: %prove --launch %S/operators.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>
struct A16 { uint32_t r[4] = {0, 0, 0, 0}; };
struct B8 { uint32_t r[2] = {0, 0}; };
struct Product { const A16 &a; const B8 &b; };
struct C8 { float r[4] = {0.f, 0.f, 0.f, 0.f}; };
__device__ inline Product operator*(const A16 &a, const B8 &b) { return {a, b}; }
__device__ inline C8 &operator+=(C8 &c, const Product &p) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(c.r[0]), "+f"(c.r[1]), "+f"(c.r[2]), "+f"(c.r[3])
               : "r"(p.a.r[0]), "r"(p.a.r[1]), "r"(p.a.r[2]), "r"(p.a.r[3]), "r"(p.b.r[0]), "r"(p.b.r[1]));
  return c;
}
__device__ inline uint32_t word(const half *p) { return *(const uint32_t *)p; }
__device__ inline A16 loadA(const half *p, int ld) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4 * 2;
  A16 a;
  a.r[0] = word(p + g * ld + t);
  a.r[1] = word(p + (g + 8) * ld + t);
  a.r[2] = word(p + g * ld + t + 8);
  a.r[3] = word(p + (g + 8) * ld + t + 8);
  return a;
}
__device__ inline B8 loadB(const half *p, int ld) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4 * 2;
  B8 b;
  b.r[0] = word(p + g * ld + t);
  b.r[1] = word(p + g * ld + t + 8);
  return b;
}
// CHECK-NOT: asm volatile
// CHECK-LABEL: void gemm(
// CHECK: {{^    A16 a;$}}
// CHECK-NEXT: {{^    }}lp::gather_a(a.r, [&](int lane, int warp, int r) {
// CHECK: lp::mma_m16n8k16_f32_f16_steps_wave{{.*}}(c[j].r, a.r, b.r, j & 1, held[j], (k - k0) / 16);
__global__ void gemm(const half *A, const half *B, float *C, int N, int K) {
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4 * 2;
  C8 c[4];
  for (int k = 0; k < K; k += 16) {
    const A16 a = loadA(A + (blockIdx.y * 64 + warp * 16) * K + k, K);
    for (int j = 0; j < 4; ++j) {
      const B8 b = loadB(B + (blockIdx.x * 32 + j * 8) * K + k, K);
      c[j] += a * b;
    }
  }
  for (int j = 0; j < 4; ++j) {
    float *p = C + (blockIdx.y * 64 + warp * 16 + g) * N + blockIdx.x * 32 + j * 8 + t;
    p[0] = c[j].r[0];
    p[1] = c[j].r[1];
    p[8 * N] = c[j].r[2];
    p[8 * N + 1] = c[j].r[3];
  }
}

// Structs that are assigned zeros, tile by tile of two dimensions by one counter.
struct Acc { float v[4]; };
struct Pair { const A16 &a; const B8 &b; };
__device__ inline Pair both(const A16 &a, const B8 &b) { return Pair{a, b}; }
__device__ inline void multiply(Acc &d, const Pair &p) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(d.v[0]), "+f"(d.v[1]), "+f"(d.v[2]), "+f"(d.v[3])
               : "r"(p.a.r[0]), "r"(p.a.r[1]), "r"(p.a.r[2]), "r"(p.a.r[3]), "r"(p.b.r[0]), "r"(p.b.r[1]));
}
// CHECK-LABEL: void digits(
// CHECK: acc[i / 4][i % 4] = Acc{
// CHECK: {{^      }}lp::gather_a(a[i].r, [&]
// CHECK: lp::mma_m16n8k16_f32_f16_steps_wave(acc[i][j].v, a[i].r, b.r, j & 1, held{{.*}});
__global__ void digits(const half *A, const half *B, float *C, int N, int K) {
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4 * 2;
  Acc acc[2][4];
  for (int i = 0; i < 8; ++i)
    acc[i / 4][i % 4] = Acc{{0.f, 0.f, 0.f, 0.f}};
  for (int k = 0; k < K; k += 16) {
    A16 a[2];
    for (int i = 0; i < 2; ++i)
      a[i] = loadA(A + (warp * 32 + i * 16) * K + k, K);
    for (int j = 0; j < 4; ++j) {
      const B8 b = loadB(B + (blockIdx.x * 32 + j * 8) * K + k, K);
      for (int i = 0; i < 2; ++i)
        multiply(acc[i][j], both(a[i], b));
    }
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) {
      float *p = C + (warp * 32 + i * 16 + g) * N + blockIdx.x * 32 + j * 8 + t;
      *(float2 *)p = make_float2(acc[i][j].v[0], acc[i][j].v[1]);
      *(float2 *)(p + 8 * N) = make_float2(acc[i][j].v[2], acc[i][j].v[3]);
    }
}
