// An epilogue in two steps: elements are scaled, given a bias and cut off in registers, in loops of
// their own, and stored afterwards. Each lane changes what it holds.
//
// RUN: %prove --launch %S/changed_in_place.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
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
__device__ __forceinline__ void ldsm2(uint32_t (&r)[2], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"(a));
}
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__global__ void __launch_bounds__(128)
    changedInPlace(const half *A, const half *B, const float *bias, half *C, float alpha, int M,
                   int N, int K) {
  __shared__ __align__(16) half sA[32][24], sB[64][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 16, wn = warp % 2 * 32;
  float acc[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    __syncthreads();
    const int r = threadIdx.x / 2, c = threadIdx.x % 2 * 8;
    if (r < 32)
      *(uint4 *)&sA[r][c] = *(const uint4 *)&A[r * K + k + c];
    *(uint4 *)&sB[r][c] = *(const uint4 *)&B[r * K + k + c];
    __syncthreads();
    uint32_t a[4], b[2];
    ldsm4(a, smem(&sA[wm + lane % 16][lane / 16 * 8]));
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      ldsm2(b, smem(&sB[wn + j * 8 + lane % 8][lane / 8 % 2 * 8]));
      mma(acc[j], a, b);
    }
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const int col = wn + j * 8 + lane % 4 * 2;
    acc[j][0] = acc[j][0] * alpha + bias[col];
    acc[j][1] = acc[j][1] * alpha + bias[col + 1];
    acc[j][2] = acc[j][2] * alpha + bias[col];
    acc[j][3] = acc[j][3] * alpha + bias[col + 1];
  }
#pragma unroll
  for (int j = 0; j < 4; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e)
      acc[j][e] = fmaxf(acc[j][e], 0.f);
  // Rows that are even in C count twice.
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int row = wm + lane / 4 + r * 8;
    if (row >= M)
      continue;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      if (row % 2 == 0)
        acc[j][2 * r] += acc[j][2 * r];
      const int col = wn + j * 8 + lane % 4 * 2;
      *(half2 *)&C[row * N + col] = __floats2half2_rn(acc[j][2 * r], acc[j][2 * r + 1]);
    }
  }
}

// CHECK-NOT: to_warp_layout
// CHECK: lp::each_pair(acc[j], [&](int lane, int warp, auto &v) {
// CHECK: v[0] = v[0] * alpha + bias[col];
// CHECK-NEXT: v[1] = v[1] * alpha + bias[col + 1];
// CHECK-NEXT: });
// CHECK: v[e & 1] = fmaxf(v[e & 1], 0.f);
// CHECK: v[0] += v[0];
