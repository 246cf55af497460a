// Operands that are changed in place, every register of every tile in one way: float to tf32, by
// loops, functions and methods. Wherever an element lies, it is changed so.
//
// RUN: %prove --launch %S/rounded.yaml 2>&1 | FileCheck %S/Inputs/native_tested.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int PITCH = 36;

__device__ void round(uint32_t &x) {
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(x) : "f"(__uint_as_float(x)));
}
__device__ uint32_t rounded(uint32_t x) {
  uint32_t y;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(__uint_as_float(x)));
  return y;
}
template <int N> __device__ void roundAll(uint32_t (&r)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i)
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r[i]) : "f"(__uint_as_float(r[i])));
}
struct Four {
  uint32_t r[4];
  __device__ void round() {
#pragma unroll
    for (auto &x : r)
      asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(x) : "f"(__uint_as_float(x)));
  }
};
__device__ void ldsm4(uint32_t (&r)[4], const float *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(row)));
}
__device__ void ldsm2(uint32_t (&r)[2], const float *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"((uint32_t)__cvta_generic_to_shared(row)));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

#define BEGIN                                                                                      \
  __shared__ __align__(16) float sA[32 * PITCH], sB[64 * PITCH];                                   \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const int wm = warp / 2 * 16, wn = warp % 2 * 32;                                                \
  float acc[4][4] = {};

#define FETCH(k)                                                                                   \
  __syncthreads();                                                                                 \
  for (int i = threadIdx.x; i < 768; i += 128)                                                     \
    *(float4 *)(i < 256 ? &sA[i / 8 * PITCH + i % 8 * 4]                                           \
                        : &sB[(i / 8 - 32) * PITCH + i % 8 * 4]) =                                 \
        *(const float4 *)(i < 256 ? &A[i / 8 * K + (k) + i % 8 * 4]                                \
                                  : &B[(i / 8 - 32) * K + (k) + i % 8 * 4]);                       \
  __syncthreads();

// CHECK-LABEL: byLoops(
// CHECK:      x = rounded(x);
// CHECK:      round(b[j][r]);
__global__ void __launch_bounds__(128) byLoops(const float *A, const float *B, float *C, int K) {
  BEGIN
  for (int k = 0; k < K; k += 32) {
    FETCH(k)
    for (int kk = 0; kk < 32; kk += 8) {
      uint32_t a[4], b[4][2];
      ldsm4(a, &sA[(wm + lane % 16) * PITCH + kk + lane / 16 * 4]);
      for (auto &x : a)
        x = rounded(x);
      for (int j = 0; j < 4; ++j) {
        ldsm2(b[j], &sB[(wn + j * 8 + lane % 8) * PITCH + kk + lane / 8 % 2 * 4]);
        for (int r = 0; r < 2; ++r)
          round(b[j][r]);
      }
      for (int j = 0; j < 4; ++j)
        mma(acc[j], a, b[j][0], b[j][1]);
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(wm + lane / 4 + e / 2 * 8) * 64 + wn + j * 8 + lane % 4 * 2 + e % 2] = acc[j][e];
}

// CHECK-LABEL: byFunctions(
// CHECK:      roundAll(a);
// CHECK:      roundAll(b[j]);
__global__ void __launch_bounds__(128) byFunctions(const float *A, const float *B, float *C, int K) {
  BEGIN
  for (int k = 0; k < K; k += 32) {
    FETCH(k)
    for (int kk = 0; kk < 32; kk += 8) {
      uint32_t a[4], b[4][2];
      ldsm4(a, &sA[(wm + lane % 16) * PITCH + kk + lane / 16 * 4]);
      roundAll(a);
      for (int j = 0; j < 4; ++j)
        ldsm2(b[j], &sB[(wn + j * 8 + lane % 8) * PITCH + kk + lane / 8 % 2 * 4]);
      for (int j = 0; j < 4; ++j)
        roundAll(b[j]);
      for (int j = 0; j < 4; ++j)
        mma(acc[j], a, b[j][0], b[j][1]);
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(wm + lane / 4 + e / 2 * 8) * 64 + wn + j * 8 + lane % 4 * 2 + e % 2] = acc[j][e];
}

// CHECK-LABEL: byMethods(
// CHECK:      a.round();
// CHECK:      b[i].round();
__global__ void __launch_bounds__(128) byMethods(const float *A, const float *B, float *C, int K) {
  BEGIN
  for (int k = 0; k < K; k += 32) {
    FETCH(k)
    for (int kk = 0; kk < 32; kk += 8) {
      Four a, b[2];
      ldsm4(a.r, &sA[(wm + lane % 16) * PITCH + kk + lane / 16 * 4]);
      a.round();
      for (int i = 0; i < 2; ++i) {
        ldsm4(b[i].r, &sB[(wn + i * 16 + lane / 16 * 8 + lane % 8) * PITCH + kk + lane / 8 % 2 * 4]);
        b[i].round();
      }
      for (int j = 0; j < 4; ++j)
        mma(acc[j], a.r, b[j / 2].r[j % 2 * 2], b[j / 2].r[j % 2 * 2 + 1]);
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(wm + lane / 4 + e / 2 * 8) * 64 + wn + j * 8 + lane % 4 * 2 + e % 2] = acc[j][e];
}
