// Operands of structs that are declared with a list of their words, by fields of any names.
//
// RUN: %prove --launch %S/struct_lists.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

struct FragA {
  uint32_t top, low, topNext, lowNext;
};
struct FragB {
  uint32_t first, second;
};
__device__ __forceinline__ uint32_t word(const half *p) { return *(const uint32_t *)p; }

// C (32 x 16) = A B^T, both K wide; two warps, 16 rows each.
__global__ void __launch_bounds__(64) listed(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const half *row = A + (warp * 16 + g) * K + t * 2;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    FragA a = {word(row + k), word(row + 8 * K + k), word(row + k + 8), word(row + 8 * K + k + 8)};
    for (int j = 0; j < 2; ++j) {
      const half *p = B + (j * 8 + g) * K + k + t * 2;
      FragB b = {word(p), word(p + 8)};
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                   "{%8,%9}, {%0,%1,%2,%3};"
                   : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
                   : "r"(a.top), "r"(a.low), "r"(a.topNext), "r"(a.lowNext), "r"(b.first), "r"(b.second));
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + g + e / 2 * 8) * 16 + j * 8 + t * 2 + e % 2] = c[j][e];
}
