// What a person may say in a comment: a condition is uniform over each wave; a kernel or a
// statement is to stay bridged, or as it is. What nobody understands is said.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
// RUN: %ported %t.hip | FileCheck %s --check-prefix=HIP
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t (&r)[4], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
}
__device__ void ldsm2(uint32_t (&r)[2], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// CHECK: steered.cu:{{[0-9]+}}: the comment 'layout-port: teir=bridged' is not understood; there are
// CHECK: note: guarded assumes, on the author's word, uniform over each wave: threadIdx.x + blockIdx.x * 64 < n
__global__ void __launch_bounds__(64) guarded(float *C, int n) {
  __shared__ half s[512];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);
  float c[4] = {};
  uint32_t a[4], b[2];
  // layout-port: assume uniform
  if (threadIdx.x + blockIdx.x * 64 < n) {
    ldsm4(a, base + lane * 16);
    ldsm2(b, base + (warp * 16 + lane % 16) * 16);
    mma(c, a, b);
  }
  C[threadIdx.x] = c[0];
}

// CHECK: note: bridged is not native: the author asks for tier=bridged
// layout-port: tier=bridged
__global__ void __launch_bounds__(64) bridged(float *C) {
  __shared__ half s[512];
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s) + threadIdx.x % 32 * 16;
  float c[4] = {};
  uint32_t a[4], b[2];
  ldsm4(a, base);
  ldsm2(b, base);
  mma(c, a, b);
  C[threadIdx.x] = c[0];
}

// One statement is enough to take the products of a kernel back.
// CHECK: note: oneStatement is not native: the author asks for tier=bridged ({{.*}}:[[#@LINE+9]])
__global__ void __launch_bounds__(64) oneStatement(float *C) {
  __shared__ half s[512];
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s) + threadIdx.x % 32 * 16;
  float c[4] = {};
  uint32_t a[4], b[2];
  ldsm4(a, base);
  ldsm2(b, base);
  // layout-port: tier=bridged
  mma(c, a, b);
  C[threadIdx.x] = c[0];
}

// Text that is kept is untouched, and the rest is ported. Braces and an else belong to it.
// HIP-LABEL: void keeps(
// HIP: x = __shfl_xor(x, 1);
// HIP: y = __shfl_xor(y, 1);
// HIP: y = __shfl_xor(y, 2);
// HIP: y = {{.*}}lp::shfl
__global__ void keeps(int *p) {
  int x = p[threadIdx.x], y = x;
  x = __shfl_xor(x, 1); // layout-port: keep
  // layout-port: keep
  if (blockIdx.x) {
    y = __shfl_xor(y, 1);
  } else {
    y = __shfl_xor(y, 2);
  }
  y = __shfl_xor_sync(~0u, y, 4);
  p[threadIdx.x] = x + y;
}

// layout-port: teir=bridged
__global__ void misspelt(int *p) { p[0] = 0; }
