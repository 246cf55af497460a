// Operands whose words are filled value by value: each register is two or four values, whichever
// lane has them.
//
// RUN: %prove --launch %S/packed.yaml 2>&1 | FileCheck --check-prefix=HOLDS %s
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void mma(float *d, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
template <class T>
__device__ __forceinline__ void store(T *C, int N, int row, int col, const T *c) {
  C[row * N + col] = c[0];
  C[row * N + col + 1] = c[1];
  C[(row + 8) * N + col] = c[2];
  C[(row + 8) * N + col + 1] = c[3];
}

union FragA {
  half h[8];
  uint32_t u[4];
};
union FragB {
  half h[4];
  uint32_t u[2];
};

// Bits of values that are put side by side are tested, not proved.
// HOLDS-NOT: is not native
// HOLDS: compiled: gfx90a yes gfx942 yes gfx950 yes
// HOLDS: verify gfx90a: tested:
// HOLDS: verify gfx942: tested:
// HOLDS: verify gfx950: tested:

// CHECK-LABEL: inUnions(
// CHECK: lp::gather_a(a.u, lp::packed([&](int lane, int warp, int i) {
// CHECK: const int k = k0 + t * 2 + (i & 1) + (i >> 2) * 8;
// CHECK: return row < M && k < K ? A[row * K + k] : zero;
// CHECK: lp::gather_b(b.u, lp::packed([&](int lane, int, int j, int i) {
// CHECK: return n < N && k < K ? B[k * N + n] : zero;
__global__ void __launch_bounds__(64)
inUnions(const half *A, const half *B, float *C, int M, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const half zero = __float2half(0.f);
  float c[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 16) {
    FragA a;
    for (int i = 0; i < 8; ++i) {
      const int row = warp * 16 + g + ((i >> 1) & 1) * 8;
      const int k = k0 + t * 2 + (i & 1) + (i >> 2) * 8;
      a.h[i] = row < M && k < K ? A[row * K + k] : zero;
    }
    for (int j = 0; j < 4; ++j) {
      const int n = j * 8 + g;
      FragB b;
      for (int i = 0; i < 4; ++i) {
        const int k = k0 + t * 2 + (i & 1) + (i >> 1) * 8;
        if (n < N && k < K)
          b.h[i] = B[k * N + n];
        else
          b.h[i] = zero;
      }
      mma(c[j], a.u, b.u);
    }
  }
  for (int j = 0; j < 4; ++j)
    store(C, 32, warp * 16 + g, j * 8 + t * 2, c[j]);
}

// Arrays of halves seen as words, or words as halves; one by one, in any order.
// CHECK-LABEL: inArrays(
// CHECK: lp::packed([&](int lane, int warp, int e) {
// CHECK: lp::gather_b({{.*}}, lp::packed([&](int lane, int, int j, int r) {
// CHECK: return r == 0 ? p[0]
// CHECK-NEXT: : r == 1 ? p[N]
// CHECK-NEXT: : r == 2 ? p[8 * N]
// CHECK-NEXT: : p[9 * N];
__global__ void __launch_bounds__(64)
inArrays(const half *A, const half *B, float *C, int M, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[2][4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 16) {
    half a[2][8];
    for (int i = 0; i < 2; ++i)
      for (int e = 0; e < 8; ++e)
        a[i][e] = A[(warp * 32 + i * 16 + g + e / 2 % 2 * 8) * K + k0 + t * 2 + e % 2 + e / 4 * 8];
    for (int j = 0; j < 4; ++j) {
      uint32_t words[2];
      half *b = reinterpret_cast<half *>(words);
      const half *p = B + (k0 + t * 2) * N + j * 8 + g;
      b[2] = p[8 * N];
      b[0] = p[0];
      b[3] = p[9 * N];
      b[1] = p[N];
      for (int i = 0; i < 2; ++i)
        mma(c[i][j], reinterpret_cast<const uint32_t *>(a[i]), words);
    }
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      store(C, 32, warp * 32 + i * 16 + g, j * 8 + t * 2, c[i][j]);
}

// Bytes, four to a word, of numbers that are computed.
// CHECK-LABEL: ofBytes(
// CHECK: lp::packed([&](int lane, int, int i) {
// CHECK: return static_cast<signed char>(n < N ? B[k * N + n] - 1 : 0);
__global__ void __launch_bounds__(64)
ofBytes(const int8_t *A, const int8_t *B, int *C, int M, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  int c[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    int a[4];
    for (int i = 0; i < 4; ++i)
      a[i] = *(const int *)&A[(warp * 16 + g + i % 2 * 8) * K + k0 + t * 4 + i / 2 * 16];
    for (int j = 0; j < 4; ++j) {
      const int n = j * 8 + g;
      int8_t bytes[8];
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        const int k = k0 + t * 4 + i % 4 + i / 4 * 16;
        bytes[i] = n < N ? B[k * N + n] - 1 : 0;
      }
      const int *b = (const int *)bytes;
      asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, "
                   "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                   : "+r"(c[j][0]), "+r"(c[j][1]), "+r"(c[j][2]), "+r"(c[j][3])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
  }
  for (int j = 0; j < 4; ++j)
    store(C, 32, warp * 16 + g, j * 8 + t * 2, c[j]);
}
