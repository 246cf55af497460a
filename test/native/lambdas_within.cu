// Lambdas that call others: one reads, one multiplies, one does both and is what the kernel calls.
//
// RUN: %prove --launch %S/lambdas_within.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

namespace {
constexpr int kLd = 40;

__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void ldsm2(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void copyTile(half *to, const half *from, int rows, int K) {
  for (int v = threadIdx.x; v < rows * 4; v += 64)
    *(uint4 *)&to[v / 4 * kLd + v % 4 * 8] = *(const uint4 *)&from[v / 4 * K + v % 4 * 8];
}
} // namespace

// CHECK-LABEL: nested(
// CHECK: auto read = [&](int k) {
// CHECK: lp::load_a(
// CHECK: auto step = [&](int k) {
__global__ void __launch_bounds__(64) nested(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half sA[32 * kLd], sB[32 * kLd];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  uint32_t a[4], b[4][2];
  float acc[4][4] = {};
  auto read = [&](int k) {
    ldsm4(a, sA + (warp * 16 + lane % 16) * kLd + k + lane / 16 * 8);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], sB + (j * 8 + lane % 8) * kLd + k + lane / 8 % 2 * 8);
  };
  auto multiply = [&]() {
    for (int j = 0; j < 4; ++j)
      mma(acc[j], a, b[j][0], b[j][1]);
  };
  auto step = [&](int k) {
    read(k);
    multiply();
  };
  for (int k0 = 0; k0 < K; k0 += 32) {
    copyTile(sA, A + k0, 32, K);
    copyTile(sB, B + k0, 32, K);
    __syncthreads();
    for (int k = 0; k < 32; k += 16)
      step(k);
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = acc[j][e];
}

// Registers in turn: what one lambda reads ahead another multiplies.
// CHECK-LABEL: ahead(
__global__ void __launch_bounds__(64) ahead(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half sA[2][32 * kLd], sB[2][32 * kLd];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  uint32_t a[2][4], b[2][4][2];
  float acc[4][4] = {};
  auto fetch = [&](int stage, int k0) {
    copyTile(sA[stage], A + k0, 32, K);
    copyTile(sB[stage], B + k0, 32, K);
    __syncthreads();
  };
  auto read = [&](int k, int stage) {
    ldsm4(a[k % 2], sA[stage] + (warp * 16 + lane % 16) * kLd + k % 2 * 16 + lane / 16 * 8);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[k % 2][j], sB[stage] + (j * 8 + lane % 8) * kLd + k % 2 * 16 + lane / 8 % 2 * 8);
  };
  auto multiply = [&](int k) {
    for (int j = 0; j < 4; ++j)
      mma(acc[j], a[k % 2], b[k % 2][j][0], b[k % 2][j][1]);
  };
  auto start = [&]() {
    fetch(0, 0);
    read(0, 0);
  };
  start();
  for (int t = 0; t < K / 32; ++t) {
    read(1, t % 2);
    multiply(0);
    if (t + 1 < K / 32) {
      fetch((t + 1) % 2, (t + 1) * 32);
      read(0, (t + 1) % 2);
    }
    multiply(1);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = acc[j][e];
}
