// Lanes and warps by any name and of any type, and variables of the same names that are something
// else: an address is made again with the author's names and types, whatever they are.
//
// RUN: %prove --launch %S/names.yaml 2>&1 | FileCheck %S/Inputs/native_tested.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ inline void ldsm4(uint32_t (&r)[4], uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}
__device__ inline void ldsm2(uint32_t (&r)[2], uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];\n"
               : "=r"(r[0]), "=r"(r[1]) : "r"(at));
}
__device__ inline void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

constexpr int kTiles = 2, kRowBytes = 32; // n8 tiles of a warp; 16 halves
struct Place {
  int warp, lane;
};

// 32 rows of A and 16 columns of B, 16 of k at a time, to shared memory.
__device__ inline void copyTiles(half *sA, half *sB, const half *A, const half *B, int K, int k) {
  __syncthreads();
  *(uint4 *)(sA + threadIdx.x * 8) =
      *(const uint4 *)(A + (blockIdx.y * 32 + threadIdx.x / 2) * K + k + threadIdx.x % 2 * 8);
  if (threadIdx.x < 32)
    *(uint4 *)(sB + threadIdx.x * 8) =
        *(const uint4 *)(B + (blockIdx.x * 16 + threadIdx.x / 2) * K + k + threadIdx.x % 2 * 8);
  __syncthreads();
}

// The same by blocks of any shape.
__device__ inline void copyRows(half *sA, half *sB, const half *A, const half *B, int K, int k) {
  const int t = threadIdx.y * blockDim.x + threadIdx.x;
  __syncthreads();
  *(uint4 *)(sA + t * 8) = *(const uint4 *)(A + (blockIdx.y * 32 + t / 2) * K + k + t % 2 * 8);
  if (t < 32)
    *(uint4 *)(sB + t * 8) = *(const uint4 *)(B + (blockIdx.x * 16 + t / 2) * K + k + t % 2 * 8);
  __syncthreads();
}

#define BEGIN                                                                                      \
  __shared__ __align__(16) half sA[32 * 16], sB[16 * 16];                                          \
  const uint32_t pa = (uint32_t)__cvta_generic_to_shared(sA),                                      \
                 pb = (uint32_t)__cvta_generic_to_shared(sB);                                      \
  float c[kTiles][4];                                                                              \
  for (int j = 0; j < kTiles; ++j)                                                                 \
    for (int e = 0; e < 4; ++e)                                                                    \
      c[j][e] = 0.f;                                                                               \
  uint32_t a[4], b[kTiles][2];
#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(64) name(const half *A, const half *B, float *C, int N, int K)

// lane - 40 is no negative number.
KERNEL(unsignedLane) {
  BEGIN
  const unsigned lane = threadIdx.x & 31;
  const int warp = threadIdx.x / 32;
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A, B, K, k);
    ldsm4(a, pa + (warp * 16 + (lane - 40 > 100 ? lane : lane ^ 1) % 16) * kRowBytes + lane / 16 * 16);
    for (int j = 0; j < kTiles; ++j)
      ldsm2(b[j], pb + (j * 8 + lane % 8) * kRowBytes + lane / 8 % 2 * 16);
    for (int j = 0; j < kTiles; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < kTiles; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.y * 32 + warp * 16 + lane / 4 + e / 2 * 8) * N + blockIdx.x * 16 + j * 8 +
        lane % 4 * 2 + e % 2] = c[j][e];
}

// Nor is threadIdx.x - 80.
KERNEL(thread) {
  BEGIN
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A, B, K, k);
    const unsigned row = threadIdx.x - 80 > 100 ? lane % 16 : lane % 8;
    ldsm4(a, pa + (warp * 16 + row) * kRowBytes + lane / 16 * 16);
    for (int j = 0; j < kTiles; ++j)
      ldsm2(b[j], pb + (j * 8 + lane % 8) * kRowBytes + lane / 8 % 2 * 16);
    for (int j = 0; j < kTiles; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < kTiles; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.y * 32 + warp * 16 + lane / 4 + e / 2 * 8) * N + blockIdx.x * 16 + j * 8 +
        lane % 4 * 2 + e % 2] = c[j][e];
}

// lane is the other way round.
KERNEL(otherLane) {
  BEGIN
  const int lane = 31 - threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A, B, K, k);
    ldsm4(a, pa + (warp * 16 + (31 - lane) % 16) * kRowBytes + (31 - lane) / 16 * 16);
    for (int j = 0; j < kTiles; ++j)
      ldsm2(b[j], pb + (j * 8 + (31 - lane) % 8) * kRowBytes + (31 - lane) / 8 % 2 * 16);
    for (int j = 0; j < kTiles; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < kTiles; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.y * 32 + warp * 16 + (31 - lane) / 4 + e / 2 * 8) * N + blockIdx.x * 16 + j * 8 +
        (31 - lane) % 4 * 2 + e % 2] = c[j][e];
}

// warp is read from memory.
KERNEL(readWarp) {
  BEGIN
  __shared__ int warps[2];
  const int lane = threadIdx.x % 32;
  warps[threadIdx.x / 32] = threadIdx.x / 32;
  __syncthreads();
  const int warp = warps[threadIdx.x / 32];
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A, B, K, k);
    ldsm4(a, pa + (warp * 16 + lane % 16) * kRowBytes + lane / 16 * 16);
    for (int j = 0; j < kTiles; ++j)
      ldsm2(b[j], pb + (j * 8 + lane % 8) * kRowBytes + lane / 8 % 2 * 16);
    for (int j = 0; j < kTiles; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < kTiles; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.y * 32 + warp * 16 + lane / 4 + e / 2 * 8) * N + blockIdx.x * 16 + j * 8 +
        lane % 4 * 2 + e % 2] = c[j][e];
}

// Both in a struct.
KERNEL(inStruct) {
  BEGIN
  const Place at = {(int)threadIdx.x / 32, (int)threadIdx.x % 32};
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A, B, K, k);
    ldsm4(a, pa + (at.warp * 16 + at.lane % 16) * kRowBytes + at.lane / 16 * 16);
    for (int j = 0; j < kTiles; ++j)
      ldsm2(b[j], pb + (j * 8 + at.lane % 8) * kRowBytes + at.lane / 8 % 2 * 16);
    for (int j = 0; j < kTiles; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < kTiles; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.y * 32 + at.warp * 16 + at.lane / 4 + e / 2 * 8) * N + blockIdx.x * 16 + j * 8 +
        at.lane % 4 * 2 + e % 2] = c[j][e];
}

// The row is a float on its way.
KERNEL(asFloat) {
  BEGIN
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A, B, K, k);
    const float row = lane % 16;
    ldsm4(a, pa + (warp * 16 + (int)(row / 4 * 4)) * kRowBytes + lane / 16 * 16);
    for (int j = 0; j < kTiles; ++j)
      ldsm2(b[j], pb + (j * 8 + lane % 8) * kRowBytes + lane / 8 % 2 * 16);
    for (int j = 0; j < kTiles; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < kTiles; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.y * 32 + warp * 16 + lane / 4 + e / 2 * 8) * N + blockIdx.x * 16 + j * 8 +
        lane % 4 * 2 + e % 2] = c[j][e];
}

// Words in a loop with braces.
KERNEL(inBraces) {
  BEGIN
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A, B, K, k);
    for (int r = 0; r < 4; ++r) {
      a[r] = *(const uint32_t *)(sA + (warp * 16 + lane / 4 + r % 2 * 8) * 16 + lane % 4 * 2 + r / 2 * 8);
    }
    for (int j = 0; j < kTiles; ++j)
      ldsm2(b[j], pb + (j * 8 + lane % 8) * kRowBytes + lane / 8 % 2 * 16);
    for (int j = 0; j < kTiles; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < kTiles; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.y * 32 + warp * 16 + lane / 4 + e / 2 * 8) * N + blockIdx.x * 16 + j * 8 +
        lane % 4 * 2 + e % 2] = c[j][e];
}

// Blocks of any shape: the thread's number is computed, and threadIdx.x is not the lane.
// CHECK-LABEL: KERNEL(numbered)
// CHECK-NEXT: lp::require_whole_waves();
// CHECK: (((warp * 32 + lane) % blockDim.x) / 16 + blockDim.x / 16 * ((warp * 32 + lane) / blockDim.x)) % 2 * 16
KERNEL(numbered) {
  BEGIN
  const int warp = (threadIdx.y * blockDim.x + threadIdx.x) / 32;
  const int lane = (threadIdx.y * blockDim.x + threadIdx.x) % 32;
  for (int k = 0; k < K; k += 16) {
    copyRows(sA, sB, A, B, K, k);
    ldsm4(a, pa + (warp * 16 + lane % 16) * kRowBytes + (threadIdx.x / 16 + blockDim.x / 16 * threadIdx.y) % 2 * 16);
    for (int j = 0; j < kTiles; ++j)
      ldsm2(b[j], pb + (j * 8 + lane % 8) * kRowBytes + lane / 8 % 2 * 16);
    for (int j = 0; j < kTiles; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < kTiles; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.y * 32 + warp * 16 + lane / 4 + e / 2 * 8) * N + blockIdx.x * 16 + j * 8 +
        lane % 4 * 2 + e % 2] = c[j][e];
}

// Rows of whole warps: in a shorter one threadIdx.x % 32 is no lane.
// CHECK-LABEL: KERNEL(inRows)
// CHECK-NEXT: lp::require_whole_rows();
// CHECK: (warp * 16 + lane % 16) * kRowBytes + lane / 16 * 16
KERNEL(inRows) {
  BEGIN
  const int warp = (threadIdx.y * blockDim.x + threadIdx.x) / 32;
  for (int k = 0; k < K; k += 16) {
    copyRows(sA, sB, A, B, K, k);
    ldsm4(a, pa + (warp * 16 + threadIdx.x % 32 % 16) * kRowBytes + (threadIdx.x & 31) / 16 * 16);
    for (int j = 0; j < kTiles; ++j)
      ldsm2(b[j], pb + (j * 8 + (threadIdx.x & 31) % 8) * kRowBytes + (threadIdx.x & 31) / 8 % 2 * 16);
    for (int j = 0; j < kTiles; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < kTiles; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.y * 32 + warp * 16 + (threadIdx.x & 31) / 4 + e / 2 * 8) * N + blockIdx.x * 16 + j * 8 +
        (threadIdx.x & 31) % 4 * 2 + e % 2] = c[j][e];
}
