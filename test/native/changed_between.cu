// Operands that are changed between the products of one loop over tiles: then those are not taken
// together, or each is done in its turn.
//
// RUN: %prove --launch %S/changed_between.yaml 2>&1 | FileCheck %S/Inputs/native_halves_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ uint32_t word(const half *p) { return *(const uint32_t *)p; }
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
template <int N> __device__ void negate(uint32_t (&r)[N]) {
  for (int i = 0; i < N; ++i)
    r[i] ^= 0x80008000u;
}

// A has the other sign for every other tile.
// CHECK-LABEL: firstOperand(
// CHECK: lp::mma_m16n8k16_f32_f16{{.*}}(c[j], a, b[j]{{[,)]}}
__global__ void __launch_bounds__(64) firstOperand(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * K + k + t * 2 + r * 8);
    for (int j = 0; j < 4; ++j) {
      mma(c[j], a, b[j]);
      negate(a);
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + g + e / 2 * 8) * 32 + j * 8 + t * 2 + e % 2] = c[j][e];
}

// A tile of B between two products of its own.
// CHECK-LABEL: twice(
// CHECK: lp::mma_m16n8k16_f32_f16{{.*}}(c[j], a, b[j]{{[,)]}}
__global__ void __launch_bounds__(64) twice(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * K + k + t * 2 + r * 8);
    for (int j = 0; j < 4; ++j) {
      mma(c[j], a, b[j]);
      negate(b[j]);
      mma(c[j], a, b[j]);
      mma(c[j], a, b[j]);
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + g + e / 2 * 8) * 32 + j * 8 + t * 2 + e % 2] = c[j][e];
}

// All tiles of B in each turn.
// CHECK-LABEL: allInEachTurn(
// CHECK: lp::mma_m16n8k16_f32_f16{{.*}}(c[j], a, b[j]{{[,)]}}
__global__ void __launch_bounds__(64) allInEachTurn(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * K + k + t * 2 + r * 8);
    for (int j = 0; j < 4; ++j) {
      for (int i = 0; i < 4; ++i)
        negate(b[i]);
      mma(c[j], a, b[j]);
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + g + e / 2 * 8) * 32 + j * 8 + t * 2 + e % 2] = c[j][e];
}

// Each in its own turn: they are taken together.
// CHECK-LABEL: inItsTurn(
// CHECK: lp::mma_m16n8k16_f32_f16{{.*}}(c[j], a, b[j], j & 1
__global__ void __launch_bounds__(64) inItsTurn(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * K + k + t * 2 + r * 8);
    for (int j = 0; j < 4; ++j) {
      negate(b[j]);
      mma(c[j], a, b[j]);
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + g + e / 2 * 8) * 32 + j * 8 + t * 2 + e % 2] = c[j][e];
}
