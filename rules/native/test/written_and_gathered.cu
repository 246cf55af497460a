// One accumulator's second operands are an array in one product, and are written into the call in
// another: which index of the array runs along the tiles is no question to ask of the call.
// RUN: %layout-port %s -o %t.hip --target gfx90a,gfx942,gfx950 --verify --launch %S/Inputs/written_and_gathered.yaml 2>&1 | FileCheck %s
//
// CHECK-NOT: is not native
// CHECK: verify gfx90a: proved
// CHECK: verify gfx942: proved
// CHECK: verify gfx950: proved
#include <cuda_fp16.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t word(const half *p) {
  return *reinterpret_cast<const uint32_t *>(p);
}

__global__ void __launch_bounds__(64)
    both(const half *A, const half *B, const float *bias, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[2][4];
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      c[j][e] = bias[j * 8 + t * 2 + e % 2];
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * K + k + t * 2 + r * 8);
    for (int j = 0; j < 2; ++j)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
          "{%8,%9}, {%0,%1,%2,%3};"
          : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[j][0]), "r"(b[j][1]));
  }
  for (int j = 0; j < 2; ++j)
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
                 : "r"(word(A + g * K + t * 2)), "r"(word(A + (g + 8) * K + t * 2)),
                   "r"(word(A + g * K + t * 2 + 8)), "r"(word(A + (g + 8) * K + t * 2 + 8)),
                   "r"(word(B + (j * 8 + g) * K + t * 2)), "r"(word(B + (j * 8 + g) * K + t * 2 + 8)));
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + g + e / 2 * 8) * 16 + j * 8 + t * 2 + e % 2] = c[j][e];
}
