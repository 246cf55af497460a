// Rows are scaled in place behind the loop, then go through shared memory; a second loop hands
// element by element on.
//
// RUN: %prove --launch %S/rows_staged.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t smem(const void *p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
}
__device__ __forceinline__ void ldsm2t(uint32_t (&r)[2], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"(a));
}
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__global__ void __launch_bounds__(64)
    rowsStaged(const half *A, const half *B, half *O, float *P, int K) {
  __shared__ __align__(16) half out[32][64];
  __shared__ __align__(16) half a[32][24], b[16][72];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  float o[8][4] = {};
  float sum[2] = {1.f, 1.f};
  for (int k = 0; k < K; k += 16) {
    __syncthreads();
    for (int i = tid; i < 32 * 16; i += 64)
      a[i / 16][i % 16] = A[(blockIdx.x * 32 + i / 16) * K + k + i % 16];
    for (int i = tid; i < 16 * 64; i += 64)
      b[i / 64][i % 64] = B[(k + i / 64) * 64 + i % 64];
    __syncthreads();
    uint32_t af[4];
    ldsm4(af, smem(&a[warp * 16 + lane % 16][lane / 16 * 8]));
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      uint32_t bf[2];
      ldsm2t(bf, smem(&b[lane % 16][j * 8]));
      mma(o[j], af, bf);
    }
#pragma unroll
    for (int j = 0; j < 8; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        sum[e >> 1] += fabsf(o[j][e]);
  }
  float inv[2];
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    for (int off = 1; off < 4; off *= 2)
      sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], off);
    inv[r] = 1.f / sum[r];
  }
#pragma unroll
  for (int j = 0; j < 8; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e)
      o[j][e] *= inv[e >> 1];
#pragma unroll
  for (int j = 0; j < 8; ++j)
#pragma unroll
    for (int r = 0; r < 2; ++r)
      *(half2 *)&out[warp * 16 + lane / 4 + r * 8][j * 8 + lane % 4 * 2] =
          __floats2half2_rn(o[j][2 * r], o[j][2 * r + 1]);
#pragma unroll
  for (int j = 0; j < 8; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e)
      P[(blockIdx.x * 32 + warp * 16 + lane / 4 + e / 2 * 8) * 64 + j * 8 + lane % 4 * 2 + e % 2] =
          o[j][e] * sum[e / 2];
  __syncthreads();
  for (int i = tid; i < 32 * 8; i += 64)
    *(int4 *)&O[(blockIdx.x * 32 + i / 8) * 64 + i % 8 * 8] = *(int4 *)&out[i / 8][i % 8 * 8];
}

// CHECK-NOT: to_warp
// CHECK: sum[r] += lp::shfl_xor_wave(sum[r], off);
// CHECK: o[j][e] *= inv[e >> 1];
// CHECK: lp::each_pair(o[j],
// CHECK: for (int r = lower; r < lower + 1; ++r)
// CHECK: __floats2half2_rn(v[0], v[1]);
// CHECK: for (int e = 2 * lower; e < 2 * lower + 2; ++e)
// CHECK: v[e & 1] * sum[h];
