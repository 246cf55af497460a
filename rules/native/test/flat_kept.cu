// Elements of tiles in one array that an epilogue numbers in another way than the products do, or
// by a value that is not a loop's counter: kept behind a conversion, by name and reason.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s \
// RUN:   --implicit-check-not='{{(oneLoop|acrossTiles|ofTemplate) keeps}}'
#include <cuda_fp16.h>
#include <stdint.h>

__device__ uint32_t word(const half *p) { return *reinterpret_cast<const uint32_t *>(p); }
__device__ void mma(float *c, const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(64)                                                            \
      name(const half *__restrict__ A, const half *__restrict__ B, float *__restrict__ C, int n)
#define SETUP                                                                                      \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;          \
  const half *p = A + (warp * 16 + g) * 16 + t * 2, *q = B + g * 16 + t * 2;

// One loop over what the products have as two, and two tiles that share an MFMA.
// Results stay where they lie: it is read as if it stood between two products.
KERNEL(oneLoop) {
  SETUP
  float c[16] = {};
  for (int k = 0; k < n; ++k, p += 1024, q += 256)
    for (int i = 0; i < 2; ++i) {
      uint32_t a[4] = {word(p + i * 512), word(p + 128 + i * 512), word(p + 8 + i * 512),
                       word(p + 136 + i * 512)};
      for (int j = 0; j < 2; ++j) {
        uint32_t b[2] = {word(q + j * 128), word(q + j * 128 + 8)};
        mma(c + (i * 2 + j) * 4, a, b);
      }
    }
  for (int v = 0; v < 4; ++v)
    for (int e = 0; e < 4; ++e)
      C[(v / 2 * 32 + warp * 16 + g + e / 2 * 8) * 16 + v % 2 * 8 + t * 2 + e % 2] = c[v * 4 + e];
}

// Results stay where they lie: it is read as if it stood between two products.
KERNEL(acrossTiles) {
  SETUP
  float c[8] = {};
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  for (int j = 0; j < 2; ++j) {
    uint32_t b[2] = {word(q + j * 128), word(q + j * 128 + 8)};
    mma(c + j * 4, a, b);
  }
  for (int v = 0; v < 4; ++v)
    for (int e = 0; e < 2; ++e)
      C[(warp * 16 + g + v % 2 * 8) * 16 + v / 2 * 8 + t * 2 + e] = c[v * 2 + e];
}

// CHECK-DAG: note: byNumber keeps its epilogue, behind a conversion of 'c': its tiles lie in one flat array
KERNEL(byNumber) {
  SETUP
  float c[8] = {};
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  for (int j = 0; j < 2; ++j) {
    uint32_t b[2] = {word(q + j * 128), word(q + j * 128 + 8)};
    mma(c + j * 4, a, b);
  }
  for (int e = 0; e < 4; ++e)
    C[(warp * 16 + g + e / 2 * 8) * 16 + n * 8 + t * 2 + e % 2] = c[n * 4 + e];
}

// The numbers of another instance would be others.
// Results stay where they lie: it is read as if it stood between two products.
template <int kTiles>
__global__ void __launch_bounds__(64)
    ofTemplate(const half *__restrict__ A, const half *__restrict__ B, float *__restrict__ C, int n) {
  SETUP
  float c[16] = {};
  for (int i = 0; i < 2; ++i) {
    uint32_t a[4] = {word(p + i * 512), word(p + 128 + i * 512), word(p + 8 + i * 512),
                     word(p + 136 + i * 512)};
    for (int j = 0; j < 2; ++j) {
      uint32_t b[2] = {word(q + j * 128), word(q + j * 128 + 8)};
      mma(c + (i * 2 + j) * 4, a, b);
    }
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        C[(i * 32 + warp * 16 + g + e / 2 * 8) * 16 + j * 8 + t * 2 + e % 2] =
            c[(i * kTiles + j) * 4 + e];
}
template __global__ void ofTemplate<2>(const half *, const half *, float *, int);
