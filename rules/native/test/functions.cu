// Fragments handled in functions and lambdas of several instructions: ported where they
// stand, for all who call them, or for nobody.
// RUN: %layout-port %s -o %t.hip --target gfx942 > %t.log 2>&1
// RUN: FileCheck %s < %t.log
// RUN: %ported %t.hip | FileCheck %s --check-prefix=TEXT
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t (&r)[4], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
}
__device__ void ldsm2(uint32_t (&r)[2], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#define SETUP                                                                                      \
  __shared__ half s[1024];                                                                         \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);                                     \
  float c[2][4] = {};                                                                              \
  uint32_t a[2][4], b[2];

// TEXT-LABEL: loadTwo(
// TEXT: lp::load_a(r[i], [&](int lane, int warp) {
__device__ void loadTwo(uint32_t (&r)[2][4], uint32_t tile) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = 0; i < 2; ++i)
    ldsm4(r[i], tile + warp * 1024 + i * 512 + lane * 16);
}

// TEXT-LABEL: twoTiles(
// TEXT: loadTwo(a, base);
// TEXT: auto multiply = [&](int i) { lp::mma_m16n8k16_f32_f16_wave(c[i], a[i], b); };
// TEXT: for (int i = 0; i < 2; ++i)
// TEXT-NEXT: multiply(i);
// TEXT-NEXT: lp::each_pair(c[0], c[1], [&](int lane, int warp, int lower, const auto &v, const auto &v2) {
__global__ void __launch_bounds__(64) twoTiles(float *C) {
  SETUP
  loadTwo(a, base);
  ldsm2(b, base + lane % 16 * 16);
  auto multiply = [&](int i) { mma(c[i], a[i], b); };
  for (int i = 0; i < 2; ++i)
    multiply(i);
  C[threadIdx.x] = c[0][0] + c[1][0];
}

__device__ void shared(float (&d)[2][4], const uint32_t (&a)[2][4], const uint32_t (&b)[2]) {
  for (int i = 0; i < 2; ++i)
    mma(d[i], a[i], b);
}

// CHECK-DAG: alike is not native: it shares a function that handles fragments with 'otherwise', which is not ported alike
__global__ void __launch_bounds__(64) alike(float *C) {
  SETUP
  for (int i = 0; i < 2; ++i)
    ldsm4(a[i], base + warp * 1024 + i * 512 + lane * 16);
  ldsm2(b, base + lane % 16 * 16);
  shared(c, a, b);
  C[threadIdx.x] = c[0][0];
}

// CHECK-DAG: otherwise is not native: 'c' is used between the products
__global__ void __launch_bounds__(64) otherwise(float *C) {
  SETUP
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < 2; ++i)
      ldsm4(a[i], base + warp * 1024 + i * 512 + lane * 16);
    ldsm2(b, base + lane % 16 * 16);
    shared(c, a, b);
    c[0][0] *= 0.5f;
  }
  C[threadIdx.x] = c[0][0];
}

// The place is another for each lane: the one whose rows are read is asked for it.
// TEXT-LABEL: loadAt(
// TEXT: lp::load_a(r[i], [&, at_ = at](int lane, int warp) {
// TEXT-NEXT: const auto at = lp::of_thread(at_, lane, warp);
// TEXT-NEXT: return at + i * 512;
__device__ void loadAt(uint32_t (&r)[2][4], uint32_t at) {
  for (int i = 0; i < 2; ++i)
    ldsm4(r[i], at + i * 512);
}

// CHECK-NOT: handed is not native
__global__ void __launch_bounds__(64) handed(float *C) {
  SETUP
  loadAt(a, base + warp * 1024 + lane * 16);
  ldsm2(b, base + lane % 16 * 16);
  mma(c[0], a[0], b);
  mma(c[1], a[1], b);
  C[threadIdx.x] = c[0][0];
}

// CHECK-DAG: copied is not native: fragments are multiplied in a lambda that captures them by copy
__global__ void __launch_bounds__(64) copied(float *C) {
  SETUP
  for (int i = 0; i < 2; ++i)
    ldsm4(a[i], base + warp * 1024 + i * 512 + lane * 16);
  ldsm2(b, base + lane % 16 * 16);
  auto multiply = [=]() mutable {
    mma(c[0], a[0], b);
    return c[0][0];
  };
  C[threadIdx.x] = multiply();
}
