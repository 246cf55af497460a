// Loops that fill the registers of two operands at once, in the kernel and in a function: keys and
// values, a step's A and the mask that weighs it.
//
// RUN: %prove --launch %S/filled_together.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
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

// C = K B^T + V (2 B)^T
// CHECK-LABEL: void keys_and_values(
__global__ void keys_and_values(const half *K, const half *V, const half *B, float *C, int N, int D) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = (lane & 3) * 2;
  const int row = warp * 16 + g;
  uint32_t fk[2][4], fv[2][4];
  // CHECK: for (int i = 0; i < 2; ++i)
  // CHECK-NEXT: lp::gather_a(fk[i], [&](int lane, int warp, int e) {
  // CHECK: return word(K + off);
  // CHECK-NEXT: }),
  // CHECK-NEXT: lp::gather_a(fv[i], [&](int lane, int warp, int e) {
  // CHECK: return word(V + off);
  // CHECK-NEXT: });
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int off = (row + (e & 1) * 8) * D + i * 16 + t + (e >> 1) * 8;
      fk[i][e] = word(K + off);
      fv[i][e] = word(V + off);
    }
  float c[2][4] = {};
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      uint32_t b[2], twice[2];
      // CHECK: lp::gather_b(b, [&](int lane, int, int j, int q) {
      // CHECK: }, j),
      // CHECK-NEXT: lp::gather_b(twice, [&](int lane, int, int j, int q) {
      // CHECK: }, j);
      for (int q = 0; q < 2; ++q) {
        const half *p = B + (j * 8 + g) * D + i * 16 + t + q * 8;
        b[q] = word(p);
        twice[q] = word(p + 16 * D);
      }
      mma(c[j], fk[i], b);
      mma(c[j], fv[i], twice);
    }
  store(C, N, c, lane, warp);
}

struct Step {
  uint32_t a[4];
  uint32_t b[2][2];
};
// CHECK-LABEL: void fetch(
// CHECK: lp::gather_a(s.a, [&](int lane, int warp, int r) {
// CHECK: }),
// CHECK-NEXT: lp::gather_a(next.a, [&](int lane, int warp, int r) {
__device__ __forceinline__ void fetch(Step &s, Step &next, const half *A, const half *B, int D, int lane, int warp) {
  const int g = lane / 4, t = lane % 4 * 2;
  for (int h = 0; h < 2; ++h) {
    const half *p = A + (warp * 16 + g + h * 8) * D + t;
    s.a[h] = word(p);
    s.a[h + 2] = word(p + 8);
    next.a[h] = word(p + 16);
    next.a[h + 2] = word(p + 24);
  }
  for (int j = 0; j < 2; ++j)
    for (int q = 0; q < 2; ++q) {
      s.b[j][q] = word(B + (j * 8 + g) * D + t + q * 8);
      next.b[j][q] = word(B + (j * 8 + g) * D + t + q * 8 + 16);
    }
}

struct Both {
  uint32_t a[4], more[4];
};
struct Tile {
  uint32_t x[2];
  __device__ __forceinline__ void load(const half *p, int D, int lane) {
    for (int q = 0; q < 2; ++q) {
      int at = lane / 4 * D;
      at += lane % 4 * 2 + q * 8;
      x[q] = word(p + at);
    }
  }
};
// CHECK-LABEL: void members(
// CHECK: lp::gather_a(both.a, [&](int lane, int warp, int r) {
// CHECK: }),
// CHECK-NEXT: lp::gather_a(both.more, [&](int lane, int warp, int r) {
__global__ void members(const half *A, const half *B, float *C, int N, int D) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float c[2][4] = {};
  for (int k = 0; k < D; k += 32) {
    Both both;
    for (int h = 0; h < 2; ++h)
      for (int q = 0; q < 2; ++q) {
        const half *p = A + (warp * 16 + lane / 4 + h * 8) * D + k + lane % 4 * 2 + q * 8;
        both.a[q * 2 + h] = word(p);
        both.more[q * 2 + h] = word(p + 16);
      }
    Tile first[2], second[2];
    // CHECK: lp::gather_b(first[j].x, [&](int lane, int, int j, int givenQ) {
    // CHECK: at += lane % 4 * 2 + givenQ * 8;
    // CHECK: lp::gather_b(second[j].x, [&](int lane, int, int j, int givenQ) {
    for (int j = 0; j < 2; ++j) {
      first[j].load(B + j * 8 * D + k, D, lane);
      second[j].load(B + j * 8 * D + k + 16, D, lane);
    }
    for (int j = 0; j < 2; ++j)
      mma(c[j], both.a, first[j].x);
    for (int j = 0; j < 2; ++j)
      mma(c[j], both.more, second[j].x);
  }
  store(C, N, c, lane, warp);
}

// CHECK-LABEL: void two_steps(
__global__ void two_steps(const half *A, const half *B, float *C, int N, int D) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float c[2][4] = {};
  Step s, next;
  for (int k = 0; k < D; k += 32) {
    fetch(s, next, A + k, B + k, D, lane, warp);
    for (int j = 0; j < 2; ++j)
      mma(c[j], s.a, s.b[j]);
    for (int j = 0; j < 2; ++j)
      mma(c[j], next.a, next.b[j]);
  }
  store(C, N, c, lane, warp);
}
