// Operands that are put together in functions without a matrix instruction: methods of a fragment, a
// function that fills all operands of a step, structs of them that take turns (ping-pong), and tiles
// of a flat array, by indices that change on the way, out of one of several stages.
//
// RUN: %prove --launch %S/fillers.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t word(const half *p) { return *reinterpret_cast<const uint32_t *>(p); }

__device__ __forceinline__ void mma(float (&c)[4], const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ void store(float *C, int N, const float (&c)[2][4], int lane, int warp) {
  float *out = C + (warp * 16 + lane / 4) * N + lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    *(float2 *)(out + j * 8) = make_float2(c[j][0], c[j][1]);
    *(float2 *)(out + 8 * N + j * 8) = make_float2(c[j][2], c[j][3]);
  }
}

struct FragA {
  uint32_t x[4];
  __device__ void load(const half *p, int ld, int lane) {
    const int g = lane / 4, t = lane % 4;
    x[0] = word(p + g * ld + t * 2);
    x[1] = word(p + (g + 8) * ld + t * 2);
    x[2] = word(p + g * ld + t * 2 + 8);
    x[3] = word(p + (g + 8) * ld + t * 2 + 8);
  }
};
struct FragB {
  uint32_t x[2];
  __device__ void load(const half *p, int ld, int lane) {
    for (int q = 0; q < 2; ++q)
      x[q] = word(p + lane / 4 * ld + lane % 4 * 2 + q * 8);
  }
};

// CHECK-LABEL: void methods(
__global__ void methods(const half *A, const half *B, float *C, int N, int K) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float c[2][4] = {};
  FragA a;
  FragB b[2];
  for (int k = 0; k < K; k += 16) {
    // CHECK: lp::gather_a(a.x, [&](int lane, int warp, int r) {
    // CHECK-NEXT: const auto p = A + warp * 16 * K + k;
    a.load(A + warp * 16 * K + k, K, lane);
    // CHECK: lp::gather_b(b[j].x, [&](int lane, int, int j, int q) {
    for (int j = 0; j < 2; ++j)
      b[j].load(B + j * 8 * K + k, K, lane);
    for (int j = 0; j < 2; ++j)
      mma(c[j], a.x, b[j].x);
  }
  store(C, N, c, lane, warp);
}

struct Step {
  uint32_t a[4];
  uint32_t b[2][2];
};

// CHECK-LABEL: void fetch(
// CHECK: lp::gather_a(s.a, [&](int lane, int warp, int r) {
// CHECK: lp::gather_b(s.b[j], [&](int lane, int, int j, int r) {
__device__ __forceinline__ void fetch(Step &s, const half *A, const half *B, int K, int lane, int warp) {
  const int g = lane / 4, t = lane % 4;
  const half *p = A + (warp * 16 + g) * K + t * 2;
  s.a[0] = word(p);
  s.a[1] = word(p + 8 * K);
  s.a[2] = word(p + 8);
  s.a[3] = word(p + 8 * K + 8);
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    s.b[j][0] = word(B + (j * 8 + g) * K + t * 2);
    s.b[j][1] = word(B + (j * 8 + g) * K + t * 2 + 8);
  }
}
__device__ __forceinline__ void issue(float (&c)[2][4], const Step &s) {
#pragma unroll
  for (int j = 0; j < 2; ++j)
    mma(c[j], s.a, s.b[j]);
}

// CHECK-LABEL: void ping_pong(
__global__ void ping_pong(const half *A, const half *B, float *C, int N, int K) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float c[2][4] = {};
  Step s[2];
  fetch(s[0], A, B, K, lane, warp);
  for (int k = 0; k < K; k += 32) {
    if (k + 16 < K)
      fetch(s[1], A + k + 16, B + k + 16, K, lane, warp);
    issue(c, s[0]);
    if (k + 32 < K)
      fetch(s[0], A + k + 32, B + k + 32, K, lane, warp);
    if (k + 16 < K)
      issue(c, s[1]);
  }
  store(C, N, c, lane, warp);
}

// Rows of 16 halves, two of them side by side.
__device__ __forceinline__ void fill(half *tile, const half *from, int rows, int K) {
  for (int i = threadIdx.x; i < rows * 16; i += 64) {
    int row = i / 16, col = i % 16;
    tile[row / 2 * 32 + (row % 2 * 16 + col ^ (row / 2 & 1) * 8)] = from[row * K + col];
  }
}

// CHECK-LABEL: void loadA(
// CHECK: lp::gather_a(lp::tile<unsigned int, 4>(frag, i), [&](int lane, int warp, int reg) {
// CHECK: int row = i * 32 + warp * 16 + h * 8 + lane / 4;
// CHECK: col = row % 2 * 16 + col;
// CHECK-NEXT: row = row / 2;
// CHECK-NEXT: col ^= (row & 1) * 8;
__device__ __forceinline__ void loadA(uint32_t *frag, half *tile) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int i = 0; i < 2; ++i) {
    for (int h = 0; h < 2; ++h) {
      for (int q = 0; q < 2; ++q) {
        int row = i * 32 + warp * 16 + h * 8 + lane / 4;
        int col = q * 8 + lane % 4 * 2;
        col = row % 2 * 16 + col;
        row = row / 2;
        col ^= (row & 1) * 8;
        uint32_t *p = reinterpret_cast<uint32_t *>(tile + row * 32 + col);
        frag[i * 4 + q * 2 + h] = p[0];
      }
    }
  }
}
// CHECK-LABEL: void loadB(
// CHECK: lp::gather_b(lp::tile<unsigned int, 2>(frag, j), [&](int lane, int, int j, int q) {
__device__ __forceinline__ void loadB(uint32_t *frag, half *tile) {
  const int lane = threadIdx.x & 31;
  for (int j = 0; j < 2; ++j)
    for (int q = 0; q < 2; ++q) {
      int row = j * 8 + lane / 4;
      frag[j * 2 + q] = word(tile + row / 2 * 32 + (row % 2 * 16 + q * 8 + lane % 4 * 2 ^ (row / 2 & 1) * 8));
    }
}

__device__ __forceinline__ void multiply(float *c, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// CHECK-LABEL: void stages(
__global__ void stages(const half *A, const half *B, float *C, int N, int K) {
  extern __shared__ uint8_t shared_storage[];
  half *A1 = reinterpret_cast<half *>(shared_storage);
  half *A2 = A1 + 64 * 16;
  half *B1 = A2 + 64 * 16;
  half *B2 = B1 + 16 * 16;
  half *SA[] = {A1, A2};
  half *SB[] = {B1, B2};
  uint32_t fragA[2 * 4], fragB[2 * 2];
  float c[2 * 2 * 4] = {0.0f};
  fill(SA[0], A, 64, K);
  fill(SB[0], B, 16, K);
  for (int k = 0; k < K / 16; ++k) {
    __syncthreads();
    loadA(fragA, SA[k % 2]);
    loadB(fragB, SB[k % 2]);
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j)
        multiply(&c[i * 8 + j * 4], &fragA[i * 4], &fragB[j * 2]);
    if (k + 1 < K / 16) {
      fill(SA[(k + 1) % 2], A + (k + 1) * 16, 64, K);
      fill(SB[(k + 1) % 2], B + (k + 1) * 16, 16, K);
    }
  }
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 4; ++r)
        C[(i * 32 + warp * 16 + lane / 4 + r / 2 * 8) * N + j * 8 + lane % 4 * 2 + r % 2] = c[i * 8 + j * 4 + r];
}
