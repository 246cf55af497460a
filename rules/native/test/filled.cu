// Arrays of addresses whose elements are not what a loop made of them, or not all, or of something
// that is another by then: no other lane can make them again.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
#include <cuda_runtime.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t (&r)[4], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
}
__device__ void ldsm2(uint32_t (&r)[2], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#define KERNEL(name) __global__ void __launch_bounds__(64) name(float *C, int n)
#define SETUP                                                                                      \
  __shared__ uint32_t s[1024];                                                                     \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s) + warp * 1024;                       \
  uint32_t a[4], b[2], at[2];                                                                      \
  float c[4] = {};
#define STORE C[threadIdx.x] = c[0];

// CHECK-NOT: asMade is not native
KERNEL(asMade) {
  SETUP
  for (int i = 0; i < 2; ++i)
    at[i] = base + i * 512 + lane * 16;
  for (int k = 0; k < n; ++k) {
    ldsm4(a, at[k & 1]);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
  }
  STORE
}

// CHECK-DAG: walking keeps 'a' in CUDA's layout and moves it for each product: 'at' is an array or struct of the thread's own (
KERNEL(walking) {
  SETUP
  for (int i = 0; i < 2; ++i)
    at[i] = base + i * 512 + lane * 16;
  for (int k = 0; k < n; ++k) {
    ldsm4(a, at[k & 1]);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    at[k & 1] ^= 32;
  }
  STORE
}

// CHECK-DAG: halfMade keeps 'a' in CUDA's layout and moves it for each product: 'at' is an array or struct of the thread's own (
KERNEL(halfMade) {
  SETUP
  for (int i = 0; i < 1; ++i)
    at[i] = base + i * 512 + lane * 16;
  ldsm4(a, at[0]);
  ldsm2(b, base + lane % 16 * 16);
  mma(c, a, b);
  STORE
}

// CHECK-DAG: ofASum keeps 'a' in CUDA's layout and moves it for each product: 'at' is an array or struct of the thread's own (
KERNEL(ofASum) {
  SETUP
  uint32_t place = base + lane * 16;
  for (int i = 0; i < 2; ++i) {
    at[i] = place;
    place += 512;
  }
  ldsm4(a, at[1]);
  ldsm2(b, base + lane % 16 * 16);
  mma(c, a, b);
  STORE
}

// CHECK-DAG: ofATurn keeps 'a' in CUDA's layout and moves it for each product: 'at' is an array or struct of the thread's own (
KERNEL(ofATurn) {
  SETUP
  uint32_t turned = 0;
  for (int i = 0; i < 2; ++i)
    at[i] = (base + i * 512 + lane * 16) ^ turned;
  for (int k = 0; k < n; ++k) {
    ldsm4(a, at[1]);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    turned ^= 32;
  }
  STORE
}

// CHECK-DAG: sometimes keeps 'a' in CUDA's layout and moves it for each product: 'at' is an array or struct of the thread's own (
KERNEL(sometimes) {
  SETUP
  if (n)
    for (int i = 0; i < 2; ++i)
      at[i] = base + i * 512 + lane * 16;
  ldsm4(a, at[1]);
  ldsm2(b, base + lane % 16 * 16);
  mma(c, a, b);
  STORE
}

// CHECK-DAG: handed keeps 'a' in CUDA's layout and moves it for each product: 'at' is an array or struct of the thread's own (
__device__ void advance(uint32_t *all, int by) { all[0] += by; }
KERNEL(handed) {
  SETUP
  for (int i = 0; i < 2; ++i)
    at[i] = base + i * 512 + lane * 16;
  advance(at, n);
  ldsm4(a, at[1]);
  ldsm2(b, base + lane % 16 * 16);
  mma(c, a, b);
  STORE
}

// CHECK-DAG: fromMemory keeps 'a' in CUDA's layout and moves it for each product: 'at' is an array or struct of the thread's own (
KERNEL(fromMemory) {
  SETUP
  for (int i = 0; i < 2; ++i)
    at[i] = base + s[lane] + i * 512;
  ldsm4(a, at[1]);
  ldsm2(b, base + lane % 16 * 16);
  mma(c, a, b);
  STORE
}
