// wmma of floats in every shape and type, row and column major, with strides,
// by reference, in arrays and templates, with elementwise work between.
#include <mma.h>
using namespace nvcuda;

// One tile a warp: D = 2 A B + C, K in two steps.
template <int M, int N, int K, class T, class LA, class LB, class C>
__device__ void tile(const T *a, const T *b, const C *c, C *d, int lda, int ldb, int ldc,
                     wmma::layout_t layout) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa[2];
  wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, C> sum, old;
  wmma::fill_fragment(sum, (C)0);
  constexpr bool rowA = __is_same(LA, wmma::row_major);
  constexpr bool rowB = __is_same(LB, wmma::row_major);
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    wmma::load_matrix_sync(fa[k], a + k * K * (rowA ? 1 : lda), lda);
    wmma::load_matrix_sync(fb, b + k * K * (rowB ? ldb : 1), ldb);
    wmma::mma_sync(sum, fa[k], fb, sum);
  }
  wmma::load_matrix_sync(old, c, ldc, layout);
#pragma unroll
  for (int i = 0; i < sum.num_elements; i++)
    sum.x[i] = sum.x[i] + sum.x[i] + old.x[i];
  wmma::store_matrix_sync(d, sum, ldc, layout);
}

__device__ int warpOfGrid() { return blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; }

template <int M, int N, int K, class T, class C>
__device__ void majors(const T *a, const T *b, const C *c, C *d) {
  const int w = warpOfGrid(), ld = 2 * K > 32 ? 2 * K : 32;
  const size_t operand = 40 * 48, result = 32 * 40;
  a += w * operand;
  b += w * operand;
  c += w * result;
  d += w * 2 * result;
  tile<M, N, K, T, wmma::row_major, wmma::col_major>(a, b, c, d, ld + 16, ld + 16, 40,
                                                     wmma::mem_row_major);
  tile<M, N, K, T, wmma::col_major, wmma::row_major>(a, b, c, d + result, 48, 48, 40,
                                                     wmma::mem_col_major);
}

__global__ void halves(const half *a, const half *b, const float *c, float *d) {
  majors<16, 16, 16>(a, b, c, d);
}
__global__ void halfSums(const half *a, const half *b, const half *c, half *d) {
  majors<16, 16, 16>(a, b, c, d);
}
__global__ void tall(const half *a, const half *b, const float *c, float *d) {
  majors<32, 8, 16>(a, b, c, d);
}
__global__ void flat(const __nv_bfloat16 *a, const __nv_bfloat16 *b, const float *c, float *d) {
  majors<8, 32, 16>(a, b, c, d);
}
__global__ void flatHalves(const half *a, const half *b, const float *c, float *d) {
  majors<8, 32, 16>(a, b, c, d);
}
__global__ void tallHalfSums(const half *a, const half *b, const half *c, half *d) {
  majors<32, 8, 16>(a, b, c, d);
}
__global__ void flatHalfSums(const half *a, const half *b, const half *c, half *d) {
  majors<8, 32, 16>(a, b, c, d);
}
__global__ void brains(const __nv_bfloat16 *a, const __nv_bfloat16 *b, const float *c, float *d) {
  majors<16, 16, 16>(a, b, c, d);
}
__global__ void tallBrains(const __nv_bfloat16 *a, const __nv_bfloat16 *b, const float *c,
                           float *d) {
  majors<32, 8, 16>(a, b, c, d);
}
__global__ void doubles(const double *a, const double *b, const double *c, double *d) {
  majors<8, 8, 4>(a, b, c, d);
}
