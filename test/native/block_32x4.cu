// The lane is threadIdx.x and the warp threadIdx.y: block (32, 4), two warps along each axis.
//
// RUN: %prove --launch %S/block_32x4.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdint>

__global__ void __launch_bounds__(128) block32x4(half *out, const half *lhs, const half *rhs, int columns, int depth) {
  __shared__ __align__(16) half left[32][32], right[32][32];
  const int row = threadIdx.y * 8 + threadIdx.x / 4, chunk = threadIdx.x % 4;
  const int slot = (chunk ^ row / 2 % 4) * 8;
  const int wm = (threadIdx.y & 1) * 16, wn = (threadIdx.y >> 1) * 16;
  float c[2][4] = {{0.f}, {0.f}};
  for (int k = 0; k < depth; k += 32) {
    *(float4 *)&left[row][slot] =
        *(const float4 *)&lhs[(blockIdx.y * 32 + row) * depth + k + chunk * 8];
    *(float4 *)&right[row][slot] =
        *(const float4 *)&rhs[(blockIdx.x * 32 + row) * depth + k + chunk * 8];
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 2; ++kk) {
      uint32_t a[4], b[2];
      const int ra = wm + threadIdx.x % 16, ca = kk * 2 + threadIdx.x / 16;
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                   : "r"((uint32_t)__cvta_generic_to_shared(&left[ra][(ca ^ ra / 2 % 4) * 8])));
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const int rb = wn + j * 8 + threadIdx.x % 8, cb = kk * 2 + threadIdx.x / 8 % 2;
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                     : "=r"(b[0]), "=r"(b[1])
                     : "r"((uint32_t)__cvta_generic_to_shared(&right[rb][(cb ^ rb / 2 % 4) * 8])));
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                     "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
      }
    }
    __syncthreads();
  }
  half *p = out + (blockIdx.y * 32 + wm + threadIdx.x / 4) * columns + blockIdx.x * 32 + wn +
            threadIdx.x % 4 * 2;
  for (int j = 0; j < 2; ++j) {
    *(half2 *)(p + j * 8) = __floats2half2_rn(c[j][0], c[j][1]);
    *(half2 *)(p + j * 8 + 8 * columns) = __floats2half2_rn(c[j][2], c[j][3]);
  }
}
