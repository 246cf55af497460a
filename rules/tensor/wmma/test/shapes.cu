// Every shape and type of wmma, rows and columns, strides, shared memory, fragments in arrays and by
// reference.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip --verify --launch %S/Inputs/shapes.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: not grep -E "^[^/]*nvcuda" %t.hip
// REPORT-NOT: manual
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes host yes
// REPORT-NEXT: verify gfx90a: {{proved|tested}}: all outputs
// REPORT-NEXT: verify gfx942: {{proved|tested}}: all outputs
// REPORT-NEXT: verify gfx950: {{proved|tested}}: all outputs
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;
// one warp a tile; A (M x K), B (K x N), C (M x N), two warps a block with tiles of their own
template <int M, int N, int K, typename TI, typename TM, typename TO, typename LA, typename LB>
__device__ void tile(TO *c, const TI *a, const TI *b, int lda, int ldb, int ldc, wmma::layout_t lc) {
  wmma::fragment<wmma::matrix_a, M, N, K, TM, LA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, TM, LB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, TO> fc;
  wmma::fill_fragment(fc, TO(0));
  wmma::load_matrix_sync(fa, a, lda);
  wmma::load_matrix_sync(fb, b, ldb);
  wmma::mma_sync(fc, fa, fb, fc);
  for (int i = 0; i < fc.num_elements; i++) fc.x[i] = fc.x[i] + fc.x[i];
  wmma::store_matrix_sync(c, fc, ldc, lc);
}
#define KERNEL(name, M, N, K, TI, TM, TO, LA, LB)                                              \
  __global__ void name(TO *c, const TI *a, const TI *b) {                                      \
    const int w = threadIdx.x / 32;                                                            \
    tile<M, N, K, TI, TM, TO, wmma::LA, wmma::LB>(c + w * M * N, a + w * M * K, b + w * K * N, \
                              #LA[0] == 'r' ? K : M, #LB[0] == 'r' ? N : K, N,   \
                              wmma::mem_row_major);                                            \
  }
KERNEL(h16rc, 16, 16, 16, half, half, float, row_major, col_major)
KERNEL(h32cr, 32, 8, 16, half, half, float, col_major, row_major)
KERNEL(h8rr, 8, 32, 16, half, half, float, row_major, row_major)
KERNEL(b16cc, 16, 16, 16, __nv_bfloat16, __nv_bfloat16, float, col_major, col_major)
KERNEL(b32, 32, 8, 16, __nv_bfloat16, __nv_bfloat16, float, row_major, col_major)
KERNEL(b8, 8, 32, 16, __nv_bfloat16, __nv_bfloat16, float, row_major, col_major)
KERNEL(s16, 16, 16, 16, signed char, signed char, int, row_major, col_major)
KERNEL(s32, 32, 8, 16, signed char, signed char, int, col_major, row_major)
KERNEL(u8k, 8, 32, 16, unsigned char, unsigned char, int, row_major, row_major)
KERNEL(u16, 16, 16, 16, unsigned char, unsigned char, int, col_major, col_major)
KERNEL(d8, 8, 8, 4, double, double, double, row_major, col_major)
KERNEL(t8, 16, 16, 8, float, wmma::precision::tf32, float, row_major, col_major)
// half accumulators
__global__ void hh(half *c, const half *a, const half *b) {
  const int w = threadIdx.x / 32;
  tile<16, 16, 16, half, half, half, wmma::row_major, wmma::col_major>(c + w * 256, a + w * 256, b + w * 256, 16, 16, 16, wmma::mem_col_major);
}
// s4: through experimental
__global__ void s4(int *c, const int *a, const int *b) {
  using namespace wmma::experimental;
  wmma::fragment<wmma::matrix_a, 8, 8, 32, precision::s4, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 32, precision::s4, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 32, int> fc;
  const int w = threadIdx.x / 32;
  wmma::fill_fragment(fc, 0);
  wmma::load_matrix_sync(fa, a + w * 32, 32);
  wmma::load_matrix_sync(fb, b + w * 32, 32);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c + w * 64, fc, 8, wmma::mem_row_major);
}
// tf32 rounding per element, fragments in arrays, by reference, shared memory with padding
__device__ void roundAll(wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> &f) {
  for (int t = 0; t < f.num_elements; t++) f.x[t] = wmma::__float_to_tf32(f.x[t]);
}
__global__ void arrays(float *c, const half *a, const half *b, const float *x, const float *y, float *c2, float alpha, float beta) {
  __shared__ half sa[2][32][24];
  const int w = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = 0; i < 16; i++) sa[w][lane][i] = a[(w * 32 + lane) * 16 + i];
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[2];
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb[2];
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc[2][2], old;
  for (int i = 0; i < 2; i++) {
    wmma::load_matrix_sync(fa[i], &sa[w][i * 16][0], 24);
    wmma::load_matrix_sync(fb[i], b + i * 256, 16);
  }
#pragma unroll
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      wmma::fill_fragment(fc[i][j], 0.0f);
      wmma::mma_sync(fc[i][j], fa[i], fb[j], fc[i][j]);
      float *p = c + w * 1024 + i * 512 + j * 16;
      wmma::load_matrix_sync(old, p, 32, wmma::mem_row_major);
      for (int t = 0; t < old.num_elements; t++) fc[i][j].x[t] = alpha * fc[i][j].x[t] + beta * old.x[t];
      wmma::store_matrix_sync(p, fc[i][j], 32, wmma::mem_row_major);
    }
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> ta;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> tb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> tc;
  wmma::load_matrix_sync(ta, x + w * 128, 8);
  wmma::load_matrix_sync(tb, y + w * 128, 8);
  roundAll(ta);
  for (int t = 0; t < tb.num_elements; ++t) tb.x[t] = wmma::__float_to_tf32(tb.x[t]);
  wmma::fill_fragment(tc, 1.0f);
  wmma::mma_sync(tc, ta, tb, tc);
  wmma::store_matrix_sync(c2 + w * 256, tc, 16, wmma::mem_row_major);
}
