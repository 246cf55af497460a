// Second operands that functions put together: one reads the warp's number itself, though it is handed
// the same in both warps; of another, which word is changed hangs on the tile's number.
//
// RUN: %prove --launch %S/words_by_tile.yaml 2>&1 | FileCheck %S/Inputs/native_halves_proved.txt
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>
__device__ inline uint32_t word(const half *p) { return *(const uint32_t *)p; }
struct FragA { uint32_t x[4]; };
struct FragB { uint32_t x[2]; };
struct FragC { float x[4]; };
__device__ __forceinline__ FragC mma(FragA a, FragB b, FragC c) {
  FragC d;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
    : "=f"(d.x[0]), "=f"(d.x[1]), "=f"(d.x[2]), "=f"(d.x[3]) : "r"(a.x[0]), "r"(a.x[1]), "r"(a.x[2]), "r"(a.x[3]), "r"(b.x[0]), "r"(b.x[1]), "f"(c.x[0]), "f"(c.x[1]), "f"(c.x[2]), "f"(c.x[3]));
  return d;
}
__device__ inline FragA loadA(const half *p, int ld) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4 * 2;
  FragA a;
  a.x[0] = word(p + g * ld + t); a.x[1] = word(p + (g + 8) * ld + t);
  a.x[2] = word(p + g * ld + t + 8); a.x[3] = word(p + (g + 8) * ld + t + 8);
  return a;
}
__device__ inline FragB loadOfWarp(const half *p, int ld) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4 * 2;
  FragB b;
  const int col = threadIdx.x / 32 % 2 * 16;
  b.x[0] = word(p + (col + g) * ld + t);
  b.x[1] = word(p + (col + g) * ld + t + 8);
  return b;
}

__global__ void columnsOfWarp(const half *__restrict__ A, const half *__restrict__ B, float *C, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4 * 2;
  FragC c[2] = {};
  for (int k = 0; k < K; k += 16) {
    FragA a = loadA(A + (blockIdx.y * 32 + warp / 2 * 16) * K + k, K);
    for (int j = 0; j < 2; ++j) {
      FragB b = loadOfWarp(B + (blockIdx.x * 32 + j * 8) * K + k, K);
      c[j] = mma(a, b, c[j]);
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.y * 32 + warp / 2 * 16 + g + e / 2 * 8) * N + blockIdx.x * 32 + warp % 2 * 16 + j * 8 + t + e % 2] = c[j].x[e];
}

__device__ inline FragB loadB(const half *p, int ld) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4 * 2;
  FragB b;
  b.x[0] = word(p + g * ld + t); b.x[1] = word(p + g * ld + t + 8);
  return b;
}

__global__ void wordByTile(const half *__restrict__ A, const half *__restrict__ B, float *C, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4 * 2;
  FragC c[4] = {};
  for (int k = 0; k < K; k += 16) {
    FragA a = loadA(A + (blockIdx.y * 64 + warp * 16) * K + k, K);
    for (int j = 0; j < 4; ++j) {
      FragB b = loadB(B + (blockIdx.x * 32 + j * 8) * K + k, K);
      b.x[j % 2] ^= 0x80008000;
      c[j] = mma(a, b, c[j]);
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.y * 64 + warp * 16 + g + e / 2 * 8) * N + blockIdx.x * 32 + j * 8 + t + e % 2] = c[j].x[e];
}
