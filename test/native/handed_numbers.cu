// A function that multiplies is handed where the warp and the lane stand, beside a stage that takes
// turns: no lane is asked for its own, the numbers are said by those that the operand is read for.
//
// RUN: %prove --launch %S/handed_numbers.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.one.hip --target gfx942
// RUN: %ported %t.one.hip | FileCheck %s
// CHECK: void multiply(const Stage &stage, float (&acc)[2][2][4], int wm, int wn,
// CHECK-NEXT: int lane) {
// CHECK: &stage.a[wm + i * 16 + lane % 16][kk + lane / 16 * 8]
// CHECK: const int wn = warp % 2 * 16;
// CHECK-NOT: of_thread
// CHECK-NOT: of_warp
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

struct Stage {
  half a[64][40], b[32][40];
};

__device__ __forceinline__ uint32_t address(const void *p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ void multiply(const Stage &stage, float (&acc)[2][2][4], int wm, int wn,
                                         int lane) {
  for (int kk = 0; kk < 32; kk += 16) {
    uint32_t a[2][4], b[4];
#pragma unroll
    for (int i = 0; i < 2; ++i)
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(a[i][0]), "=r"(a[i][1]), "=r"(a[i][2]), "=r"(a[i][3])
                   : "r"(address(&stage.a[wm + i * 16 + lane % 16][kk + lane / 16 * 8])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3])
                 : "r"(address(&stage.b[wn + lane / 16 * 8 + lane % 8][kk + lane / 8 % 2 * 8])));
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                     "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]),
                       "+f"(acc[i][j][3])
                     : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[2 * j]),
                       "r"(b[2 * j + 1]));
  }
}

__device__ __forceinline__ void copy(Stage &stage, const half *A, const half *B, int k) {
  for (int i = threadIdx.x; i < 96 * 4; i += 128)
    if (i < 64 * 4)
      *(uint4 *)&stage.a[i / 4][i % 4 * 8] = *(const uint4 *)&A[i / 4 * k + i % 4 * 8];
    else
      *(uint4 *)&stage.b[i / 4 - 64][i % 4 * 8] = *(const uint4 *)&B[(i / 4 - 64) * k + i % 4 * 8];
}

// Tile after tile, in a loop that nobody counts.
__global__ void __launch_bounds__(128) persistent(const half *A, const half *B, float *C, int n,
                                                  int k, int tiles) {
  __shared__ __align__(16) Stage stages[2];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 32, wn = warp % 2 * 16;
  int tile = blockIdx.x;
  while (tile < tiles) {
    const int m0 = tile / (n / 32) * 64, n0 = tile % (n / 32) * 32;
    float acc[2][2][4] = {};
    copy(stages[0], A + m0 * k, B + n0 * k, k);
    for (int step = 0; step < k / 32; ++step) {
      const int now = step & 1;
      __syncthreads();
      if (step + 1 < k / 32)
        copy(stages[now ^ 1], A + m0 * k + (step + 1) * 32, B + n0 * k + (step + 1) * 32, k);
      multiply(stages[now], acc, wm, wn, lane);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        float *to = C + (m0 + wm + i * 16 + lane / 4) * n + n0 + wn + j * 8 + lane % 4 * 2;
        *(float2 *)to = make_float2(acc[i][j][0], acc[i][j][1]);
        *(float2 *)(to + 8 * n) = make_float2(acc[i][j][2], acc[i][j][3]);
      }
    tile += gridDim.x;
  }
}
