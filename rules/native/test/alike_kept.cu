// Structs in an epilogue that are not the same for all threads, or may not be: each keeps the
// author's epilogue, behind a conversion, by name and reason.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s \
// RUN:   --implicit-check-not='{{(byAsm|givenOut) keeps}}'
#include <cuda_fp16.h>
#include <stdint.h>

__device__ uint32_t word(const half *p) { return *reinterpret_cast<const uint32_t *>(p); }
__device__ void mma(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

struct Place {
  int row, column;
};
struct Places {
  int at;
  __device__ Places(int first) : at(first) {}
  __device__ void next() { at += 16; }
  __device__ int &place() { return at; }
  __device__ Place now() const { return {at, 0}; }
  __device__ Place ofLane() const { return {at + int(threadIdx.x % 2) * 512, 0}; }
  __device__ Place byAsm() const {
    int row;
    asm("mov.u32 %0, %1;" : "=r"(row) : "r"(at));
    return {row, 0};
  }
};

#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(64)                                                            \
      name(const half *A, const half *B, float *__restrict__ C, int first)
#define SETUP                                                                                      \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;          \
  const half *p = A + (warp * 16 + g) * 16 + t * 2, *q = B + g * 16 + t * 2;                       \
  float c[4] = {};

// CHECK-DAG: note: ofLane keeps its epilogue, behind a conversion of 'c': whether each element is written to a place of its own is not clear
KERNEL(ofLane) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  uint32_t b[2] = {word(q), word(q + 8)};
  Places places(first);
  const Place place = places.ofLane();
  mma(c, a, b);
  *(float2 *)&C[(place.row + warp * 16 + g) * 8 + t * 2] = make_float2(c[0], c[1]);
  *(float2 *)&C[(place.row + warp * 16 + g + 8) * 8 + t * 2] = make_float2(c[2], c[3]);
}

// CHECK-DAG: note: onCondition keeps its epilogue, behind a conversion of 'c': the epilogue uses 'places', which cannot be computed anew for another lane
KERNEL(onCondition) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  uint32_t b[2] = {word(q), word(q + 8)};
  Places places(first);
  if (lane % 2)
    places.next();
  const Place place = places.now();
  mma(c, a, b);
  *(float2 *)&C[(place.row + warp * 16 + g) * 8 + t * 2] = make_float2(c[0], c[1]);
  *(float2 *)&C[(place.row + warp * 16 + g + 8) * 8 + t * 2] = make_float2(c[2], c[3]);
}

KERNEL(givenOut) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  uint32_t b[2] = {word(q), word(q + 8)};
  Places places(first);
  places.place() = lane * 64;
  const Place place = places.now();
  mma(c, a, b);
  *(float2 *)&C[(place.row + warp * 16 + g) * 8 + t * 2] = make_float2(c[0], c[1]);
  *(float2 *)&C[(place.row + warp * 16 + g + 8) * 8 + t * 2] = make_float2(c[2], c[3]);
}

// Results stay where they lie: it is read as if it stood between two products.
KERNEL(byAsm) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  uint32_t b[2] = {word(q), word(q + 8)};
  Places places(first);
  const Place place = places.byAsm();
  mma(c, a, b);
  *(float2 *)&C[(place.row + warp * 16 + g) * 8 + t * 2] = make_float2(c[0], c[1]);
  *(float2 *)&C[(place.row + warp * 16 + g + 8) * 8 + t * 2] = make_float2(c[2], c[3]);
}

// CHECK-DAG: note: seenAsWords keeps its epilogue, behind a conversion of 'c': 'place' is kept in registers by lane
KERNEL(seenAsWords) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  uint32_t b[2] = {word(q), word(q + 8)};
  Place place = {first, 0};
  reinterpret_cast<int *>(&place)[0] += lane;
  mma(c, a, b);
  *(float2 *)&C[(place.row + warp * 16 + g) * 8 + t * 2] = make_float2(c[0], c[1]);
  *(float2 *)&C[(place.row + warp * 16 + g + 8) * 8 + t * 2] = make_float2(c[2], c[3]);
}
