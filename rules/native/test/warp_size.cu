// warpSize is 32 wherever the port copies text, also where no other rule sees it: from a header, from a
// macro, and what two rows say of it. So is the cast of an address the device runtime's.
//
// RUN: %layout-port %s -o %t.hip --target gfx90a,gfx942,gfx950 --verify --launch %S/Inputs/warp_size.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: %ported %t.hip | FileCheck %s
//
// REPORT-NOT: {{refuted|is not native|does not compile}}
// REPORT: verify gfx90a: proved
// REPORT: verify gfx942: proved
// REPORT: verify gfx950: proved
#include "Inputs/warp_size.cuh"

// CHECK-LABEL: fromHeader(
// CHECK: const void *const p = &s[row + lane % 16][k + lane / (32 / 2) * 8];
// CHECK-NEXT: return (uint32_t)lp::cvta_generic_to_shared(p);
__global__ void __launch_bounds__(64) fromHeader(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[32][40], sB[32][40];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, g = lane / 4, t = lane % 4;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    for (int i = threadIdx.x; i < 32 * 4; i += 64) {
      *(int4 *)&sA[i / 4][i % 4 * 8] = *(const int4 *)&A[(blockIdx.y * 32 + i / 4) * K + k0 + i % 4 * 8];
      *(int4 *)&sB[i / 4][i % 4 * 8] = *(const int4 *)&B[(blockIdx.x * 32 + i / 4) * K + k0 + i % 4 * 8];
    }
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[2];
      loadTile(a, sA, warp * 16, kk, lane);
      for (int j = 0; j < 4; ++j) {
        ldsm2(b, &sB[j * 8 + lane % 8][kk + lane / 8 % 2 * 8]);
        mma(acc[j], a, b);
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.y * 32 + warp * 16 + g + e / 2 * 8) * N + blockIdx.x * 32 + j * 8 + t * 2 + e % 2] = acc[j][e];
}

#define LOAD_A(to, s, row, k) ldsm4(to, &s[(row) + lane % 16][(k) + lane / (warpSize / 2) * 8])
// CHECK-LABEL: fromMacro(
// CHECK-NOT: lane / (warpSize
__global__ void __launch_bounds__(64) fromMacro(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[32][40], sB[32][40];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, g = lane / 4, t = lane % 4;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    for (int i = threadIdx.x; i < 32 * 4; i += 64) {
      *(int4 *)&sA[i / 4][i % 4 * 8] = *(const int4 *)&A[(blockIdx.y * 32 + i / 4) * K + k0 + i % 4 * 8];
      *(int4 *)&sB[i / 4][i % 4 * 8] = *(const int4 *)&B[(blockIdx.x * 32 + i / 4) * K + k0 + i % 4 * 8];
    }
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[2];
      LOAD_A(a, sA, warp * 16, kk);
      for (int j = 0; j < 4; ++j) {
        ldsm2(b, &sB[j * 8 + lane % 8][kk + lane / 8 % 2 * 8]);
        mma(acc[j], a, b);
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.y * 32 + warp * 16 + g + e / 2 * 8) * N + blockIdx.x * 32 + j * 8 + t * 2 + e % 2] = acc[j][e];
}

// CHECK-LABEL: begun(
// CHECK-NOT: tid / warpSize
__global__ void __launch_bounds__(64) begun(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[32][40], sB[32][40];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, g = lane / 4, t = lane % 4;
  float acc[4][4];
  for (int j = 0; j < 4; ++j) {
    acc[j][0] = tid / warpSize * 16 + g;
    acc[j][1] = tid / warpSize * 16 + g + t;
    acc[j][2] = tid / warpSize * 16 + g + 8;
    acc[j][3] = tid / warpSize * 16 + g + 8 + t;
  }
  for (int k0 = 0; k0 < K; k0 += 32) {
    for (int i = threadIdx.x; i < 32 * 4; i += 64) {
      *(int4 *)&sA[i / 4][i % 4 * 8] = *(const int4 *)&A[(blockIdx.y * 32 + i / 4) * K + k0 + i % 4 * 8];
      *(int4 *)&sB[i / 4][i % 4 * 8] = *(const int4 *)&B[(blockIdx.x * 32 + i / 4) * K + k0 + i % 4 * 8];
    }
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[2];
      ldsm4(a, &sA[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < 4; ++j) {
        ldsm2(b, &sB[j * 8 + lane % 8][kk + lane / 8 % 2 * 8]);
        mma(acc[j], a, b);
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.y * 32 + warp * 16 + g + e / 2 * 8) * N + blockIdx.x * 32 + j * 8 + t * 2 + e % 2] = acc[j][e];
}
