// Persistent kernels: a block goes from tile to tile of C. Its sums are declared outside of that loop
// and begin anew in each turn, at its begin or at its end; rows and columns beyond the edges are left
// out by 'continue', of the loop over tiles or over rows.
//
// RUN: %prove --launch %S/persistent.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
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
__device__ __forceinline__ void clear(float (&acc)[4][4]) {
#pragma unroll
  for (int j = 0; j < 4; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e)
      acc[j][e] = 0.f;
}

// 32 x 64 of C a tile, by four warps.
__global__ void __launch_bounds__(128)
    persistent(const half *A, const half *B, half *C, int M, int N, int K) {
  __shared__ __align__(16) half sA[32][24], sB[64][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 16, wn = warp % 2 * 32;
  const int columns = (N + 63) / 64, tiles = (M + 31) / 32 * columns;
  float acc[4][4];
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int bm = tile / columns * 32, bn = tile % columns * 64;
    clear(acc);
    for (int k = 0; k < K; k += 16) {
      __syncthreads();
      const int r = threadIdx.x / 2, c = threadIdx.x % 2 * 8;
      if (r < 32)
        *(uint4 *)&sA[r][c] = *(const uint4 *)&A[(bm + r) * K + k + c];
      *(uint4 *)&sB[r][c] = *(const uint4 *)&B[(bn + r) * K + k + c];
      __syncthreads();
      uint32_t a[4], b[2];
      ldsm4(a, smem(&sA[wm + lane % 16][lane / 16 * 8]));
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        ldsm2(b, smem(&sB[wn + j * 8 + lane % 8][lane / 8 % 2 * 8]));
        mma(acc[j], a, b);
      }
    }
    const int row = bm + wm + lane / 4;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int col = bn + wn + j * 8 + lane % 4 * 2;
      if (row >= M || col >= N)
        continue;
      *(half2 *)&C[row * N + col] = __floats2half2_rn(acc[j][0], acc[j][1]);
      if (row + 8 >= M)
        continue;
      *(half2 *)&C[(row + 8) * N + col] = __floats2half2_rn(acc[j][2], acc[j][3]);
    }
  }
}

// The rows one after the other, and what is left behind is cleared for the next tile.
__global__ void __launch_bounds__(128)
    clearedLast(const half *A, const half *B, half *C, int M, int N, int K) {
  __shared__ __align__(16) half sA[32][24], sB[64][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 16, wn = warp % 2 * 32;
  const int columns = (N + 63) / 64, tiles = (M + 31) / 32 * columns;
  float acc[4][4] = {};
  int tile = blockIdx.x;
  while (tile < tiles) {
    const int bm = tile / columns * 32, bn = tile % columns * 64;
    for (int k = 0; k < K; k += 16) {
      __syncthreads();
      const int r = threadIdx.x / 2, c = threadIdx.x % 2 * 8;
      if (r < 32)
        *(uint4 *)&sA[r][c] = *(const uint4 *)&A[(bm + r) * K + k + c];
      *(uint4 *)&sB[r][c] = *(const uint4 *)&B[(bn + r) * K + k + c];
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
    for (int r = 0; r < 2; ++r) {
      const int row = bm + wm + lane / 4 + r * 8;
      if (row < M) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          const int col = bn + wn + j * 8 + lane % 4 * 2;
          if (col < N)
            *(half2 *)&C[row * N + col] = __floats2half2_rn(acc[j][2 * r], acc[j][2 * r + 1]);
        }
      }
    }
    tile += gridDim.x;
    clear(acc);
  }
}

// Whose turn it is the block is told through shared memory: what all read in one place they agree on.
__global__ void __launch_bounds__(128)
    ticket(const half *A, const half *B, half *C, int *next, int M, int N, int K) {
  __shared__ __align__(16) half sA[32][24], sB[64][24];
  __shared__ int turn;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 16, wn = warp % 2 * 32;
  const int columns = (N + 63) / 64, tiles = (M + 31) / 32 * columns;
  while (true) {
    if (threadIdx.x == 0)
      turn = atomicAdd(next, 1);
    __syncthreads();
    const int tile = turn;
    __syncthreads();
    if (tile >= tiles)
      break;
    const int bm = tile / columns * 32, bn = tile % columns * 64;
    float acc[4][4] = {};
    for (int k = 0; k < K; k += 16) {
      __syncthreads();
      const int r = threadIdx.x / 2, c = threadIdx.x % 2 * 8;
      if (r < 32)
        *(uint4 *)&sA[r][c] = *(const uint4 *)&A[(bm + r) * K + k + c];
      *(uint4 *)&sB[r][c] = *(const uint4 *)&B[(bn + r) * K + k + c];
      __syncthreads();
      uint32_t a[4], b[2];
      ldsm4(a, smem(&sA[wm + lane % 16][lane / 16 * 8]));
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        ldsm2(b, smem(&sB[wn + j * 8 + lane % 8][lane / 8 % 2 * 8]));
        mma(acc[j], a, b);
      }
    }
    const int row = bm + wm + lane / 4;
    for (int j = 0; j < 4; ++j) {
      const int col = bn + wn + j * 8 + lane % 4 * 2;
      if (col >= N)
        continue;
      if (row < M) {
        half2 *p = (half2 *)&C[row * N + col];
        *p = __floats2half2_rn(acc[j][0], acc[j][1]);
      }
      if (row + 8 < M) {
        half2 *p = (half2 *)&C[(row + 8) * N + col];
        *p = __floats2half2_rn(acc[j][2], acc[j][3]);
      }
    }
  }
}

// CHECK-LABEL: persistent(
// CHECK-NOT: to_warp_layout
// CHECK: clear(acc);
// CHECK: lp::each_pair(acc[j], [&](int lane, int lower, const auto &v) {
// CHECK: if (row >= M || col >= N)
// CHECK-NEXT: return;
// CHECK: if (lower && (row + 8 >= M))
// CHECK-NEXT: return;
// CHECK-NEXT: *(half2 *)&C[(row + 8 * lower) * N + col] = __floats2half2_rn(v[0], v[1]);
// CHECK-LABEL: clearedLast(
// CHECK-NOT: to_warp_layout
// CHECK: lp::each_row(
// CHECK: clear(acc);
// CHECK-LABEL: ticket(
// CHECK-NOT: to_warp_layout
// CHECK: const int tile = turn;
// CHECK: lp::each_pair(acc[j], [&]
