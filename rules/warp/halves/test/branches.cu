// The report says of each product whether both warps of its wave come to it, and by which
// branch not; where they never do, no MFMA is written for it.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip --json %t.json --verify --launch %S/Inputs/branches.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: %ported %t.hip | FileCheck %s
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes host yes
// REPORT: verify gfx90a: proved
// REPORT: verify gfx942: proved
// REPORT: verify gfx950: proved
// RUN: FileCheck %s --check-prefix=WHY < %t.json
#include <cuda_fp16.h>
#include <mma.h>
#include <stdint.h>
using namespace nvcuda;
typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> Left;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> Right;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> Sums;

__device__ void multiply(Sums &sum, const Left &a, const Right &b) {
  // By two ways: one warp of each wave, and who knows of a switch.
  // WHY: "reason": "{{.*}}tested at run time: its two warps may part by 'warp_id' (line [[#]])"
  // CHECK: wmma::mma_sync(sum, a, b, sum);
  wmma::mma_sync(sum, a, b, sum);
}

__global__ void branches(const half *a, const half *b, float *c, int n) {
  const int warp_id = threadIdx.x / 32, lane = threadIdx.x & 31;
  Left fa;
  Right fb;
  Sums sum;
  wmma::load_matrix_sync(fa, a + warp_id * 256, 16);
  wmma::load_matrix_sync(fb, b + warp_id * 256, 16);
  wmma::fill_fragment(sum, 0.f);
  // WHY: "reason": "both warps of a wave in MFMAs of 16 blocks, with no move between lanes; whether the wave is whole is tested at run time: no branch parts its two warps, and blocks of 256 threads are whole waves"
  // CHECK: wmma::mma_sync(sum, fa, fb, sum);
  wmma::mma_sync(sum, fa, fb, sum);
  if (warp_id == 1)
    // WHY: "reason": "each half wave multiplies by itself, without MFMA: only one warp of a wave comes here, by 'warp_id == 1' (line [[#@LINE-1]])"
    // CHECK: wmma::mma_sync_halves(sum, fa, fb, sum);
    wmma::mma_sync(sum, fa, fb, sum);
  // Two warps, but of one wave.
  if (warp_id < 2)
    // WHY: "reason": "both warps of a wave in MFMAs of 16 blocks, with no move between lanes; whether the wave is whole is tested at run time: no branch parts its two warps, and
    // CHECK: wmma::mma_sync(sum, fa, fb, sum);
    wmma::mma_sync(sum, fa, fb, sum);
  else if (warp_id < 5)
    // WHY: "reason": "both warps of a wave in MFMAs of 16 blocks, with no move between lanes; whether the wave is whole is tested at run time: its two warps may part by 'warp_id < 5' (line [[#@LINE-1]])"
    wmma::mma_sync(sum, fa, fb, sum);
  for (int i = 0; i < warp_id; ++i)
    // WHY: "reason": "{{.*}}tested at run time: its two warps may make different numbers of trips of the loop 'i < warp_id' (line [[#@LINE-1]])"
    wmma::mma_sync(sum, fa, fb, sum);
  const bool odd = threadIdx.x & 32;
  if (odd)
    multiply(sum, fa, fb);
  switch (warp_id) {
  case 7:
    multiply(sum, fa, fb);
    break;
  default:
    break;
  }
  if (warp_id >= n)
    return;
  // WHY: "reason": "{{.*}}tested at run time: one of its two warps may have left by 'warp_id >= n' (line [[#@LINE-2]])"
  wmma::mma_sync(sum, fa, fb, sum);
  wmma::store_matrix_sync(c + warp_id * 256, sum, 16, wmma::mem_row_major);
  c[warp_id * 256 + lane] += 1.f;
}

// The same of mma.sync.
__global__ void leader(const uint32_t *a, const uint32_t *b, float *c) {
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  float d[4] = {};
  if (warp == 2) {
    // WHY: "reason": "each half wave multiplies by itself, without MFMA: only one warp of a wave comes here, by 'warp == 2' (line [[#@LINE-1]])"
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
                 "{%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[lane * 2]), "r"(a[lane * 2 + 1]), "r"(b[lane]));
  }
  for (int i = 0; i < 4; ++i)
    c[threadIdx.x * 4 + i] = d[i];
}
void launch(const half *a, const half *b, float *c, int n) {
  branches<<<1, 256>>>(a, b, c, n);
  leader<<<1, 128>>>((const uint32_t *)a, (const uint32_t *)b, c);
}
