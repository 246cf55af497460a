// Products where whole warps return early, make other numbers of trips, have roles of their own, and in
// blocks of one warp.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip --verify --launch %S/Inputs/control.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: not grep -E "^ *asm" %t.hip
// REPORT-NOT: manual
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes host yes
// REPORT-NEXT: verify gfx90a: {{proved|tested}}: all outputs
// REPORT-NEXT: verify gfx942: {{proved|tested}}: all outputs
// REPORT-NEXT: verify gfx950: {{proved|tested}}: all outputs
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
__device__ void mma(float (&c)[4], const unsigned *a, const unsigned *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void product(float (&c)[4], const unsigned *x, const unsigned *y, int lane) {
  unsigned a[4], b[2];
  const int g = lane / 4, t = lane % 4;
  a[0] = x[g * 8 + t]; a[1] = x[(g + 8) * 8 + t]; a[2] = x[g * 8 + t + 4]; a[3] = x[(g + 8) * 8 + t + 4];
  b[0] = y[g * 8 + t]; b[1] = y[g * 8 + t + 4];
  mma(c, a, b);
}
__device__ void put(float *o, const float (&c)[4], int lane) {
  for (int i = 0; i < 4; i++) o[lane * 4 + i] = c[i];
}
// early return of whole warps, by warp
__global__ void early(float *o, const unsigned *x, const unsigned *y, int rows) {
  const int w = threadIdx.x / 32, lane = threadIdx.x % 32;
  if ((blockIdx.x * 4 + w) * 16 >= rows) return;
  float c[4] = {};
  product(c, x + w * 128, y, lane);
  put(o + (blockIdx.x * 4 + w) * 128, c, lane);
}
// trip counts that differ between warps
__global__ void trips(float *o, const unsigned *x, const unsigned *y) {
  const int w = threadIdx.x / 32, lane = threadIdx.x % 32;
  float c[4] = {};
  for (int k = 0; k < 2 + w; k++) product(c, x + (k * 4 + w) % 8 * 128, y + k % 2 * 64, lane);
  float s = c[0] + c[3];
  for (int k = 0; k < 1 + w; k++) s += __shfl_xor_sync(~0u, s, 1 << k % 5);
  c[1] = s;
  put(o + (blockIdx.x * 4 + w) * 128, c, lane);
}
// roles: warp 0 sums, the others multiply
__global__ void roles(float *o, const unsigned *x, const unsigned *y) {
  __shared__ float s[32];
  const int w = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (w == 0) {
    float v = lane;
    for (int k = 16; k; k /= 2) v += __shfl_down_sync(~0u, v, k);
    s[lane] = __shfl_sync(~0u, v, 0) + lane;
  } else if (w == 3) {
    float c[4] = {};
    product(c, x, y, lane);
    put(o + (blockIdx.x * 4 + w) * 128, c, lane);
  }
  __syncthreads();
  if (w == 1) {
    float c[4] = {s[lane], 0, 0, 1};
    product(c, x + 128, y, lane);
    put(o + (blockIdx.x * 4 + w) * 128, c, lane);
  }
}
// one-warp block, bounded
__global__ void __launch_bounds__(32) single(float *o, const unsigned *x, const unsigned *y) {
  const int lane = threadIdx.x;
  float c[4] = {};
  product(c, x, y, lane);
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.f);
  wmma::load_matrix_sync(fa, (const half *)x, 16);
  wmma::load_matrix_sync(fb, (const half *)x, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(o + blockIdx.x * 384 + 128, fc, 16, wmma::mem_row_major);
  float v = c[0];
  for (int k = 16; k; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  c[1] = v + __popc(__ballot_sync(~0u, lane > 4));
  put(o + blockIdx.x * 384, c, lane);
}
// whole waves, proved: bounds say 128
__global__ void __launch_bounds__(128) whole(float *o, const unsigned *x, const unsigned *y, int n) {
  const int w = threadIdx.x / 32, lane = threadIdx.x % 32;
  float c[4] = {};
  for (int k = 0; k < n; k++) product(c, x + (k * 4 + w) % 8 * 128, y, lane);
  put(o + (blockIdx.x * 4 + w) * 128, c, lane);
}
void launch(float *o, const unsigned *x, const unsigned *y) {
  single<<<2, 32>>>(o, x, y);
  whole<<<2, 128>>>(o, x, y, 3);
}
