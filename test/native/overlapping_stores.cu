// What a thread writes in one turn may lie in part where it writes in another: the order of its
// turns counts then, and the sums go back to CUDA's layout.
//
// RUN: %prove --launch %S/overlapping_stores.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t word(const half *p) { return *(const uint32_t *)p; }
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
struct alignas(4) Two {
  float x, y;
};

// CHECK: note: pairs keeps its epilogue, behind a conversion of 'c': several elements are written to one place (
__global__ void __launch_bounds__(64) pairs(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    const half *p = A + (warp * 16 + g) * K + k + t * 2;
    uint32_t a[4] = {word(p), word(p + 8 * K), word(p + 8), word(p + 8 * K + 8)};
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + g) * K + k + t * 2;
      uint32_t b[2] = {word(q), word(q + 8)};
      mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 2; ++j) { // the second pair begins where the first one ends
    float *p = C + ((warp * 16 + g) * 4 + t) * 8 + j;
    *(Two *)p = Two{c[j][0], c[j][1]};
    *(Two *)(p + 8 * 32) = Two{c[j][2], c[j][3]};
  }
}

// CHECK: note: arms keeps its epilogue, behind a conversion of 'c': several elements are written to one place (
__global__ void __launch_bounds__(64) arms(const half *A, const half *B, float *C, int K, int n) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    const half *p = A + (warp * 16 + g) * K + k + t * 2;
    uint32_t a[4] = {word(p), word(p + 8 * K), word(p + 8), word(p + 8 * K + 8)};
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + g) * K + k + t * 2;
      uint32_t b[2] = {word(q), word(q + 8)};
      mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 2; ++j) {
    float *p = C + ((warp * 16 + g) * 4 + t) * 8 + j;
    if (j < n)
      *(Two *)p = Two{c[j][0], c[j][1]};
    else
      p[0] = c[j][0];
    if (j < n)
      *(Two *)(p + 256) = Two{c[j][2], c[j][3]};
    else
      p[256] = c[j][2];
  }
}
