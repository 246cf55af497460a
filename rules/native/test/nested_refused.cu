// Functions that handle fragments below others: what is not followed, by name.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
// RUN: %ported %t.hip | FileCheck %s --check-prefix=OUT
// OUT-NOT: f16_wave(
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void loadA(uint32_t (&a)[4], uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
               : "r"(at));
}
__device__ void loadB(uint32_t (&b)[2], uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(b[0]), "=r"(b[1])
               : "r"(at));
}

__device__ void multiply(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2], int n) {
  for (int i = 0; i < n; ++i)
    mma(c, a, b);
}

__device__ void ofItsOwn(float (&c)[4], uint32_t base, int warp, int lane) {
  uint32_t a[4], b[2];
  loadA(a, base + (warp * 16 + lane % 16) * 16);
  loadB(b, base + lane % 16 * 16);
  float own[4] = {};
  multiply(own, a, b, 2);
  for (int e = 0; e < 4; ++e)
    c[e] += own[e];
}
// CHECK-DAG: sums is not native: 'own', sums of a function, are handed on to another that multiplies
__global__ void __launch_bounds__(64) sums(float *C, int n) {
  __shared__ half s[512];
  float c[4] = {};
  for (int i = 0; i < n; ++i)
    ofItsOwn(c, (uint32_t)__cvta_generic_to_shared(s), threadIdx.x / 32, threadIdx.x % 32);
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

__device__ void again(float (&c)[4], uint32_t base, int warp, int lane, int depth) {
  uint32_t a[4], b[2];
  loadA(a, base + (warp * 16 + lane % 16) * 16);
  loadB(b, base + lane % 16 * 16);
  mma(c, a, b);
  if (depth)
    again(c, base, warp, lane, depth - 1);
}
// CHECK-DAG: recursive is not native: 'again' handles fragments and calls itself
__global__ void __launch_bounds__(64) recursive(float *C, int n) {
  __shared__ half s[512];
  float c[4] = {};
  again(c, (uint32_t)__cvta_generic_to_shared(s), threadIdx.x / 32, threadIdx.x % 32, n);
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

struct Ender {
  float (&c)[4];
  const uint32_t (&a)[4], (&b)[2];
  __device__ ~Ender() { mma(c, a, b); }
};
// CHECK-DAG: ends is not native: it handles fragments, and no product of them is in reach
__global__ void __launch_bounds__(64) ends(float *C, int n) {
  __shared__ half s[512];
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);
  float c[4] = {};
  uint32_t a[4], b[2];
  for (int i = 0; i < n; ++i) {
    loadA(a, base + (threadIdx.x / 32 * 16 + threadIdx.x % 16) * 16);
    loadB(b, base + threadIdx.x % 16 * 16);
    Ender ender{c, a, b};
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}
