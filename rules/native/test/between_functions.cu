// Functions that multiply and work on results are followed where the kernel calls them: what does
// not do the same to rows r and r + 8, or asks for the lane in their text, is refused by name.
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

__device__ void scalesOne(float (&c)[4], uint32_t base, int warp, int lane) {
  uint32_t a[4], b[2];
  loadA(a, base + (warp * 16 + lane % 16) * 16);
  loadB(b, base + lane % 16 * 16);
  mma(c, a, b);
  c[0] *= 0.5f;
}
// CHECK-DAG: oneHalf is not native: 'c' is used between the products: rows r and r + 8 of a tile are not treated alike in 'c'
__global__ void __launch_bounds__(64) oneHalf(float *C, int n) {
  __shared__ half s[512];
  float c[4] = {};
  for (int i = 0; i < n; ++i)
    scalesOne(c, (uint32_t)__cvta_generic_to_shared(s), threadIdx.x / 32, threadIdx.x % 32);
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

__device__ void masks(float (&c)[4], uint32_t base, int warp, int lane) {
  uint32_t a[4], b[2];
  loadA(a, base + (warp * 16 + lane % 16) * 16);
  loadB(b, base + lane % 16 * 16);
  mma(c, a, b);
  for (int e = 0; e < 4; ++e)
    if (lane / 4 + e / 2 * 8 < lane % 4 * 2 + e % 2)
      c[e] = 0.f;
}
// Nor is it told, where another function calls it.
__device__ void masksWithin(float (&c)[4], uint32_t base, int warp, int lane) {
  masks(c, base, warp, lane);
}
// CHECK-DAG: masked is not native: 'c' is used between the products: 'lane / 4 + e / 2 * 8 < lane % 4 * 2 + e % 2' depends on the lane: it is not in the kernel's own text
__global__ void __launch_bounds__(64) masked(float *C, int n) {
  __shared__ half s[512];
  float c[4] = {};
  for (int i = 0; i < n; ++i)
    masksWithin(c, (uint32_t)__cvta_generic_to_shared(s), threadIdx.x / 32, threadIdx.x % 32);
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

__device__ void scales(float (&c)[4], uint32_t base, int warp, int lane) {
  uint32_t a[4], b[2];
  loadA(a, base + (warp * 16 + lane % 16) * 16);
  loadB(b, base + lane % 16 * 16);
  mma(c, a, b);
  for (int e = 0; e < 4; ++e)
    c[e] *= 0.5f;
}
// What it makes of the results goes to memory between the products.
// CHECK-DAG: told is not native: 'c' is used between the products: rows r and r + 8 of a tile are not stored alike
__global__ void __launch_bounds__(64) told(float *C, int n) {
  __shared__ half s[512];
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    scales(c, (uint32_t)__cvta_generic_to_shared(s), threadIdx.x / 32, threadIdx.x % 32);
    C[i * 64 + threadIdx.x] = c[0];
  }
}
