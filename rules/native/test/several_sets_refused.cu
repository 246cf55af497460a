// Functions that are called with several sets of fragments, where one text cannot serve all of them.
// RUN: %layout-port %s -o %t.hip --target gfx942 > %t.log 2>&1
// RUN: FileCheck %s < %t.log
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t word(const half *p) { return *reinterpret_cast<const uint32_t *>(p); }
__device__ __forceinline__ void mma(float (&c)[4], const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void takeA(uint32_t (&f)[4], const half *p, int K, int lane) {
  for (int r = 0; r < 4; ++r)
    f[r] = word(p + (lane / 4 + r % 2 * 8) * K + lane % 4 * 2 + r / 2 * 8);
}
__device__ __forceinline__ void takeB(uint32_t (&f)[2], const half *p, int K, int lane) {
  f[0] = word(p + lane / 4 * K + lane % 4 * 2);
  f[1] = word(p + lane / 4 * K + lane % 4 * 2 + 8);
}
#define KERNEL(name) __global__ void __launch_bounds__(64) name(const half *A, const half *B, float *C, int K)
#define SETUP const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5

// The second array is no operand: what it holds is the thread's own.
__device__ __forceinline__ void both(float (&c)[4], uint32_t (&f)[4], const half *A, const half *B, int K, int lane) {
  uint32_t b[2];
  takeB(b, B, K, lane);
  for (int r = 0; r < 4; ++r)
    f[r] = word(A + (lane / 4 + r % 2 * 8) * K + lane % 4 * 2 + r / 2 * 8);
  uint32_t a[4];
  takeA(a, A, K, lane);
  mma(c, a, b);
}
// CHECK-DAG: operandAndNone is not native: 'operand put together from loads' serves an operand at one call and not at another
KERNEL(operandAndNone) {
  SETUP;
  float c[4] = {}, d[4] = {};
  uint32_t a[4], other[4], b[2];
  both(c, a, A + warp * 16 * K, B, K, lane);
  both(d, other, A + warp * 16 * K, B, K, lane);
  takeB(b, B, K, lane);
  mma(c, a, b);
  C[threadIdx.x] = c[0] + d[0] + __uint_as_float(other[0]);
}

// Another type for each instance, and one text.
template <int kTiles>
__device__ __forceinline__ void tiles(float (&c)[4], const half *A, const half *B, int K, int lane) {
  uint32_t a[4], b[kTiles][2];
  takeA(a, A, K, lane);
#pragma unroll
  for (int j = 0; j < kTiles; ++j) {
    b[j][0] = word(B + (j * 8 + lane / 4) * K + lane % 4 * 2);
    b[j][1] = word(B + (j * 8 + lane / 4) * K + lane % 4 * 2 + 8);
  }
#pragma unroll
  for (int j = 0; j < kTiles; ++j)
    mma(c, a, b[j]);
}
// CHECK-DAG: otherTypes is not native: 'b' is another type in another instance of its function
KERNEL(otherTypes) {
  SETUP;
  float c[4] = {}, d[4] = {};
  tiles<1>(c, A + warp * 16 * K, B, K, lane);
  tiles<2>(d, A + warp * 16 * K, B, K, lane);
  C[threadIdx.x] = c[0] + d[0];
}

// Two tiles in one vector of sums.
__device__ __forceinline__ void mma8(int &c0, int &c1, uint32_t a, uint32_t b) {
  asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+r"(c0), "+r"(c1)
               : "r"(a), "r"(b));
}
// CHECK-DAG: twoTiles is not native: sums of several tiles in one vector
__global__ void __launch_bounds__(64) twoTiles(const uint32_t *A, const uint32_t *B, int *C) {
  SETUP;
  int4 c = make_int4(0, 0, 0, 0);
  uint32_t a[1], b[2][1];
  a[0] = A[(warp * 8 + lane / 4) * 4 + lane % 4];
  for (int j = 0; j < 2; ++j)
    b[j][0] = B[(j * 8 + lane / 4) * 4 + lane % 4];
  mma8(c.x, c.y, a[0], b[0][0]);
  mma8(c.z, c.w, a[0], b[1][0]);
  C[threadIdx.x] = c.x + c.y + c.z + c.w;
}

// CHECK-DAG: handedAndMade is not native: 'oneStep' is handed fragments at some calls and values at others
__device__ __forceinline__ void oneStep(float *c, const half *A, const half *B, int K, int lane) {
  uint32_t a[4], b[2];
  takeA(a, A, K, lane);
  takeB(b, B, K, lane);
  mma(*reinterpret_cast<float (*)[4]>(c), a, b);
}
KERNEL(handedAndMade) {
  SETUP;
  __shared__ float scratch[64][4];
  float c[4] = {};
  oneStep(c, A + warp * 16 * K, B, K, lane);
  oneStep(scratch[threadIdx.x], A + warp * 16 * K, B, K, lane);
  C[threadIdx.x] = c[0] + scratch[threadIdx.x][0];
}
