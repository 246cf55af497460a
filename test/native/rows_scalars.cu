// What rows are divided by in two scalars, for rows r and r + 8, reduced and inverted behind the
// loop; statements for either row side by side.
//
// RUN: %prove --launch %S/rows_scalars.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
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
    rowsScalars(const half *A, const half *B, float *O, float *log, int K) {
  __shared__ __align__(16) half a[32][24], b[16][40];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  float o[4][4] = {};
  float l0 = 1.f, l1 = 1.f;
  for (int k = 0; k < K; k += 16) {
    __syncthreads();
    for (int i = tid; i < 32 * 16; i += 64)
      a[i / 16][i % 16] = A[(blockIdx.x * 32 + i / 16) * K + k + i % 16];
    for (int i = tid; i < 16 * 32; i += 64)
      b[i / 32][i % 32] = B[(k + i / 32) * 32 + i % 32];
    __syncthreads();
    uint32_t af[4];
    ldsm4(af, smem(&a[warp * 16 + lane % 16][lane / 16 * 8]));
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      uint32_t bf[2];
      ldsm2t(bf, smem(&b[lane % 16][j * 8]));
      mma(o[j], af, bf);
    }
    for (int j = 0; j < 4; ++j) {
      l0 += fabsf(o[j][0]) + fabsf(o[j][1]);
      l1 += fabsf(o[j][2]) + fabsf(o[j][3]);
    }
  }
  l0 += __shfl_xor_sync(0xffffffffu, l0, 1);
  l0 += __shfl_xor_sync(0xffffffffu, l0, 2);
  l1 += __shfl_xor_sync(0xffffffffu, l1, 1);
  l1 += __shfl_xor_sync(0xffffffffu, l1, 2);
  const float inv0 = 1.f / l0, inv1 = 1.f / l1;
  const int row = blockIdx.x * 32 + warp * 16 + lane / 4;
  for (int j = 0; j < 4; ++j) {
    const int col = j * 8 + lane % 4 * 2;
    *(float2 *)&O[row * 32 + col] = make_float2(o[j][0] * inv0, o[j][1] * inv0);
    *(float2 *)&O[(row + 8) * 32 + col] = make_float2(o[j][2] * inv1, o[j][3] * inv1);
  }
  if (lane % 4 == 0) {
    log[row] = logf(l0);
    log[row + 8] = logf(l1);
  }
}

// CHECK-NOT: to_warp
// CHECK: l1 += lp::shfl_xor_wave(l1, 2);
// CHECK-NEXT: const float inv0 = 1.f / l0, inv1 = 1.f / l1;
// CHECK: *(float2 *)&O[(row + 8 * lower) * 32 + col] = make_float2(v[0] * (h ? inv1 : inv0), v[1] * (h ? inv1 : inv0));
// CHECK: lp::each_row([&](int lane, int warp, int lower, int h) {
// CHECK: log[row + 8 * lower] = logf((h ? l1 : l0));
