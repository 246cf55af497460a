// Loops that begin at another number in each warp, and have as many turns in all of them.
//
// RUN: %prove --launch %S/alike_turns.yaml 2>&1 | FileCheck %S/Inputs/native_halves_proved.txt
// RUN: %ported %t.hip | FileCheck %s --check-prefix=TEXT
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ uint32_t word(const half *p) { return *(const uint32_t *)p; }
__device__ __forceinline__ void read(uint32_t (&a)[4], const half *p, int ld) {
  a[0] = word(p);
  a[1] = word(p + 8 * ld);
  a[2] = word(p + 8);
  a[3] = word(p + 8 * ld + 8);
}

// Two of eight matrices are each warp's.
// TEXT-LABEL: matrices(
// TEXT: for (int p = warp * 2; p < warp * 2 + 2; p++) {
// TEXT: lp::mma_m16n8k16
__global__ void __launch_bounds__(128) matrices(const half *A, const half *B, float *C) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int p = warp * 2; p < warp * 2 + 2; p++) {
    float acc[2][4] = {};
    uint32_t a[4];
    read(a, A + (p * 16 + lane / 4) * 16 + lane % 4 * 2, 16);
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + lane / 4) * 16 + lane % 4 * 2;
      mma(acc[j], a, word(q), word(q + 8));
    }
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        C[p * 256 + (lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = acc[j][e];
  }
}

// A slice of k is each warp's, as long for all; parts of the sum are added behind a barrier.
// TEXT-LABEL: slices(
// TEXT: for (int k0 = first; k0 < first + steps; k0 += 2 * 16)
// TEXT-NEXT: #pragma unroll
// TEXT-NEXT: for (int k = k0; k - k0 < 2 * 16 && k < first + steps; k += 16) {
// TEXT: lp::mma_m16n8k16
__global__ void __launch_bounds__(64) slices(const half *A, const half *B, float *C, int K) {
  __shared__ float s[2][16][8];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int steps = K / 2, first = warp * steps;
  float acc[4] = {};
  for (int k = first; k < first + steps; k += 16) {
    uint32_t a[4];
    read(a, A + lane / 4 * K + k + lane % 4 * 2, K);
    const half *q = B + lane / 4 * K + k + lane % 4 * 2;
    mma(acc, a, word(q), word(q + 8));
  }
  for (int e = 0; e < 4; ++e)
    s[warp][lane / 4 + e / 2 * 8][lane % 4 * 2 + e % 2] = acc[e];
  __syncthreads();
  for (int i = threadIdx.x; i < 128; i += 64)
    C[i] = s[0][i / 8][i % 8] + s[1][i / 8][i % 8];
}

// Every fourth tile is each warp's, and there are as many for all.
// TEXT-LABEL: dealt(
// TEXT: for (int tile = warp; tile < 8; tile += 4) {
// TEXT: lp::mma_m16n8k16
__global__ void __launch_bounds__(128) dealt(const half *A, const half *B, float *C) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  uint32_t a[4];
  read(a, A + lane / 4 * 16 + lane % 4 * 2, 16);
  for (int tile = warp; tile < 8; tile += 4) {
    float acc[4] = {};
    const half *q = B + (tile * 8 + lane / 4) * 16 + lane % 4 * 2;
    mma(acc, a, word(q), word(q + 8));
    *(float2 *)&C[lane / 4 * 64 + tile * 8 + lane % 4 * 2] = make_float2(acc[0], acc[1]);
    *(float2 *)&C[(lane / 4 + 8) * 64 + tile * 8 + lane % 4 * 2] = make_float2(acc[2], acc[3]);
  }
}
