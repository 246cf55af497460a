// Cooperative groups know the thread: a rank is no number that all have, and a group's shuffle speaks of
// CUDA's lanes. They speak of blocks of any shape, which says nothing of this one's.
//
// RUN: %layout-port %s -o %t.hip --target gfx90a,gfx942,gfx950 --verify --launch %S/Inputs/groups.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: FileCheck %s < %t.hip
//
// REPORT-DAG: byRank is not native: 'acc' is used between the products: 'tile.thread_rank() < 16 ? 2.f : 1.f' depends on the lane
// REPORT-DAG: byShuffle is not native: 'acc' is used between the products: 'shfl_xor' is given results between the products
// REPORT-NOT: {{refuted|(synchronised|numbered) is not native}}
// REPORT: verify gfx90a: {{proved|tested}}
// REPORT: verify gfx942: {{proved|tested}}
// REPORT: verify gfx950: {{proved|tested}}
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t word(const half *p) { return *(const uint32_t *)p; }
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
namespace cg = cooperative_groups;

// CHECK-LABEL: synchronised(
// CHECK-NEXT: lp::require_whole_waves();
__global__ void __launch_bounds__(64) synchronised(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, row = (blockIdx.x * 2 + threadIdx.x / 32) * 16;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    const half *p = A + (row + lane / 4) * K + k + lane % 4 * 2;
    const uint32_t a[4] = {word(p), word(p + 8 * K), word(p + 8), word(p + 8 * K + 8)};
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + lane / 4) * K + k + lane % 4 * 2;
      const uint32_t b[2] = {word(q), word(q + 8)};
      mma(acc[j], a, b);
    }
    cg::this_thread_block().sync();
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(row + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = acc[j][e];
}

__global__ void __launch_bounds__(64) numbered(const half *A, const half *B, float *C, int K) {
  const int thread = cg::this_thread_block().thread_rank(), lane = thread % 32;
  const int row = (blockIdx.x * 2 + thread / 32) * 16;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    const half *p = A + (row + lane / 4) * K + k + lane % 4 * 2;
    const uint32_t a[4] = {word(p), word(p + 8 * K), word(p + 8), word(p + 8 * K + 8)};
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + lane / 4) * K + k + lane % 4 * 2;
      const uint32_t b[2] = {word(q), word(q + 8)};
      mma(acc[j], a, b);
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(row + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = acc[j][e];
}

// Its sums are scaled by the rank.
__global__ void __launch_bounds__(64) byRank(const half *A, const half *B, float *C, int K) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int lane = threadIdx.x % 32, row = (blockIdx.x * 2 + threadIdx.x / 32) * 16;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    const half *p = A + (row + lane / 4) * K + k + lane % 4 * 2;
    const uint32_t a[4] = {word(p), word(p + 8 * K), word(p + 8), word(p + 8 * K + 8)};
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + lane / 4) * K + k + lane % 4 * 2;
      const uint32_t b[2] = {word(q), word(q + 8)};
      mma(acc[j], a, b);
    }
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        acc[j][e] *= tile.thread_rank() < 16 ? 2.f : 1.f;
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(row + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = acc[j][e];
}

// Each lane adds its neighbour's sums.
__global__ void __launch_bounds__(64) byShuffle(const half *A, const half *B, float *C, int K) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int lane = threadIdx.x % 32, row = (blockIdx.x * 2 + threadIdx.x / 32) * 16;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    const half *p = A + (row + lane / 4) * K + k + lane % 4 * 2;
    const uint32_t a[4] = {word(p), word(p + 8 * K), word(p + 8), word(p + 8 * K + 8)};
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + lane / 4) * K + k + lane % 4 * 2;
      const uint32_t b[2] = {word(q), word(q + 8)};
      mma(acc[j], a, b);
    }
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        acc[j][e] += tile.shfl_xor(acc[j][e], 1);
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(row + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = acc[j][e];
}
