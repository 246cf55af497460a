// Results are exchanged by a function of a header, in f16, for two sizes of a template. What has the
// shape [m][n][2] of rows goes back to CUDA's lanes by loops with the author's extents.
//
// RUN: %layout-port %s -o %t.hip --target gfx90a,gfx942,gfx950 --verify --launch %S/Inputs/between_header.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: FileCheck %s --input-file=%t.hip
//
// REPORT-NOT: is not native
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes
// REPORT: verify gfx90a: {{proved|tested}}
// REPORT: verify gfx942: {{proved|tested}}
// REPORT: verify gfx950: {{proved|tested}}
#include "Inputs/quads.cuh"
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t (&r)[4], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
}
__device__ void ldsm2(uint32_t (&r)[2], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// The largest of each row of 8 columns, over steps of k, halved where it is more than 1; then stored
// by the first lane of each quad.
// CHECK: x = max(x, lp::shfl_xor_wave(x, mask));
// CHECK-LABEL: void {{.*}}largest(
// CHECK: // lp: values of rows in the lanes of CUDA
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int i = 0; i < 1; ++i)
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int j = 0; j < TILES; ++j)
// CHECK-NEXT: lp::to_warp_rows_of(most[i][j]);
template <int TILES>
__global__ void __launch_bounds__(64) largest(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half sA[32 * 16], sB[TILES * 8 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float most[1][TILES][2];
  for (int j = 0; j < TILES; ++j)
    most[0][j][0] = most[0][j][1] = 0;
  for (int k = 0; k < K; k += 16) {
    for (int i = threadIdx.x; i < 32 * 16; i += 64)
      sA[i] = A[i / 16 * K + k + i % 16];
    for (int i = threadIdx.x; i < TILES * 8 * 16; i += 64)
      sB[i] = B[i / 16 * K + k + i % 16];
    __syncthreads();
    uint32_t a[4], b[2];
    ldsm4(a, (uint32_t)__cvta_generic_to_shared(&sA[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
#pragma unroll
    for (int j = 0; j < TILES; ++j) {
      float c[4] = {};
      ldsm2(b, (uint32_t)__cvta_generic_to_shared(&sB[(j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8]));
      mma(c, a, b);
      float x = max(c[0], c[1]), y = max(c[2], c[3]);
      x = quadMax<float>(x);
      y = quadMax<float>(y);
      most[0][j][0] = max(most[0][j][0], x);
      most[0][j][1] = max(most[0][j][1], y);
    }
    __syncthreads();
  }
  if (lane % 4 == 0)
    for (int j = 0; j < TILES; ++j) {
      C[(warp * 16 + lane / 4) * TILES + j] = most[0][j][0];
      C[(warp * 16 + lane / 4 + 8) * TILES + j] = most[0][j][1];
    }
}
template __global__ void largest<2>(const half *, const half *, float *, int);
template __global__ void largest<4>(const half *, const half *, float *, int);
