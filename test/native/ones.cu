// Sums of rows by products with ones: attention's denominators, beside the product that they divide.
// An operand that is one constant needs no load, and lies as any layout wants it.
//
// RUN: %prove --launch %S/ones.yaml 2>&1 | FileCheck %S/Inputs/proved.txt
// RUN: %layout-port %s -o %t.one.hip --target gfx942
// RUN: %ported %t.one.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kPitch = 24;
constexpr uint32_t kOnes = 0x3c003c00;

__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  const uint32_t at = (uint32_t)__cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}
__device__ __forceinline__ void ldsm2t(uint32_t (&r)[2], const half *p) {
  const uint32_t at = (uint32_t)__cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"(at));
}
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void copyTiles(half *sA, half *sB, const half *A, const half *B, int N, int K, int k) {
  for (int v = threadIdx.x; v < 64; v += 64)
    *(uint4 *)(sA + v / 2 * kPitch + v % 2 * 8) = *(const uint4 *)(A + v / 2 * K + k + v % 2 * 8);
  for (int v = threadIdx.x; v < 64; v += 64)
    *(uint4 *)(sB + v / 4 * 40 + v % 4 * 8) = *(const uint4 *)(B + (k + v / 4) * N + v % 4 * 8);
}

// Declared with its constants.
// CHECK-LABEL: declared(
// CHECK: const uint32_t ones[2] = {kOnes, kOnes};
// CHECK: lp::mma_m16n8k16_f32_f16_wave{{[_0-9]*}}(sum, a, ones);
__global__ void __launch_bounds__(64) declared(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[32 * kPitch], sB[16 * 40];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t ones[2] = {kOnes, kOnes};
  float acc[4][4] = {}, sum[4] = {};
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A, B, N, K, k);
    __syncthreads();
    uint32_t a[4], b[2];
    ldsm4(a, sA + (warp * 16 + lane % 16) * kPitch + lane / 16 * 8);
    mma(sum, a, ones);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      ldsm2t(b, sB + lane % 16 * 40 + j * 8);
      mma(acc[j], a, b);
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * N + j * 8 + lane % 4 * 2 + e % 2] =
          acc[j][e] / (1.f + fabsf(sum[e]));
}

// Filled by a loop, and every second number along k counts.
// CHECK-LABEL: filled(
// CHECK: every[r] = 0x3c00;
// CHECK: lp::mma_m16n8k16_f32_f16_wave{{[_0-9]*}}(sum, a, every);
__global__ void __launch_bounds__(64) filled(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[32 * kPitch], sB[16 * 40];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  uint32_t every[2];
  for (int r = 0; r < 2; ++r)
    every[r] = 0x3c00;
  float sum[4] = {};
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A, B, N, K, k);
    __syncthreads();
    uint32_t a[4];
    ldsm4(a, sA + (warp * 16 + lane % 16) * kPitch + lane / 16 * 8);
    mma(sum, a, every);
    __syncthreads();
  }
  for (int e = 0; e < 4; ++e)
    C[(warp * 16 + lane / 4 + e / 2 * 8) * 8 + lane % 4 * 2 + e % 2] = sum[e];
}
