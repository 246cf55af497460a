// Lane and warp as functions that are called where they are needed, in addresses, operands put
// together by hand and epilogues; one of them asks PTX.
//
// RUN: %prove --launch %S/index_calls.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ int lane_id() { return threadIdx.x & 31; }
__device__ __forceinline__ int warp_id() { return threadIdx.x >> 5; }
__device__ __forceinline__ unsigned thread_id() { return threadIdx.x; }
__device__ __forceinline__ unsigned ptx_lane() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  const uint32_t s = (uint32_t)__cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(s));
}

__device__ __forceinline__ void mma(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// CHECK: sA[warp * 16 + lane % 16][lane / 16 * 8]
// CHECK: (warp * 16 + lane / 4 + e / 2 * 8) * 16
__global__ void __launch_bounds__(64) calls(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half sA[32][24], sB[16][24];
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    for (int v = threadIdx.x; v < 32 * 16; v += 64)
      sA[v / 16][v % 16] = A[(blockIdx.x * 32 + v / 16) * K + k + v % 16];
    for (int v = threadIdx.x; v < 16 * 16; v += 64)
      sB[v / 16][v % 16] = B[v / 16 * K + k + v % 16];
    __syncthreads();
    uint32_t a[4];
    ldsm4(a, &sA[warp_id() * 16 + lane_id() % 16][lane_id() / 16 * 8]);
    for (int j = 0; j < 2; j++) {
      uint32_t b[2];
      b[0] = *(const uint32_t *)&sB[j * 8 + lane_id() / 4][lane_id() % 4 * 2];
      b[1] = *(const uint32_t *)&sB[j * 8 + lane_id() / 4][lane_id() % 4 * 2 + 8];
      mma(c[j], a, b[0], b[1]);
    }
    __syncthreads();
  }
  for (int j = 0; j < 2; j++)
    for (int e = 0; e < 4; e++)
      C[blockIdx.x * 512 + (warp_id() * 16 + lane_id() / 4 + e / 2 * 8) * 16 + j * 8 + lane_id() % 4 * 2 + e % 2] =
          c[j][e];
}

// Numbers without a sign: (lane - 16) / 16 is not -1.
__global__ void __launch_bounds__(64) numbers(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half sA[32][24], sB[16][24];
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    for (int v = threadIdx.x; v < 32 * 16; v += 64)
      sA[v / 16][v % 16] = A[(blockIdx.x * 32 + v / 16) * K + k + v % 16];
    for (int v = threadIdx.x; v < 16 * 16; v += 64)
      sB[v / 16][v % 16] = B[v / 16 * K + k + v % 16];
    __syncthreads();
    uint32_t a[4], b[4];
    ldsm4(a, &sA[thread_id() / 32 * 16 + ptx_lane() % 16][((ptx_lane() - 16) / 16 == 0) * 8]);
    ldsm4(b, &sB[ptx_lane() % 8 + thread_id() % 32 / 16 * 8][ptx_lane() / 8 % 2 * 8]);
#pragma unroll
    for (int j = 0; j < 2; j++)
      mma(c[j], a, b[2 * j], b[2 * j + 1]);
    __syncthreads();
  }
  for (int j = 0; j < 2; j++) {
    float *to = &C[(blockIdx.x * 32 + thread_id() / 32 * 16 + ptx_lane() / 4) * 16 + j * 8 + ptx_lane() % 4 * 2];
    to[0] = c[j][0];
    to[1] = c[j][1];
    to[8 * 16] = c[j][2];
    to[8 * 16 + 1] = c[j][3];
  }
}
