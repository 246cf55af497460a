// No ldmatrix: every fragment is put together from plain 32-bit loads by lane/4 and lane%4,
// A and B straight from global memory.
//
// RUN: %prove --launch %S/hand_built.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s --check-prefix=TIER
// TIER-NOT: is not native
// TIER: native {{.*}} native
#include <cuda_fp16.h>
#include <cuda_runtime.h>

typedef unsigned int uint;

static __device__ __forceinline__ uint word(const half *p) {
  return *reinterpret_cast<const uint *>(p);
}

__global__ void __launch_bounds__(64) byHand(const half *x, const half *w, float *y, int rows, int cols, int depth) {
  const int lane = threadIdx.x & (32 - 1);
  const int wid = threadIdx.x >> 5;
  const int g = lane / 4, t = lane % 4;
  const int row = blockIdx.x * 64 + wid * 32, col = blockIdx.y * 16;

  float d[2][2][4] = {};
  for (int k = 0; k < depth; k += 16) {
    uint a[2][4], b[2][2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
      const half *p = x + (row + i * 16 + g) * depth + k + t * 2;
      a[i][0] = word(p);
      a[i][1] = word(p + 8 * depth);
      a[i][2] = word(p + 8);
      a[i][3] = word(p + 8 * depth + 8);
    }
#pragma unroll
    for (int j = 0; j < 2; j++) {
      const half *p = w + (col + j * 8 + g) * depth + k + t * 2;
      b[j][0] = word(p);
      b[j][1] = word(p + 8);
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
      for (int j = 0; j < 2; j++)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, {%0,%1,%2,%3};"
            : "+f"(d[i][j][0]), "+f"(d[i][j][1]), "+f"(d[i][j][2]), "+f"(d[i][j][3])
            : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j][0]), "r"(b[j][1]));
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      float *p = y + (row + i * 16 + g) * cols + col + j * 8 + t * 2;
      p[0] = d[i][j][0];
      p[1] = d[i][j][1];
      p[8 * cols] = d[i][j][2];
      p[8 * cols + 1] = d[i][j][3];
    }
}
