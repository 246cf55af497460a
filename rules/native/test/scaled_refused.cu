// What a function that changes an operand's registers may not be handed: a value that is made of
// those registers and of the thread's index at once, an index, a place to write to or to read from;
// and it may not ask for the index itself. By name and reason.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

struct FragB {
  half2 h[2];
};
__device__ uint32_t word(const half *p) { return *reinterpret_cast<const uint32_t *>(p); }
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const FragB &f) {
  const uint32_t *b = reinterpret_cast<const uint32_t *>(&f);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ FragB four(int q) {
  FragB b;
  b.h[0] = __floats2half2_rn(q & 15, q >> 4 & 15);
  b.h[1] = __floats2half2_rn(q >> 8 & 15, q >> 12 & 15);
  return b;
}
__device__ FragB scaled(FragB b, float s) {
  b.h[0] = __hmul2(b.h[0], __float2half2_rn(s));
  b.h[1] = __hmul2(b.h[1], __float2half2_rn(s));
  return b;
}
__device__ FragB scaledFrom(FragB b, const float *s) { return scaled(b, *s); }
__device__ FragB scaledInto(FragB b, float &s) {
  s *= 2;
  return scaled(b, s);
}
__device__ FragB scaledByLane(FragB b, float s) { return scaled(b, s + threadIdx.x % 2); }
__device__ FragB scaledAcross(FragB b, float s) {
  return scaled(b, s + __shfl_xor_sync(~0u, s, 1));
}

#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(64) name(const half *A, int *P, float *S, float *C)
#define SETUP                                                                                      \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;          \
  float d[4] = {};                                                                                 \
  const half *p = A + (warp * 16 + g) * 16 + t * 2;
#define STORE                                                                                      \
  for (int r = 0; r < 4; ++r)                                                                      \
    C[r * 64 + threadIdx.x] = d[r];

// CHECK-DAG: ofTheRead keeps 'b.h' in CUDA's layout and moves it for each product: operand B of mma.m16n8k16.f16 is neither read by ldmatrix nor put together in one place
KERNEL(ofTheRead) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  const int q = P[g * 4 + t];
  FragB b = four(q);
  b = scaled(b, S[g + (q & 1)]);
  mma(d, a, b);
  STORE
}

// CHECK-DAG: byIndex keeps 'b.h' in CUDA's layout and moves it for each product: operand B of mma.m16n8k16.f16 is neither read by ldmatrix nor put together in one place
KERNEL(byIndex) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  const int q = P[g * 4 + t];
  FragB b = four(q);
  b = scaled(b, lane);
  mma(d, a, b);
  STORE
}

// CHECK-DAG: byPointer keeps 'b.h' in CUDA's layout and moves it for each product: operand B of mma.m16n8k16.f16 is neither read by ldmatrix nor put together in one place
KERNEL(byPointer) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  const int q = P[g * 4 + t];
  FragB b = four(q);
  b = scaledFrom(b, S + g);
  mma(d, a, b);
  STORE
}

// CHECK-DAG: written keeps 'b.h' in CUDA's layout and moves it for each product: operand B of mma.m16n8k16.f16 is neither read by ldmatrix nor put together in one place
KERNEL(written) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  const int q = P[g * 4 + t];
  FragB b = four(q);
  b = scaledInto(b, S[g]);
  mma(d, a, b);
  STORE
}

// CHECK-DAG: byTheThread keeps 'b.h' in CUDA's layout and moves it for each product: operand B of mma.m16n8k16.f16 is neither read by ldmatrix nor put together in one place
KERNEL(byTheThread) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  const int q = P[g * 4 + t];
  FragB b = four(q);
  b = scaledByLane(b, S[g]);
  mma(d, a, b);
  STORE
}

// CHECK-DAG: acrossLanes keeps 'b.h' in CUDA's layout and moves it for each product: operand B of mma.m16n8k16.f16 is neither read by ldmatrix nor put together in one place
KERNEL(acrossLanes) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  const int q = P[g * 4 + t];
  FragB b = four(q);
  b = scaledAcross(b, S[g]);
  mma(d, a, b);
  STORE
}

// CHECK-DAG: keptToo keeps 'b.h' in CUDA's layout and moves it for each product: operand B of mma.m16n8k16.f16 is neither read by ldmatrix nor put together in one place
KERNEL(keptToo) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  const int q = P[g * 4 + t];
  FragB b = four(q);
  b = scaled(b, S[g]);
  mma(d, a, b);
  STORE
  C[threadIdx.x] += __low2float(b.h[0]);
}

// The lanes do not agree on whether it is scaled.
// CHECK-DAG: onCondition keeps 'b.h' in CUDA's layout and moves it for each product: operand B of mma.m16n8k16.f16 is neither read by ldmatrix nor put together in one place
KERNEL(onCondition) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  const int q = P[g * 4 + t];
  FragB b = four(q);
  if (t == 0)
    b = scaled(b, S[g]);
  mma(d, a, b);
  STORE
}
