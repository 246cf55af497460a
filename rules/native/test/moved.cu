// Fragments that stmatrix stores or movmatrix turns where they would have to lie as CUDA has them: an
// operand that is stored, one that is turned in part or used unturned as well, results that are turned.
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
__device__ void stsm2(uint32_t at, uint32_t r0, uint32_t r1) {
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};"
               :: "r"(at), "r"(r0), "r"(r1) : "memory");
}
__device__ uint32_t turned(uint32_t r) {
  uint32_t out;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(out) : "r"(r));
  return out;
}

#define KERNEL(name) __global__ void __launch_bounds__(64) name(float *C, int n)
#define SETUP                                                                                      \
  __shared__ uint32_t s[1024];                                                                     \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s) + warp * 1024;                       \
  uint32_t a[4], b[2];                                                                             \
  float c[4] = {};
#define STORE C[threadIdx.x] = c[0];

// CHECK-DAG: storesOperand keeps 'b' in CUDA's layout and moves it for each product: 'b' is an operand and is used by other code ({{.*}}moved.cu:[[@LINE+5]])
KERNEL(storesOperand) {
  SETUP
  ldsm4(a, base + lane * 16);
  ldsm2(b, base + lane % 16 * 16);
  stsm2(base + 512 + lane % 16 * 16, b[0], b[1]);
  mma(c, a, b);
  STORE
}

// CHECK-DAG: turnsHalf keeps 't' in CUDA's layout and moves it for each product: 't': its value reads 'r', registers of the thread's own (
KERNEL(turnsHalf) {
  SETUP
  ldsm4(a, base + lane * 16);
  uint32_t r[2];
  ldsm2(r, base + lane % 16 * 16);
  uint32_t t[2];
  t[0] = turned(r[0]);
  t[1] = r[1];
  mma(c, a, t);
  STORE
}

__device__ void ldsm2(uint32_t &r0, uint32_t &r1, uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%0,%1}, [%2];" : "=r"(r0), "=r"(r1) : "r"(a));
}
// CHECK-DAG: turnsOneOfTwo is not native: movmatrix turns some of the registers that ldmatrix fills (
KERNEL(turnsOneOfTwo) {
  SETUP
  ldsm4(a, base + lane * 16);
  uint32_t first, second;
  ldsm2(first, second, base + lane % 16 * 16);
  b[0] = turned(first);
  b[1] = second;
  mma(c, a, b);
  STORE
}

// CHECK-DAG: turnsHalfOfMemory keeps 'b' in CUDA's layout and moves it for each product: 'b': movmatrix turns some of its registers (
KERNEL(turnsHalfOfMemory) {
  SETUP
  ldsm4(a, base + lane * 16);
  b[0] = turned(s[lane]);
  b[1] = s[lane + 32];
  mma(c, a, b);
  STORE
}

// CHECK-DAG: turnsInPlace keeps 'b' in CUDA's layout and moves it for each product: 'b' is an operand and is used by other code (
KERNEL(turnsInPlace) {
  SETUP
  ldsm4(a, base + lane * 16);
  ldsm2(b, base + lane % 16 * 16);
  b[0] = turned(b[0]);
  b[1] = turned(b[1]);
  mma(c, a, b);
  STORE
}

// CHECK-DAG: usesBoth keeps 't' in CUDA's layout and moves it for each product: 't': its value reads 'r', registers of the thread's own (
KERNEL(usesBoth) {
  SETUP
  ldsm4(a, base + lane * 16);
  uint32_t r[2];
  ldsm2(r, base + lane % 16 * 16);
  uint32_t t[2];
  t[0] = turned(r[0]);
  t[1] = turned(r[1]);
  mma(c, a, t);
  mma(c, a, r);
  STORE
}

// CHECK-DAG: turnsTwice keeps 'b' in CUDA's layout and moves it for each product: 'b': its value is made with movmatrix.sync.aligned.m8n8.trans.b16 in PTX (
KERNEL(turnsTwice) {
  SETUP
  ldsm4(a, base + lane * 16);
  b[0] = turned(turned(s[lane]));
  b[1] = turned(turned(s[lane + 32]));
  mma(c, a, b);
  STORE
}

// CHECK-DAG: storesSums is not native: 'c' is used between the products: results are stored to memory between the products by stmatrix: 's' is used otherwise without a barrier between, or it cannot be told (
KERNEL(storesSums) {
  SETUP
  for (int k = 0; k < n; ++k) {
    ldsm4(a, base + lane * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    stsm2(base + 512 + lane % 16 * 16, __float_as_uint(c[0]), __float_as_uint(c[2]));
  }
  STORE
}

// CHECK-DAG: storesUpperRows is not native: 'c' is used between the products: stmatrix is not given rows r and rows r + 8 of tiles, in this order (
KERNEL(storesUpperRows) {
  SETUP
  __shared__ uint32_t p[512];
  for (int k = 0; k < n; ++k) {
    ldsm4(a, base + lane * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    __syncthreads();
    stsm2((uint32_t)__cvta_generic_to_shared(&p[warp * 256 + lane % 16 * 4]), __float_as_uint(c[0]), __float_as_uint(c[1]));
    __syncthreads();
  }
  STORE
}

// CHECK-DAG: storesToOnePlace is not native: 'c' is used between the products: results are stored to memory between the products by stmatrix: several rows are stored to one place (
KERNEL(storesToOnePlace) {
  SETUP
  __shared__ uint32_t p[512];
  for (int k = 0; k < n; ++k) {
    ldsm4(a, base + lane * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    __syncthreads();
    stsm2((uint32_t)__cvta_generic_to_shared(&p[warp * 256 + lane % 8 * 4]), __float_as_uint(c[0]), __float_as_uint(c[2]));
    __syncthreads();
  }
  STORE
}

__device__ void storeAndMark(uint32_t at, uint32_t *mark, uint32_t r0, uint32_t r1) {
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};"
               :: "r"(at), "r"(r0), "r"(r1) : "memory");
  *mark = 1;
}
// CHECK-DAG: storesMore is not native: 'c' is used between the products: results are stored to memory between the products by stmatrix: the function that stores does more than that (
KERNEL(storesMore) {
  SETUP
  __shared__ uint32_t p[512], marks[64];
  for (int k = 0; k < n; ++k) {
    ldsm4(a, base + lane * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    __syncthreads();
    storeAndMark((uint32_t)__cvta_generic_to_shared(&p[warp * 256 + lane % 16 * 4]), &marks[threadIdx.x], __float_as_uint(c[0]), __float_as_uint(c[2]));
    __syncthreads();
  }
  C[threadIdx.x] = c[0] + marks[threadIdx.x];
}

// CHECK-DAG: storesInOneWarp is not native: 'c' is used between the products: {{.*}}moved.cu:[[@LINE+10]])
KERNEL(storesInOneWarp) {
  SETUP
  __shared__ uint32_t p[512];
  for (int k = 0; k < n; ++k) {
    ldsm4(a, base + lane * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    __syncthreads();
    if (warp == 0)
      stsm2((uint32_t)__cvta_generic_to_shared(&p[lane % 16 * 4]), __float_as_uint(c[0]), __float_as_uint(c[2]));
    __syncthreads();
  }
  STORE
}

// CHECK-DAG: turnsSums is not native: 'c' is used between the products: asm that reads or changes more than its operands is given results (
KERNEL(turnsSums) {
  SETUP
  for (int k = 0; k < n; ++k) {
    ldsm4(a, base + lane * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    c[0] = __uint_as_float(turned(__float_as_uint(c[0])));
    c[2] = __uint_as_float(turned(__float_as_uint(c[2])));
  }
  STORE
}

// CHECK-DAG: turnsP keeps 'p' in CUDA's layout and moves it for each product: operand A of mma.m16n8k16.f16 is neither read by ldmatrix nor put together in one place: asm that reads or changes more than its operands is given results (
KERNEL(turnsP) {
  SETUP
  float o[4] = {};
  for (int k = 0; k < n; ++k) {
    float x[4] = {};
    ldsm4(a, base + lane * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(x, a, b);
    uint32_t p[4];
    for (int r = 0; r < 4; ++r)
      p[r] = turned(__float_as_uint(x[r]));
    mma(o, p, b);
  }
  C[threadIdx.x] = o[0];
}

// What a wrapper's own variables do on their way is not lost with the wrapper.
// CHECK-DAG: counts is not native: 'number' in 'mmaCounted' is made in a way that changes something (
__device__ void mmaCounted(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2], int *all) {
  const int number = atomicAdd(all, 1);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
KERNEL(counts) {
  SETUP
  ldsm4(a, base + lane * 16);
  ldsm2(b, base + lane % 16 * 16);
  mmaCounted(c, a, b, (int *)C + n);
  STORE
}
