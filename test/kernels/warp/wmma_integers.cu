// wmma of integers, 8, 4 and 1 bit wide, and of tf32, whose bits are integers too.
#include <mma.h>
using namespace nvcuda;

template <class F> __device__ void scale(F &f, float by) {
  for (int i = 0; i < f.num_elements; ++i)
    f.x[i] = (typename F::element_type)((float)f.x[i] * by);
}

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

__global__ void tallSigned(const signed char *a, const signed char *b, const int *c, int *d) {
  majors<32, 8, 16>(a, b, c, d);
}
__global__ void flatSigned(const signed char *a, const signed char *b, const int *c, int *d) {
  majors<8, 32, 16>(a, b, c, d);
}
__global__ void squareBytes(const unsigned char *a, const unsigned char *b, const int *c, int *d) {
  majors<16, 16, 16>(a, b, c, d);
}
__global__ void flatBytes(const unsigned char *a, const unsigned char *b, const int *c, int *d) {
  majors<8, 32, 16>(a, b, c, d);
}
__global__ void signedBytes(const signed char *a, const signed char *b, const int *c, int *d) {
  majors<16, 16, 16>(a, b, c, d);
}
__global__ void bytes(const unsigned char *a, const unsigned char *b, const int *c, int *d) {
  majors<32, 8, 16>(a, b, c, d);
}
// tf32, staged in shared memory; the second warp of each pair leaves early in the
// last block, so that half a wave multiplies alone.
__global__ void tf32(const float *a, const float *b, float *d, int warps) {
  __shared__ alignas(32) float stage[2][16 * 24];
  using namespace nvcuda::wmma;
  const int w = warpOfGrid();
  if (w >= warps)
    return;
  fragment<matrix_a, 16, 16, 8, precision::tf32, row_major> fa;
  fragment<matrix_b, 16, 16, 8, precision::tf32, col_major> fb;
  fragment<accumulator, 16, 16, 8, float> sum;
  fill_fragment(sum, 0.0f);
  for (int k = 0; k < 16; k += 8) {
    load_matrix_sync(fa, a + w * 256 + k, 16);
    load_matrix_sync(fb, b + w * 256 + k, 16);
    for (int t = 0; t < fa.num_elements; t++)
      fa.x[t] = __float_to_tf32(fa.x[t]);
    mma_sync(sum, fa, fb, sum);
  }
  scale(sum, 3.0f);
  store_matrix_sync(stage[threadIdx.x / 32], sum, 24, mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x % 32; i < 256; i += 32)
    d[w * 256 + i] = stage[threadIdx.x / 32][i / 16 * 24 + i % 16];
}

// The other majors, an array of fragments by reference.
using Columns = nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 8,
                                       nvcuda::wmma::precision::tf32, nvcuda::wmma::col_major>;
__device__ void loadColumns(Columns (&fa)[2], const float *a, int ld) {
  for (int k = 0; k < 2; ++k) {
    nvcuda::wmma::load_matrix_sync(fa[k], a + k * 8 * ld, ld);
    for (int t = 0; t < fa[k].num_elements; t++)
      fa[k].x[t] = nvcuda::wmma::__float_to_tf32(fa[k].x[t]);
  }
}
__global__ void tf32Columns(const float *a, const float *b, float *d) {
  const int w = warpOfGrid();
  Columns fa[2];
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
  wmma::fill_fragment(sum, 1.f);
  loadColumns(fa, a + w * 320, 20);
  for (int k = 0; k < 2; ++k) {
    wmma::load_matrix_sync(fb, b + w * 320 + k * 160, 20);
    for (int t = 0; t < fb.num_elements; t++)
      fb.x[t] = wmma::__float_to_tf32(fb.x[t]);
    wmma::mma_sync(sum, fa[k], fb, sum);
  }
  wmma::store_matrix_sync(d + w * 320, sum, 20, wmma::mem_col_major);
}

// Sums that leave the range of int are cut off.
__global__ void saturated(const signed char *a, const signed char *b, const int *c, int *d) {
  wmma::fragment<wmma::matrix_a, 8, 32, 16, signed char, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 32, 16, signed char, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 32, 16, int> sum;
  const int w = warpOfGrid();
  wmma::load_matrix_sync(fa, a + w * 128, 16);
  wmma::load_matrix_sync(fb, b + w * 512, 16);
  wmma::load_matrix_sync(sum, c + w * 256, 32, wmma::mem_row_major);
  for (int t = 0; t < sum.num_elements; t++)
    sum.x[t] = sum.x[t] < 0 ? (int)0x80000010 : 0x7ffffff0;
  wmma::mma_sync(sum, fa, fb, sum, true);
  wmma::store_matrix_sync(d + w * 256, sum, 32, wmma::mem_row_major);
}

template <class T> __device__ void nibbles(const int *a, const int *b, int *d) {
  wmma::fragment<wmma::matrix_a, 8, 8, 32, T, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 32, T, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 32, int> sum;
  wmma::fill_fragment(sum, 5);
  wmma::load_matrix_sync(fa, a, 64);
  wmma::load_matrix_sync(fb, b, 32);
  wmma::mma_sync(sum, fa, fb, sum);
  wmma::store_matrix_sync(d, sum, 8, wmma::mem_col_major);
}
__global__ void subBytes(const int *a, const int *b, int *d) {
  const int w = warpOfGrid();
  nibbles<wmma::experimental::precision::s4>(a + w * 64, b + w * 32, d + w * 256);
  nibbles<wmma::experimental::precision::u4>(a + w * 64, b + w * 32, d + w * 256 + 64);
  wmma::fragment<wmma::matrix_a, 8, 8, 128, wmma::experimental::precision::b1, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 128, wmma::experimental::precision::b1, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 128, int> sum;
  wmma::fill_fragment(sum, 0);
  wmma::load_matrix_sync(fa, a + w * 32, 128);
  wmma::load_matrix_sync(fb, b + w * 32, 128);
  wmma::bmma_sync(sum, fa, fb, sum);
  wmma::store_matrix_sync(d + w * 256 + 128, sum, 8, wmma::mem_row_major);
  wmma::bmma_sync(sum, fa, fb, sum, wmma::experimental::bmmaBitOpAND);
  wmma::store_matrix_sync(d + w * 256 + 192, sum, 8, wmma::mem_row_major);
}
