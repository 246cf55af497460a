// Copies of operands that do not take all registers of all tiles, or that one warp of a wave may do
// without the other.
//
// RUN: %layout-port %s -o %t.hip 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void ldsm2(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
}

// CHECK-DAG: someRegisters keeps 'a' in CUDA's layout and moves it for each product: 'a': its value reads 'an', registers of the thread's own
__global__ void __launch_bounds__(64)
someRegisters(const half *A, const half *B, float *C, int K, const int *flags) {
  __shared__ half sa[32][24], sb[16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  uint32_t a[4], an[4], b[2][2];
  ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
  for (int k = 0; k < K; k += 16) {
    ldsm4(an, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
      mma(c[j], a, b[j]);
    }
    for (int r = 0; r < 3; ++r)
      a[r] = an[r];
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK-DAG: otherRegisters keeps 'a' in CUDA's layout and moves it for each product: 'a': its value reads 'an', registers of the thread's own
__global__ void __launch_bounds__(64)
otherRegisters(const half *A, const half *B, float *C, int K, const int *flags) {
  __shared__ half sa[32][24], sb[16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  uint32_t a[4], an[4], b[2][2];
  ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
  for (int k = 0; k < K; k += 16) {
    ldsm4(an, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
      mma(c[j], a, b[j]);
    }
    for (int r = 0; r < 4; ++r)
      a[r] = an[3 - r];
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK-DAG: allButOne keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64)
allButOne(const half *A, const half *B, float *C, int K, const int *flags) {
  __shared__ half sa[32][24], sb[16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  uint32_t a[4], an[4], b[2][2];
  ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
  for (int k = 0; k < K; k += 16) {
    ldsm4(an, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
      mma(c[j], a, b[j]);
    }
    for (int r = 0; r < 4; ++r)
      if (r != K)
        a[r] = an[r];
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK-DAG: leaves keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64)
leaves(const half *A, const half *B, float *C, int K, const int *flags) {
  __shared__ half sa[32][24], sb[16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  uint32_t a[4], an[4], b[2][2];
  ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
  for (int k = 0; k < K; k += 16) {
    ldsm4(an, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
      mma(c[j], a, b[j]);
    }
    for (int r = 0; r < 4; ++r) {
      if (r == K)
        break;
      a[r] = an[r];
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK-DAG: byWarp keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64)
byWarp(const half *A, const half *B, float *C, int K, const int *flags) {
  __shared__ half sa[32][24], sb[16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  uint32_t a[4], an[4], b[2][2];
  ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
  for (int k = 0; k < K; k += 16) {
    ldsm4(an, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
      mma(c[j], a, b[j]);
    }
    if (flags[warp])
      for (int r = 0; r < 4; ++r)
        a[r] = an[r];
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK-DAG: changed keeps 'a' in CUDA's layout and moves it for each product: 'a': its value reads 'an', registers of the thread's own
__global__ void __launch_bounds__(64)
changed(const half *A, const half *B, float *C, int K, const int *flags) {
  __shared__ half sa[32][24], sb[16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  uint32_t a[4], an[4], b[2][2];
  ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
  for (int k = 0; k < K; k += 16) {
    ldsm4(an, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
      mma(c[j], a, b[j]);
    }
    for (int r = 0; r < 4; ++r)
      a[r] = an[r];
    an[0] ^= 1;
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// Lanes that have left the block copy nothing.
// CHECK-DAG: behindJump keeps 'a' in CUDA's layout and moves it for each product: 'a': its value reads 'an', registers of the thread's own
__global__ void __launch_bounds__(64)
behindJump(const half *A, const half *B, float *C, int K, const int *flags) {
  __shared__ half sa[32][24], sb[16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  uint32_t a[4], an[4], b[2][2];
  ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
  for (int k = 0; k < K; k += 16) {
    ldsm4(an, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
      mma(c[j], a, b[j]);
    }
    for (int q = 0; q < 1; ++q) {
      if (lane < flags[k])
        continue;
      for (int r = 0; r < 4; ++r)
        a[r] = an[r];
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}
