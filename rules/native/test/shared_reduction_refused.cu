// A function by which a kernel exchanges results, and another kernel that handles fragments values of
// its threads: it cannot have one text for both, and the first is not native.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
// RUN: %ported %t.hip | FileCheck %s --check-prefix=PORT
// PORT-NOT: shfl_xor_wave
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
__device__ uint32_t pack(float x, float y) {
  const half2 h = __floats2half2_rn(x, y);
  return *(const uint32_t *)&h;
}
__device__ float quadSum(float x) {
  x += __shfl_xor_sync(0xffffffff, x, 2);
  return x + __shfl_xor_sync(0xffffffff, x, 1);
}

// CHECK: between is not native: it shares a function that exchanges results with 'ofThreads', which is not ported alike
__global__ void __launch_bounds__(64) between(float *C) {
  __shared__ half s[1024];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);
  float c[2][4] = {}, o[4] = {};
  uint32_t a[4], b[2];
  ldsm4(a, base + warp * 512 + lane * 16);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + j * 256 + lane % 16 * 16);
    mma(c[j], a, b);
  }
  for (int r = 0; r < 2; ++r) {
    const float sum = quadSum(c[0][2 * r] + c[0][2 * r + 1] + c[1][2 * r] + c[1][2 * r + 1]);
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 2; ++e)
        c[j][2 * r + e] -= sum;
  }
  const uint32_t p[4] = {pack(c[0][0], c[0][1]), pack(c[0][2], c[0][3]), pack(c[1][0], c[1][1]),
                         pack(c[1][2], c[1][3])};
  ldsm2(b, base + 512 + lane % 16 * 16);
  mma(o, p, b);
  for (int e = 0; e < 4; ++e)
    C[(warp * 16 + lane / 4 + e / 2 * 8) * 8 + lane % 4 * 2 + e % 2] = o[e];
}

// PORT-LABEL: ofThreads(
// PORT: lp::mma_m16n8k16_f32_f16_wave_2(
__global__ void __launch_bounds__(64) ofThreads(const float *X, float *Y, float *C) {
  __shared__ half s[1024];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);
  float c[2][4] = {};
  uint32_t a[4], b[2];
  ldsm4(a, base + warp * 512 + lane * 16);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + j * 256 + lane % 16 * 16);
    mma(c[j], a, b);
  }
  Y[threadIdx.x] = quadSum(X[threadIdx.x]);
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}
