// Sums that are not zeroed as they seem to be: part of a chain, part of the words, by another number,
// through an operator of the author's; and objects whose constructors hand the sums on, or set them
// where nothing follows. By name and reason.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
// RUN: %ported %t.hip | FileCheck %s --check-prefix=OUT
// OUT-NOT: {{mma_.*}}_wave(
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

// CHECK-DAG: ownOperator is not native: an operand of mma.m16n8k16.f16 is not a register of a fragment variable
KERNEL(ownOperator) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  uint32_t b[2] = {word(q), word(q + 8)};
  Quad c[2];
  for (int j = 0; j < 2; ++j)
    c[j] = make_float4(0.f, 0.f, 0.f, 0.f);
  for (int j = 0; j < 2; ++j)
    mma(&c[j].x, a, b);
  for (int j = 0; j < 2; ++j)
    C[j * 64 + threadIdx.x] = c[j].x + c[j].y + c[j].z + c[j].w;
}

// Only the first register of the sums has the constant that the loop's elements get.
// CHECK-DAG: besideElements is not native: 'c' is used between the products: rows r and r + 8 of a tile are not treated alike in 'd'
KERNEL(besideElements) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  uint32_t b[2] = {word(q), word(q + 8)};
  float c[4], d[4] = {};
  for (float &x : c)
    x = d[0] = 1.f;
  mma(c, a, b);
  mma(d, a, b);
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e] + d[e];
}

// The object knows its sums by another name, too.
struct Known {
  float sums[2][4];
  float *first;
  __device__ Known() : sums{}, first(sums[0]) {}
};
// CHECK-DAG: knownByPointer is not native: the registers of 'c.sums' begin with different values
KERNEL(knownByPointer) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  uint32_t b[2] = {word(q), word(q + 8)};
  Known c;
  c.first[threadIdx.x % 8] = 1.f;
  for (int j = 0; j < 2; ++j)
    mma(c.sums[j], a, b);
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[j * 256 + e * 64 + threadIdx.x] = c.sums[j][e];
}

struct Numbered {
  int count;
  float sums[2][4];
  __device__ Numbered(int n) : count(n), sums{{1, 2, 3, 4}, {5, 6, 7, 8}} {}
};
// CHECK-DAG: numbered is not native: the registers of 'c.sums' begin with different values
KERNEL(numbered) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  uint32_t b[2] = {word(q), word(q + 8)};
  Numbered c(lane);
  for (int j = 0; j < 2; ++j)
    mma(c.sums[j], a, b);
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[j * 256 + e * 64 + threadIdx.x] = c.sums[j][e] + c.count;
}

// Its body is left early, and not followed.
struct Left {
  int count;
  float sums[2][4];
  __device__ Left(int n) : count(n) {
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e) {
        if (e == n)
          break;
        sums[j][e] = n + e;
      }
  }
};
// CHECK-DAG: leftEarly is not native: the registers of 'c.sums' begin with different values
KERNEL(leftEarly) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  uint32_t b[2] = {word(q), word(q + 8)};
  Left c(lane);
  for (int j = 0; j < 2; ++j)
    mma(c.sums[j], a, b);
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[j * 256 + e * 64 + threadIdx.x] = c.sums[j][e];
}
