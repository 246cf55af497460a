// Operands that loops over their registers put together: two loops for one tile, several stores in a
// loop's body, a pragma at the inner one, and what the loops make on the way.
//
// RUN: %prove --launch %S/register_nests.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
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

// CHECK-LABEL: void two_loops(
__global__ void two_loops(const half *A, const half *B, float *C, int N, int K) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2][2];
    // CHECK: lp::gather_a(a, [&](int lane, int warp, int r) {
    // CHECK: const int h = r % 2;
    // CHECK: const int q = r / 2;
    // CHECK: return word(A + (warp * 16 + g + h * 8) * K + k + t * 2 + q * 8);
#pragma unroll
    for (int h = 0; h < 2; ++h)
#pragma unroll
      for (int q = 0; q < 2; ++q) {
        a[q * 2 + h] = word(A + (warp * 16 + g + h * 8) * K + k + t * 2 + q * 8);
      }
    for (int j = 0; j < 2; ++j)
      for (int q = 0; q < 2; ++q)
        b[j][q] = word(B + (j * 8 + g) * K + k + t * 2 + q * 8);
    for (int j = 0; j < 2; ++j)
      mma(c[j], a, b[j]);
  }
  store(C, N, c, lane, warp);
}

// CHECK-LABEL: void two_stores(
__global__ void two_stores(const half *A, const half *B, float *C, int N, int K) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2][2];
    // CHECK: lp::gather_a(a, [&](int lane, int warp, int r) {
    // CHECK: const int h = r % 2;
    // CHECK: return r / 2 == 0 ? word(p) : word(p + 8);
    for (int h = 0; h < 2; ++h) {
      const half *p = A + (warp * 16 + g + h * 8) * K + k + t * 2;
      a[h] = word(p);
      a[h + 2] = word(p + 8);
    }
    // CHECK: lp::gather_b(b[j], [&](int lane, int, int j, int r) {
    // CHECK: return r == 0 ? word(p) : word(p + 8);
    for (int j = 0; j < 2; ++j) {
      const half *p = B + (j * 8 + g) * K + k + t * 2;
      b[j][0] = word(p);
      b[j][1] = word(p + 8);
    }
    for (int j = 0; j < 2; ++j)
      mma(c[j], a, b[j]);
  }
  store(C, N, c, lane, warp);
}

// CHECK-LABEL: void changed_on_the_way(
__global__ void changed_on_the_way(const half *A, const half *B, float *C, int N, int K) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2][2];
    // CHECK: lp::gather_a(a, [&](int lane, int warp, int r) {
    // CHECK: const int at = (warp * 16 + g) * K;
    // CHECK: int col = k + t * 2;
    // CHECK: int row = at + h * 8 * K;
    // CHECK: col = col + q * 8;
    // CHECK-NEXT: row = row + col;
    for (int q = 0; q < 2; ++q) {
      int at = (warp * 16 + g) * K;
      for (int h = 0; h < 2; ++h) {
        int col = k + t * 2;
        int row = at + h * 8 * K;
        col = col + q * 8;
        row = row + col;
        a[q * 2 + h] = word(A + row);
      }
    }
    for (int j = 0; j < 2; ++j)
      for (int q = 0; q < 2; ++q) {
        int at = j * 8 + g;
        at *= K;
        b[j][q] = word(B + at + k + t * 2 + q * 8);
      }
    for (int j = 0; j < 2; ++j)
      mma(c[j], a, b[j]);
  }
  store(C, N, c, lane, warp);
}
