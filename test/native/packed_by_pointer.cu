// A second product's operand, packed through a pointer of another type to its registers: what was there
// before an assignment of bf16 pairs goes into nothing.
//
// RUN: %prove --launch %S/packed_by_pointer.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t word(const __nv_bfloat16 *p) { return *(const uint32_t *)p; }
__device__ __forceinline__ void mma(const uint32_t (&a)[4], const uint32_t (&b)[2], float (&d)[4]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// O = (scale Q K^T) V, 16 rows a warp: K and V (transposed) have 16 rows for each of `blocks`.
__global__ void __launch_bounds__(64)
packedByPointer(const __nv_bfloat16 *Q, const __nv_bfloat16 *K, const __nv_bfloat16 *V, float *O, float scale, int blocks) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const int row = blockIdx.x * 32 + warp * 16;
  float o[2][4] = {};
  for (int block = 0; block < blocks; ++block) {
    float s[2][4] = {};
    uint32_t p[1][4];
    const __nv_bfloat16 *q = Q + (row + g) * 16 + t * 2;
    const uint32_t a[4] = {word(q), word(q + 8 * 16), word(q + 8), word(q + 8 * 16 + 8)};
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const __nv_bfloat16 *k = K + (block * 16 + j * 8 + g) * 16 + t * 2;
      const uint32_t b[2] = {word(k), word(k + 8)};
      mma(a, b, s[j]);
    }
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      for (int e = 0; e < 4; ++e)
        s[j][e] *= scale;
      __nv_bfloat162 *pairs = reinterpret_cast<__nv_bfloat162 *>(p[j / 2]);
      pairs[j % 2 * 2] = __float22bfloat162_rn({s[j][0], s[j][1]});
      pairs[j % 2 * 2 + 1] = __float22bfloat162_rn({s[j][2], s[j][3]});
    }
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const __nv_bfloat16 *v = V + (block * 16 + j * 8 + g) * 16 + t * 2;
      const uint32_t b[2] = {word(v), word(v + 8)};
      mma(p[0], b, o[j]);
    }
  }
#pragma unroll
  for (int j = 0; j < 2; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e)
      O[(row + g + e / 2 * 8) * 16 + j * 8 + t * 2 + e % 2] = o[j][e];
}
