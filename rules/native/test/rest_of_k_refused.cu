// Sums of two kinds of mma whose operands are of other types.
//
// RUN: %layout-port %s -o %t.hip 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t word(const void *p) { return *(const uint32_t *)p; }
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void mmaBf16(float (&d)[4], const uint32_t (&a)[2],
                                        const uint32_t (&b)[1]) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
               "{%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}

// Halves, and the rest as bf16.
// CHECK-DAG: types is not native: one accumulator of two kinds of mma
__global__ void __launch_bounds__(64) types(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[4] = {};
  const half *p = A + (warp * 16 + g) * K + t * 2, *q = B + g * K + t * 2;
  uint32_t a[4], b[2];
  for (int r = 0; r < 4; ++r)
    a[r] = word(p + r % 2 * 8 * K + r / 2 * 8);
  for (int r = 0; r < 2; ++r)
    b[r] = word(q + r * 8);
  mma(c, a, b);
  uint32_t x[2], y[1];
  for (int r = 0; r < 2; ++r)
    x[r] = word(p + r * 8 * K + 16);
  y[0] = word(q + 16);
  mmaBf16(c, x, y);
  for (int e = 0; e < 4; ++e)
    C[(warp * 16 + g + e / 2 * 8) * 8 + t * 2 + e % 2] = c[e];
}
