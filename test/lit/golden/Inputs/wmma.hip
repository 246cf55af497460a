// The C++ interface: a 16x16 tile a warp, scaled on its way out.
#include <hip/hip_fp16.h>
// #include <mma.h>
#include <hip/hip_runtime.h>

#include "layout_port_runtime.h"

namespace wmma = lp::wmma;

__global__ void wmmaGemm(const half *A, const half *B, const float *C, float *D, int N, int K,
                         float alpha, float beta) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32 /* warpSize */;
  const int row = warp / (N / 16) * 16, col = warp % (N / 16) * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc, c;
  wmma::fill_fragment(acc, 0.0f);
  for (int k = 0; k < K; k += 16) {
    wmma::load_matrix_sync(a, A + row * K + k, K);
    wmma::load_matrix_sync(b, B + col * K + k, K);
    wmma::mma_sync(acc, a, b, acc);
  }
  wmma::load_matrix_sync(c, C + row * N + col, N, wmma::mem_row_major);
#pragma unroll
  for (int i = 0; i < c.num_elements; i++)
    c.x[i] = alpha * acc.x[i] + beta * c.x[i];
  wmma::store_matrix_sync(D + row * N + col, c, N, wmma::mem_row_major);
}
