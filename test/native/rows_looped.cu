// What rows are divided by is found in the loop over k and reduced behind it, row by row, in a loop
// over rows r and r + 8 that also stores; the same function reduces in both places.
//
// RUN: %prove --launch %S/rows_looped.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
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
__device__ __forceinline__ float quadMax(float x) {
  x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
  return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
}

__global__ void __launch_bounds__(64)
    rowsLooped(const half *A, const half *B, half *O, float *log, int M, int K) {
  __shared__ __align__(16) half a[32][24], b[16][72];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  float o[8][4] = {};
  float most[2] = {}, seen[2] = {1.f, 1.f};
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
    for (int r = 0; r < 2; ++r) {
      float top = most[r];
#pragma unroll
      for (int j = 0; j < 8; ++j)
        top = fmaxf(top, fmaxf(fabsf(o[j][2 * r]), fabsf(o[j][2 * r + 1])));
      most[r] = top;
      seen[r] += quadMax(top);
    }
  }
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    most[r] = quadMax(most[r]);
    const float scale = most[r] > 0.f ? 1.f / most[r] : 1.f;
    const int row = blockIdx.x * 32 + warp * 16 + lane / 4 + r * 8;
    if (row < M) {
      if (lane % 4 == 0)
        log[row] = seen[r] + most[r];
#pragma unroll
      for (int j = 0; j < 8; ++j)
        *(half2 *)&O[row * 64 + j * 8 + lane % 4 * 2] =
            __floats2half2_rn(o[j][2 * r] * scale, o[j][2 * r + 1] * scale);
    }
  }
}

// CHECK-NOT: to_warp
// CHECK: lp::each_row([&](int lane, int warp, int r, int h) {
// CHECK-NEXT: most[h] = quadMax(most[h]);
// CHECK-NEXT: const float scale = most[h] > 0.f ? 1.f / most[h] : 1.f;
// CHECK-NEXT: const int row = blockIdx.x * 32 + warp * 16 + lane / 4 + r * 8;
// CHECK-NEXT: if (row < M) {
// CHECK: log[row] = seen[h] + most[h];
// CHECK: for (int j = 0; j < 8; ++j)
// CHECK-NEXT: lp::each_pair_of(o[j], j, h, [&](int lane, int j, const auto &v) {
// CHECK-NEXT: *(half2 *)&O[row * 64 + j * 8 + lane % 4 * 2] =
// CHECK-NEXT: __floats2half2_rn(v[0] * scale, v[1] * scale);
