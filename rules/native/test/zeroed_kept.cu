// Chains of vectors that are not all of constants, or not of one: the sums begin as they stand.
// RUN: %layout-port %s -o %t.hip --target gfx90a,gfx942,gfx950 --verify --launch %S/Inputs/zeroed_kept.yaml 2>&1 | FileCheck %s
//
// CHECK-NOT: is not native
// CHECK: verify gfx90a: proved
// CHECK: verify gfx942: proved
// CHECK: verify gfx950: proved
#include <cuda_fp16.h>
#include <stdint.h>

struct Sum {
  float x[4];
};
struct Quad {
  float x, y, z, w;
  __device__ Quad &operator=(float4 v) {
    x = v.x + threadIdx.x;
    y = z = w = v.y;
    return *this;
  }
};

__device__ uint32_t word(const half *p) { return *reinterpret_cast<const uint32_t *>(p); }
__device__ void mma(float *c, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void mma(float4 &c, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c.x), "+f"(c.y), "+f"(c.z), "+f"(c.w)
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(64) name(const half *A, const half *B, float *C)
#define SETUP                                                                                      \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;          \
  const half *p = A + (warp * 16 + g) * 16 + t * 2, *q = B + g * 16 + t * 2;

// A thread adds its own number to one sum, a second one begins with ones.
KERNEL(partOfChain) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  uint32_t b[2] = {word(q), word(q + 8)};
  float4 c[2], d[2];
  d[0] = d[1] = make_float4(0.f, 0.f, 0.f, threadIdx.x);
  for (int j = 0; j < 2; ++j)
    c[j] = d[1] = make_float4(0.f, 0.f, 0.f, 0.f);
  d[1] = make_float4(1.f, 1.f, 1.f, 1.f);
  for (int j = 0; j < 2; ++j) {
    mma(c[j], a, b);
    mma(d[j], a, b);
  }
  for (int j = 0; j < 2; ++j)
    C[j * 64 + threadIdx.x] = c[j].x + c[j].y + c[j].z + c[j].w + d[j].x + d[j].y + d[j].z + d[j].w;
}

KERNEL(otherNumbers) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  uint32_t b[2] = {word(q), word(q + 8)};
  float4 c[2], d[2];
  for (int j = 0; j < 2; ++j)
    c[j] = d[j] = make_float4(0.f, 0.f, 1.f, 0.f);
  for (int j = 0; j < 2; ++j) {
    mma(c[j], a, b);
    mma(d[j], a, b);
  }
  for (int j = 0; j < 2; ++j)
    C[j * 64 + threadIdx.x] = c[j].x + c[j].y + c[j].z + c[j].w + d[j].x + d[j].y + d[j].z + d[j].w;
}

KERNEL(fewerWords) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  uint32_t b[2] = {word(q), word(q + 8)};
  Sum c[2];
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      c[j].x[e] = 2.f;
  for (int i = 0; i < 7; ++i)
    reinterpret_cast<float *>(c)[i] = 0;
  for (int j = 0; j < 2; ++j)
    mma(c[j].x, a, b);
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[j * 256 + e * 64 + threadIdx.x] = c[j].x[e];
}

KERNEL(everySecond) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  uint32_t b[2] = {word(q), word(q + 8)};
  Sum c[2];
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      c[j].x[e] = 2.f;
  for (int i = 0; i < 8; i += 2)
    reinterpret_cast<float *>(c)[i] = 0;
  for (int j = 0; j < 2; ++j)
    mma(c[j].x, a, b);
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[j * 256 + e * 64 + threadIdx.x] = c[j].x[e];
}

KERNEL(perRow) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  uint32_t b[2] = {word(q), word(q + 8)};
  Sum c[2];
  for (int i = 0; i < 8; ++i)
    reinterpret_cast<float *>(c)[i] = i;
  for (int j = 0; j < 2; ++j)
    mma(c[j].x, a, b);
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[j * 256 + e * 64 + threadIdx.x] = c[j].x[e];
}
