// Operands that other code makes or changes where CUDA has them, by lane, by warp or by what other
// lanes have: it stays as it is, each product moves their registers, and the sums stay where the
// MFMA has them.
//
// RUN: %prove --launch %S/kept_operands.yaml 2>&1 | FileCheck %S/Inputs/native_kept_proved.txt
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
__device__ uint32_t scaled(uint32_t x, half s) {
  const half2 product = __hmul2(*(half2 *)&x, __half2half2(s));
  return *(const uint32_t *)&product;
}

// Rows of A decay.
// CHECK-LABEL: decayed(
// CHECK: lp::mma_m16n8k16_f32_f16{{.*}}lp::move_a(a), b[j]
__global__ void __launch_bounds__(64)
    decayed(const half *A, const half *B, const half *W, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * K + k + t * 2 + r * 8);
    for (int r = 0; r < 4; ++r)
      a[r] = scaled(a[r], W[g + r % 2 * 8]);
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + g + e / 2 * 8) * 32 + j * 8 + t * 2 + e % 2] = c[j][e];
}

// A decays from tile to tile: none is multiplied with another.
// CHECK-LABEL: betweenTiles(
// CHECK: lp::mma_m16n8k16_f32_f16{{.*}}lp::move_a(a), b[j]
__global__ void __launch_bounds__(64)
    betweenTiles(const half *A, const half *B, const half *W, float *C, int K) {
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
      for (int r = 0; r < 4; ++r)
        a[r] = scaled(a[r], W[g]);
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + g + e / 2 * 8) * 32 + j * 8 + t * 2 + e % 2] = c[j][e];
}

// ... and within a turn.
// CHECK-LABEL: inPairs(
// CHECK: lp::mma_m16n8k16_f32_f16{{.*}}lp::move_a(a), b[j]
__global__ void __launch_bounds__(64)
    inPairs(const half *A, const half *B, const half *W, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * K + k + t * 2 + r * 8);
    a[1] = scaled(a[1], W[lane]);
    for (int j = 0; j < 4; j += 2) {
      mma(c[j], a, b[j]);
      a[0] = scaled(a[0], W[g]);
      mma(c[j + 1], a, b[j + 1]);
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + g + e / 2 * 8) * 32 + j * 8 + t * 2 + e % 2] = c[j][e];
}

// In one warp of the two.
// CHECK-LABEL: inOneWarp(
// CHECK: lp::mma_m16n8k16_f32_f16{{.*}}lp::move_a(a), b[j]
__global__ void __launch_bounds__(64)
    inOneWarp(const half *A, const half *B, const half *W, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * K + k + t * 2 + r * 8);
    if (warp == 1)
      a[3] = scaled(a[3], W[lane]);
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + g + e / 2 * 8) * 32 + j * 8 + t * 2 + e % 2] = c[j][e];
}

// By what another lane has.
// CHECK-LABEL: shuffled(
// CHECK: lp::mma_m16n8k16_f32_f16{{.*}}lp::move_a(a), b[j]
__global__ void __launch_bounds__(64)
    shuffled(const half *A, const half *B, const half *W, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * K + k + t * 2 + r * 8);
    a[1] = __shfl_xor_sync(0xffffffffu, a[1], 4);
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + g + e / 2 * 8) * 32 + j * 8 + t * 2 + e % 2] = c[j][e];
}

// Columns of B.
// CHECK-LABEL: columns(
// CHECK: lp::mma_m16n8k16_f32_f16{{.*}}lp::move_b(b[j])
__global__ void __launch_bounds__(64)
    columns(const half *A, const half *B, const half *W, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * K + k + t * 2 + r * 8);
    for (int j = 0; j < 4; ++j)
      b[j][1] = scaled(b[j][1], W[lane]);
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + g + e / 2 * 8) * 32 + j * 8 + t * 2 + e % 2] = c[j][e];
}

// Both operands: each warp has its own.
// CHECK-LABEL: both(
// CHECK: lp::mma_m16n8k16_f32_f16{{.*}}lp::move_a(a), lp::move_b(b[j])
__global__ void __launch_bounds__(64)
    both(const half *A, const half *B, const half *W, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * K + k + t * 2 + r * 8);
    for (int j = 0; j < 4; ++j)
      b[j][1] = scaled(b[j][1], W[lane]);
    a[0] = scaled(a[0], W[g]);
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + g + e / 2 * 8) * 32 + j * 8 + t * 2 + e % 2] = c[j][e];
}

// A copy of what A was.
// CHECK-LABEL: copied(
// CHECK: lp::mma_m16n8k16_f32_f16{{.*}}lp::move_a(
__global__ void __launch_bounds__(64)
    copied(const half *A, const half *B, const half *W, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * K + k + t * 2 + r * 8);
    uint32_t old[4];
    for (int r = 0; r < 4; ++r)
      old[r] = a[r];
    a[1] = scaled(a[1], W[lane]);
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
    for (int j = 0; j < 4; ++j)
      mma(c[j], old, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + g + e / 2 * 8) * 32 + j * 8 + t * 2 + e % 2] = c[j][e];
}

// A is read, too.
// CHECK-LABEL: summed(
// CHECK: lp::mma_m16n8k16_f32_f16{{.*}}lp::move_a(a), b[j]
__global__ void __launch_bounds__(64)
    summed(const half *A, const half *B, const half *W, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[4][4] = {};
  float s0 = 0, s1 = 0;
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * K + k + t * 2 + r * 8);
    s0 += __low2float(*(half2 *)&a[0]);
    s1 += __high2float(*(half2 *)&a[1]);
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  C[1024 + threadIdx.x] = s0 + 2 * s1;
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + g + e / 2 * 8) * 32 + j * 8 + t * 2 + e % 2] = c[j][e];
}

// By another name of it: no tile is multiplied with another.
// CHECK-LABEL: byPointer(
// CHECK: lp::mma_m16n8k16_f32_f16{{.*}}wave{{[_0-9]*}}(c[j], lp::move_a(a), b[j]
__global__ void __launch_bounds__(64)
    byPointer(const half *A, const half *B, const half *W, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * K + k + t * 2 + r * 8);
    uint32_t *its = a;
    for (int j = 0; j < 4; ++j) {
      mma(c[j], a, b[j]);
      its[1] = scaled(its[1], W[lane]);
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + g + e / 2 * 8) * 32 + j * 8 + t * 2 + e % 2] = c[j][e];
}

// In a lambda that is called for each tile.
// CHECK-LABEL: byLambda(
// CHECK: lp::mma_m16n8k16_f32_f16{{.*}}wave{{[_0-9]*}}(c[j], lp::move_a(a), b[j]
__global__ void __launch_bounds__(64)
    byLambda(const half *A, const half *B, const half *W, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * K + k + t * 2 + r * 8);
    auto decay = [&] { a[1] = scaled(a[1], W[lane]); };
    for (int j = 0; j < 4; ++j) {
      mma(c[j], a, b[j]);
      decay();
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + g + e / 2 * 8) * 32 + j * 8 + t * 2 + e % 2] = c[j][e];
}

// The same by what all lanes have: then it may be where the MFMA wants it, or move.
// CHECK-LABEL: alikeByLambda(
// CHECK: lp::mma_m16n8k16_f32_f16{{.*}}wave{{[_0-9]*}}(c[j], {{(lp::move_a\(a\)|a)}}, b[j]
__global__ void __launch_bounds__(64)
    alikeByLambda(const half *A, const half *B, const half *W, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * K + k + t * 2 + r * 8);
    auto negate = [&] {
      for (int r = 0; r < 4; ++r)
        a[r] ^= 0x80008000u;
    };
    for (int j = 0; j < 4; ++j) {
      mma(c[j], a, b[j]);
      negate();
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + g + e / 2 * 8) * 32 + j * 8 + t * 2 + e % 2] = c[j][e];
}
