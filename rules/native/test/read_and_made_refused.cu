// One variable that holds an A that is read and, later, one that is made from results, whose words of
// k lie in another way: which of the two a product takes is not clear.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kLd = 40;
__device__ __forceinline__ void mma(float (&c)[4], const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void ldsm2(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ uint32_t pack(float x, float y) {
  const half2 h = __floats2half2_rn(x, y);
  return *reinterpret_cast<const uint32_t *>(&h);
}

// The product of the second turn takes what the first one made.
// CHECK-DAG: nextTurn is not native: 'a' is read, and is made from results elsewhere
__global__ void __launch_bounds__(64) nextTurn(float *C) {
  __shared__ half sA[32 * kLd], sB[16 * kLd];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float low[2][4] = {}, c[2][4] = {};
  uint32_t a[4], b[2][2];
  ldsm4(a, sA + (warp * 16 + lane % 16) * kLd + lane / 16 * 8);
  for (int t = 0; t < 2; ++t) {
    for (int n = 0; n < 2; ++n) {
      ldsm2(b[n], sB + (n * 8 + lane % 8) * kLd + lane / 8 % 2 * 8);
      mma(low[n], a, b[n]);
      mma(c[n], a, b[n]);
    }
    a[0] = pack(low[0][0], low[0][1]);
    a[1] = pack(low[0][2], low[0][3]);
    a[2] = pack(low[1][0], low[1][1]);
    a[3] = pack(low[1][2], low[1][3]);
  }
  for (int n = 0; n < 2; ++n)
    for (int i = 0; i < 4; ++i)
      C[threadIdx.x * 8 + n * 4 + i] = c[n][i];
}

// Whether it is made is decided at run time.
// CHECK-DAG: perhaps keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64) perhaps(float *C, int more) {
  __shared__ half sA[32 * kLd], sB[16 * kLd];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float low[2][4] = {}, c[2][4] = {};
  uint32_t a[4], b[2][2];
  ldsm4(a, sA + (warp * 16 + lane % 16) * kLd + lane / 16 * 8);
  for (int n = 0; n < 2; ++n) {
    ldsm2(b[n], sB + (n * 8 + lane % 8) * kLd + lane / 8 % 2 * 8);
    mma(low[n], a, b[n]);
  }
  if (more)
    for (int r = 0; r < 4; ++r)
      a[r] = pack(low[r / 2][r % 2 * 2], low[r / 2][r % 2 * 2 + 1]);
  for (int n = 0; n < 2; ++n) {
    ldsm2(b[n], sB + (n * 8 + lane % 8) * kLd + lane / 8 % 2 * 8);
    mma(c[n], a, b[n]);
  }
  for (int n = 0; n < 2; ++n)
    for (int i = 0; i < 4; ++i)
      C[threadIdx.x * 8 + n * 4 + i] = c[n][i];
}

// One register is still what was read.
// CHECK-DAG: inPart keeps 'a' in CUDA's layout and moves it for each product: operand A of mma.m16n8k16.f16 is neither read by ldmatrix nor put together in one place
__global__ void __launch_bounds__(64) inPart(float *C) {
  __shared__ half sA[32 * kLd], sB[16 * kLd];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float low[2][4] = {}, c[2][4] = {};
  uint32_t a[4], b[2][2];
  ldsm4(a, sA + (warp * 16 + lane % 16) * kLd + lane / 16 * 8);
  for (int n = 0; n < 2; ++n) {
    ldsm2(b[n], sB + (n * 8 + lane % 8) * kLd + lane / 8 % 2 * 8);
    mma(low[n], a, b[n]);
  }
  for (int r = 0; r < 3; ++r)
    a[r] = pack(low[r / 2][r % 2 * 2], low[r / 2][r % 2 * 2 + 1]);
  for (int n = 0; n < 2; ++n) {
    ldsm2(b[n], sB + (n * 8 + lane % 8) * kLd + lane / 8 % 2 * 8);
    mma(c[n], a, b[n]);
  }
  for (int n = 0; n < 2; ++n)
    for (int i = 0; i < 4; ++i)
      C[threadIdx.x * 8 + n * 4 + i] = c[n][i];
}

// What is assigned was read into another variable, whose load is this one's, then.
// CHECK-DAG: handedOn keeps 'a' in CUDA's layout and moves it for each product: 'a' is read, and is made from results elsewhere
__global__ void __launch_bounds__(64) handedOn(float *C) {
  __shared__ half sA[32 * kLd], sB[16 * kLd];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float low[2][4] = {}, c[2][4] = {};
  uint32_t a[4], b[2][2], r[4];
  ldsm4(r, sA + (warp * 16 + lane % 16) * kLd + lane / 16 * 8);
  a[0] = r[0];
  a[1] = r[1];
  a[2] = r[2];
  a[3] = r[3];
  for (int n = 0; n < 2; ++n) {
    ldsm2(b[n], sB + (n * 8 + lane % 8) * kLd + lane / 8 % 2 * 8);
    mma(low[n], a, b[n]);
  }
  for (int r = 0; r < 4; ++r)
    a[r] = pack(low[r / 2][r % 2 * 2], low[r / 2][r % 2 * 2 + 1]);
  for (int n = 0; n < 2; ++n) {
    ldsm2(b[n], sB + (n * 8 + lane % 8) * kLd + lane / 8 % 2 * 8);
    mma(c[n], a, b[n]);
  }
  for (int n = 0; n < 2; ++n)
    for (int i = 0; i < 4; ++i)
      C[threadIdx.x * 8 + n * 4 + i] = c[n][i];
}
