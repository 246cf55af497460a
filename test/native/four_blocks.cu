// Volta's m8n8k4: each quad pair of a warp multiplies 8 x 8 x 4 by itself. Operands put together by
// hand from shared memory, sums in f32 and in f16, a warp of 16 x 16.
//
// RUN: %prove --launch %S/four_blocks.yaml 2>&1 | FileCheck %s
// CHECK-NOT: {{refuted|: manual:|could not|tensor-mma|is not native}}
// CHECK: two MFMAs of 4x4 blocks for two warps' worth
// CHECK-NOT: {{refuted|: manual:|could not|tensor-mma|is not native}}
// CHECK: compiled: gfx90a yes gfx942 yes gfx950 yes
// CHECK: verify gfx90a: proved:
// CHECK: verify gfx942: proved:
// CHECK: verify gfx950: proved:
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ inline void mma884(float (&d)[8], const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, "
               "{%8,%9}, {%10,%11}, {%0,%1,%2,%3,%4,%5,%6,%7};\n"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
                 "+f"(d[6]), "+f"(d[7])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
}

// 2 x 2 warps. Quad pair q has rows q % 2 * 8 and columns q / 2 * 8 of its warp's tile.
__global__ void __launch_bounds__(128) hgemm884(const half *A, const half *B, float *C, int n, int k) {
  __shared__ half sA[32][16 + 8], sB[32][16 + 8];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int q = lane / 4 % 4, in = lane % 4 + lane / 16 * 4;
  const int wm = warp / 2 * 16 + q % 2 * 8, wn = warp % 2 * 16 + q / 2 * 8;
  float acc[8] = {};
  for (int k0 = 0; k0 < k; k0 += 16) {
    for (int v = threadIdx.x; v < 32 * 4; v += 128) {
      *(int2 *)&sA[v / 4][v % 4 * 4] = *(const int2 *)&A[(blockIdx.y * 32 + v / 4) * k + k0 + v % 4 * 4];
      *(int2 *)&sB[v / 4][v % 4 * 4] = *(const int2 *)&B[(blockIdx.x * 32 + v / 4) * k + k0 + v % 4 * 4];
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 16; kk += 4) {
      uint32_t a[2], b[2];
      a[0] = *(const uint32_t *)&sA[wm + in][kk];
      a[1] = *(const uint32_t *)&sA[wm + in][kk + 2];
      b[0] = *(const uint32_t *)&sB[wn + in][kk];
      b[1] = *(const uint32_t *)&sB[wn + in][kk + 2];
      mma884(acc, a, b);
    }
    __syncthreads();
  }
  for (int e = 0; e < 8; e++) {
    const int row = (lane & 1) + (e & 2) + lane / 16 * 4, col = (e & 1) + (lane & 2) + (e & 4);
    C[(blockIdx.y * 32 + wm + row) * n + blockIdx.x * 32 + wn + col] = acc[e];
  }
}

// Sums in f16, two a register: a lane has one row.
__global__ void __launch_bounds__(64) hgemm884h(const half *A, const half *B, half *C, int n, int k) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int q = lane / 4 % 4, in = lane % 4 + lane / 16 * 4;
  const int m = (blockIdx.y * 2 + warp) * 8, col = blockIdx.x * 32 + q * 8;
  uint32_t acc[2][4] = {};
  for (int k0 = 0; k0 < k; k0 += 8)
    for (int s = 0; s < 2; s++) {
      const uint2 a = *(const uint2 *)&A[(m + in) * k + k0 + s * 4];
      const uint2 b = *(const uint2 *)&B[(col + in) * k + k0 + s * 4];
      asm volatile("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%0,%1,%2,%3}, "
                   "{%4,%5}, {%6,%7}, {%0,%1,%2,%3};\n"
                   : "+r"(acc[s][0]), "+r"(acc[s][1]), "+r"(acc[s][2]), "+r"(acc[s][3])
                   : "r"(a.x), "r"(a.y), "r"(b.x), "r"(b.y));
    }
  for (int e = 0; e < 4; e++)
    *(half2 *)&C[(m + in) * n + col + e * 2] =
        __hadd2(*(half2 *)&acc[0][e], *(half2 *)&acc[1][e]);
}
