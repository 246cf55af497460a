// Operands whose registers are set where a condition of the thread holds, and are zeros where not:
// each is a choice, that another lane makes as well.
//
// RUN: %prove --launch %S/guarded.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ uint32_t word(const half *p) { return *(const uint32_t *)p; }
__device__ __forceinline__ void store(float *C, int M, int N, int row, int col, const float (&c)[4]) {
  if (row < M && col < N)
    *(float2 *)&C[row * N + col] = make_float2(c[0], c[1]);
  if (row + 8 < M && col < N)
    *(float2 *)&C[(row + 8) * N + col] = make_float2(c[2], c[3]);
}

// Both arms, or what was set before.
// CHECK-LABEL: byArms(
// CHECK: uint32_t a[4];
// CHECK-NEXT: lp::gather_a(a, [&](int lane, int warp, int r) {
// CHECK: const int below = 8 * K;
// CHECK: return r == 0 ? (r0 < M ? word(A + r0 * K + kk) : 0)
// CHECK-NEXT: : r == 1 ? (r1 < M ? word(A + r0 * K + below + kk) : 0)
// CHECK-NEXT: : r == 2 ? (r0 < M && kk + 8 < K ? word(A + r0 * K + kk + 8) : 0)
// CHECK-NEXT: : (r1 < M ? (kk + 8 < K ? word(A + r1 * K + kk + 8) : 1) : 0);
// CHECK: lp::gather_b(b, [&](int lane, int, int j, int r) {
// CHECK: const auto p = B + n * K + kk;
// CHECK: return r == 0 ? (n < N ? word(p) : 0u) : (n < N && kk + 8 < K ? word(p + 8) : 0u);
__global__ void __launch_bounds__(64)
byArms(const half *A, const half *B, float *C, int M, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const int below = -M * K;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    const int r0 = warp * 16 + g, r1 = r0 + 8, kk = k + t * 2;
    uint32_t a[4];
    a[0] = a[2] = 0;
    if (r0 < M) {
      a[0] = word(A + r0 * K + kk);
      if (kk + 8 < K)
        a[2] = word(A + r0 * K + kk + 8);
    }
    if (r1 < M) {
      const int below = 8 * K; // not the one around
      a[1] = word(A + r0 * K + below + kk);
      if (kk + 8 < K)
        a[3] = word(A + r1 * K + kk + 8);
      else
        a[3] = 1;
    } else {
      a[1] = 0;
      a[3] = 0;
    }
    for (int j = 0; j < 4; ++j) {
      const int n = j * 8 + g;
      uint32_t b[2] = {0u, 0u};
      if (n < N) {
        const half *const p = B + n * K + kk;
        b[0] = word(p);
        if (kk + 8 < K)
          b[1] = word(p + 8);
      }
      mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 4; ++j)
    store(C, below < 0 ? M : 0, N, warp * 16 + g, j * 8 + t * 2, c[j]);
}

// In loops over the registers; a declaration stands between two conditions, and stays there.
// CHECK-LABEL: inLoops(
// CHECK: for (int i = 0; i < 2; ++i) {
// CHECK-NEXT: lp::gather_a_2(a[i], [&](int lane, int warp, int reg) {
// CHECK: return reg == 0 ? (r0 < M ? word(A + r0 * K + k + t * 2) : 0)
// CHECK: lp::gather_b_2(b, [&](int lane, int, int j, int r) {
// CHECK: return n < N && k + kk < K ? word(B + n * K + k + kk) : 0;
__global__ void __launch_bounds__(64)
inLoops(const half *A, const half *B, float *C, int M, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[2][4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[2][4] = {};
    for (int i = 0; i < 2; ++i) {
      a[i][0] = a[i][1] = 0;
      a[i][2] = 0;
      a[i][3] = 0;
      const int r0 = warp * 32 + i * 16 + g;
      if (r0 < M)
        a[i][0] = word(A + r0 * K + k + t * 2);
      if (r0 < M && k + 8 < K)
        a[i][2] = word(A + r0 * K + k + t * 2 + 8);
      const int r1 = r0 + 8;
      if (r1 < M)
        a[i][1] = word(A + r1 * K + k + t * 2);
      if (r1 < M && k + 8 < K)
        a[i][3] = word(A + r1 * K + k + t * 2 + 8);
    }
    for (int j = 0; j < 4; ++j) {
      uint32_t b[2];
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        const int n = j * 8 + g, kk = t * 2 + r * 8;
        b[r] = 0;
        if (n < N && k + kk < K)
          b[r] = word(B + n * K + k + kk);
      }
      for (int i = 0; i < 2; ++i)
        mma(c[i][j], a[i], b);
    }
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      store(C, M, N, warp * 32 + i * 16 + g, j * 8 + t * 2, c[i][j]);
}

// Registers that are variables, and two of four set by a condition that all threads share.
// CHECK-LABEL: byVariables(
// CHECK: lp::gather_a(lp::scalars(a0, a1, a2, a3), [&](int lane, int warp, int r) {
// CHECK: (r0 < M && k + 8 < K ? word(A + r0 * K + k + t * 2 + 8) : 0)
// CHECK: lp::gather_b(b, [&](int lane, int, int j, int r) {
// CHECK: return r == 0 ? word(p) : (k + 8 < K ? word(p + 8) : 0);
__global__ void __launch_bounds__(64)
byVariables(const half *A, const half *B, float *C, int M, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const int r0 = warp * 16 + g, r1 = r0 + 8;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a0 = 0, a1 = 0, a2 = 0, a3 = 0;
    if (r0 < M) {
      a0 = word(A + r0 * K + k + t * 2);
      a2 = k + 8 < K ? word(A + r0 * K + k + t * 2 + 8) : 0;
    }
    if (r1 < M) {
      a1 = word(A + r1 * K + k + t * 2);
      a3 = k + 8 < K ? word(A + r1 * K + k + t * 2 + 8) : 0;
    }
    for (int j = 0; j < 4; ++j) {
      const int n = min(j * 8 + g, N - 1);
      const half *p = B + n * K + k + t * 2;
      uint32_t b[2];
      b[0] = word(p);
      if (k + 8 < K)
        b[1] = word(p + 8);
      else
        b[1] = 0;
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                   "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                   : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
                   : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b[0]), "r"(b[1]));
    }
  }
  for (int j = 0; j < 4; ++j)
    store(C, M, N, r0, j * 8 + t * 2, c[j]);
}

// A condition that all share and that fills all of an operand stays where it is.
// CHECK-LABEL: byAll(
// CHECK: if (k < K) {
// CHECK-NEXT: lp::gather_b(b, [&]
// CHECK: } else {
// CHECK-NEXT: b[0] = b[1] = 0;
__global__ void __launch_bounds__(64)
byAll(const half *A, const half *B, float *C, int M, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const int r0 = min(warp * 16 + g, M - 1), r1 = min(warp * 16 + g + 8, M - 1);
  float c[2][4] = {};
  for (int k = 0; k < K + 16; k += 16) {
    uint32_t a[4];
    a[0] = word(A + r0 * K + k % K + t * 2);
    a[1] = word(A + r1 * K + k % K + t * 2);
    a[2] = a[3] = 0;
    for (int j = 0; j < 2; ++j) {
      const half *p = B + (j * 8 + g) * K + k + t * 2;
      uint32_t b[2];
      if (k < K) {
        b[0] = word(p);
        b[1] = 0x3c003c00u;
      } else {
        b[0] = b[1] = 0;
      }
      mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 2; ++j)
    store(C, M, N, warp * 16 + g, j * 8 + t * 2, c[j]);
}

// Each branch has a pointer of its own, both of one name.
// CHECK-LABEL: byPointers(
// CHECK: lp::gather_a(a, [&](int lane, int warp, int r) {
// CHECK: const auto p = A + r0 * K + k + t * 2;
// CHECK-NEXT: const auto p2 = A + (r0 + 8) * K + k + t * 2;
// CHECK-NEXT: return r == 0 ? (r0 < M ? word(p) : 0)
// CHECK-NEXT: : r == 1 ? (r0 + 8 < M ? word(p2) : 0)
// CHECK-NEXT: : r == 2 ? (r0 < M ? word(p + 8) : 0)
// CHECK-NEXT: : (r0 + 8 < M ? word(p2 + 8) : 0);
__global__ void __launch_bounds__(64)
byPointers(const half *A, const half *B, float *C, int M, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const int r0 = warp * 16 + g;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4];
    if (r0 < M) {
      const half *p = A + r0 * K + k + t * 2;
      a[0] = word(p);
      a[2] = word(p + 8);
    } else {
      a[0] = a[2] = 0;
    }
    if (r0 + 8 < M) {
      const half *p = A + (r0 + 8) * K + k + t * 2;
      a[1] = word(p);
      a[3] = word(p + 8);
    } else {
      a[1] = a[3] = 0;
    }
    for (int j = 0; j < 2; ++j) {
      const half *p = B + (j * 8 + g) * K + k + t * 2;
      uint32_t b[2] = {word(p), word(p + 8)};
      mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 2; ++j)
    store(C, M, N, r0, j * 8 + t * 2, c[j]);
}
