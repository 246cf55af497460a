// Products of wmma stay with the device runtime, and the report says so; other kernels of the file are
// told nothing.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

// CHECK-NOT: plain is not native
__global__ void plain(float *C) { C[threadIdx.x] *= 2.f; }

// CHECK: note: fragments is not native: it multiplies by wmma::mma_sync, whose fragments the device runtime lays out one by one; layouts are solved anew for mma.sync ({{.*}}wmma_refused.cu:[[@LINE+9]])
__global__ void __launch_bounds__(64) fragments(const half *A, const half *B, float *C, int N, int K) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.f);
  for (int k = 0; k < K; k += 16) {
    wmma::load_matrix_sync(a, A + threadIdx.x / 32 * 16 * K + k, K);
    wmma::load_matrix_sync(b, B + k, K);
    wmma::mma_sync(c, a, b, c);
  }
  wmma::store_matrix_sync(C + threadIdx.x / 32 * 16 * N, c, N, wmma::mem_row_major);
}
