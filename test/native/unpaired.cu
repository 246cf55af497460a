// Tiles along n that look like pairs and are none: another A or B for each, or not all of
// them multiplied. They are done one by one; nothing may be taken together.
//
// RUN: %prove --launch %S/unpaired.yaml 2>&1 | FileCheck %S/Inputs/native_halves_proved.txt
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

constexpr int kTiles = 4, kRowBytes = 32; // n8 tiles of a warp; 16 halves

// 32 rows of A and 32 columns of B, 16 of k at a time, to shared memory.
__device__ inline void copyTiles(half *sA, half *sB, const half *A, const half *B, int K, int k) {
  __syncthreads();
  *(uint4 *)(sA + threadIdx.x * 8) =
      *(const uint4 *)(A + (blockIdx.y * 32 + threadIdx.x / 2) * K + k + threadIdx.x % 2 * 8);
  *(uint4 *)(sB + threadIdx.x * 8) =
      *(const uint4 *)(B + (blockIdx.x * 32 + threadIdx.x / 2) * K + k + threadIdx.x % 2 * 8);
  __syncthreads();
}

__device__ inline void store(float *C, const float (&c)[kTiles][4], int N) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int j = 0; j < kTiles; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.y * 32 + warp * 16 + lane / 4 + e / 2 * 8) * N + blockIdx.x * 32 + j * 8 +
        lane % 4 * 2 + e % 2] = c[j][e];
}

// Every second tile has another A, under a name of its own.
__global__ void __launch_bounds__(64) otherA(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[32 * 16], sB[32 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t pa = (uint32_t)__cvta_generic_to_shared(sA),
                 pb = (uint32_t)__cvta_generic_to_shared(sB);
  float c[kTiles][4] = {};
  uint32_t a[2][4], b[kTiles][2];
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A, B, K, k);
    for (int t = 0; t < 2; ++t)
      ldsm4(a[t], pa + (warp * 16 + (lane ^ t) % 16) * kRowBytes + lane / 16 * 16);
    for (int j = 0; j < kTiles; ++j)
      ldsm2(b[j], pb + (j * 8 + lane % 8) * kRowBytes + lane / 8 % 2 * 16);
    for (int j = 0; j < kTiles; ++j) {
      const int t = j & 1;
      mma(c[j], a[t], b[j]);
    }
  }
  store(C, c, N);
}

// Unrolled by two, with an A each.
__global__ void __launch_bounds__(64) twoByHand(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[32 * 16], sB[32 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t pa = (uint32_t)__cvta_generic_to_shared(sA),
                 pb = (uint32_t)__cvta_generic_to_shared(sB);
  float c[kTiles][4] = {};
  uint32_t a[2][4], b[kTiles][2];
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A, B, K, k);
    for (int t = 0; t < 2; ++t)
      ldsm4(a[t], pa + (warp * 16 + (lane ^ t) % 16) * kRowBytes + lane / 16 * 16);
    for (int j = 0; j < kTiles; ++j)
      ldsm2(b[j], pb + (j * 8 + lane % 8) * kRowBytes + lane / 8 % 2 * 16);
    for (int j = 0; j < kTiles; j += 2) {
      mma(c[j], a[0], b[j]);
      mma(c[j + 1], a[1], b[j + 1]);
    }
  }
  store(C, c, N);
}

// A is read anew for each tile.
__global__ void __launch_bounds__(64) readAnew(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[32 * 16], sB[32 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t pa = (uint32_t)__cvta_generic_to_shared(sA),
                 pb = (uint32_t)__cvta_generic_to_shared(sB);
  float c[kTiles][4] = {};
  uint32_t a[2][4], b[kTiles][2];
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A, B, K, k);
    for (int j = 0; j < kTiles; ++j)
      ldsm2(b[j], pb + (j * 8 + lane % 8) * kRowBytes + lane / 8 % 2 * 16);
    for (int j = 0; j < kTiles; ++j) {
      ldsm4(a[0], pa + (warp * 16 + (lane ^ j) % 16) * kRowBytes + lane / 16 * 16);
      mma(c[j], a[0], b[j]);
    }
  }
  store(C, c, N);
}

// Two tiles share a B.
__global__ void __launch_bounds__(64) sharedB(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[32 * 16], sB[32 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t pa = (uint32_t)__cvta_generic_to_shared(sA),
                 pb = (uint32_t)__cvta_generic_to_shared(sB);
  float c[kTiles][4] = {};
  uint32_t a[2][4], b[kTiles][2];
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A, B, K, k);
    for (int t = 0; t < 2; ++t)
      ldsm4(a[t], pa + (warp * 16 + (lane ^ t) % 16) * kRowBytes + lane / 16 * 16);
    for (int j = 0; j < kTiles; ++j)
      ldsm2(b[j], pb + (j * 8 + lane % 8) * kRowBytes + lane / 8 % 2 * 16);
    for (int j = 0; j < kTiles; ++j)
      mma(c[j], a[0], b[j / 2]);
  }
  store(C, c, N);
}

// Each tile has its neighbour's B.
__global__ void __launch_bounds__(64) nextB(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[32 * 16], sB[32 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t pa = (uint32_t)__cvta_generic_to_shared(sA),
                 pb = (uint32_t)__cvta_generic_to_shared(sB);
  float c[kTiles][4] = {};
  uint32_t a[2][4], b[kTiles][2];
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A, B, K, k);
    for (int t = 0; t < 2; ++t)
      ldsm4(a[t], pa + (warp * 16 + (lane ^ t) % 16) * kRowBytes + lane / 16 * 16);
    for (int j = 0; j < kTiles; ++j)
      ldsm2(b[j], pb + (j * 8 + lane % 8) * kRowBytes + lane / 8 % 2 * 16);
    for (int j = 0; j < kTiles; ++j)
      mma(c[j], a[0], b[(j + 1) % kTiles]);
  }
  store(C, c, N);
}

// Two of the tiles are multiplied a second time.
__global__ void __launch_bounds__(64) someAgain(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[32 * 16], sB[32 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t pa = (uint32_t)__cvta_generic_to_shared(sA),
                 pb = (uint32_t)__cvta_generic_to_shared(sB);
  float c[kTiles][4] = {};
  uint32_t a[2][4], b[kTiles][2];
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A, B, K, k);
    for (int t = 0; t < 2; ++t)
      ldsm4(a[t], pa + (warp * 16 + (lane ^ t) % 16) * kRowBytes + lane / 16 * 16);
    for (int j = 0; j < kTiles; ++j)
      ldsm2(b[j], pb + (j * 8 + lane % 8) * kRowBytes + lane / 8 % 2 * 16);
    for (int j = 0; j < kTiles; ++j)
      mma(c[j], a[0], b[j]);
    for (int j = 0; j < kTiles; j += 3)
      mma(c[j], a[1], b[j]);
  }
  store(C, c, N);
}
