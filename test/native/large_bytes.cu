// Tiles that come in fours go into 32x32 MFMAs (large_tiles.cu): bytes, put together by hand, of which
// gfx950's takes a whole step, and every chip's eight of k a lane.
//
// RUN: %prove --launch %S/large_bytes.yaml 2>&1 | FileCheck %S/Inputs/native_tested.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void mma(int (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, "
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// 64 rows of A and 64 of B, a step of k each.
template <class T, int kStep, int kPitch> struct Tiles {
  T a[64][kPitch], b[64][kPitch];
};
template <class T, int kStep, int kPitch>
__device__ void fill(Tiles<T, kStep, kPitch> &t, const T *A, const T *B, int K, int k0) {
  constexpr int kEach = 8 / sizeof(T), kRow = kStep / kEach;
  for (int i = threadIdx.x; i < 64 * kRow; i += 128) {
    *(uint2 *)&t.a[i / kRow][i % kRow * kEach] =
        *(const uint2 *)&A[(blockIdx.y * 64 + i / kRow) * K + k0 + i % kRow * kEach];
    *(uint2 *)&t.b[i / kRow][i % kRow * kEach] =
        *(const uint2 *)&B[(blockIdx.x * 64 + i / kRow) * K + k0 + i % kRow * kEach];
  }
}

// A is read anew for each i.
// CHECK-LABEL: __launch_bounds__(128) bytes(
// CHECK: lp::gather_b{{.*}}(b[j], [&](int lane, int warp, int j, int r) {
// CHECK: lp::gather_a{{.*}}(a[i], [&](int lane, int warp, int i, int r) {
// CHECK: lp::mma_m16n8k32_s32_s8_wave(c[i & ~1][j & ~1], {{.*}}, a[i], b[j & ~1], b[j | 1], i % 2 == 1 && j % 2 == 1);
// CHECK: lp::each_pair{{.*}}(c[i][j], i, [&](int lane, int warp, int i, int lower, const auto &v) {
__global__ void __launch_bounds__(128) bytes(const int8_t *A, const int8_t *B, int *C, int N, int K) {
  __shared__ __align__(16) Tiles<int8_t, 32, 48> t;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 32, wn = warp % 2 * 32;
  int c[2][4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    fill(t, A, B, K, k0);
    __syncthreads();
    uint32_t a[2][4], b[4][2];
#pragma unroll
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = *(const uint32_t *)&t.b[wn + j * 8 + lane / 4][lane % 4 * 4 + r * 16];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      for (int r = 0; r < 4; ++r)
        a[i][r] =
            *(const uint32_t *)&t.a[wm + i * 16 + lane / 4 + r % 2 * 8][lane % 4 * 4 + r / 2 * 16];
#pragma unroll
      for (int j = 0; j < 4; ++j)
        mma(c[i][j], a[i], b[j]);
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) {
    const int column = blockIdx.x * 64 + wn + j * 8 + lane % 4 * 2;
    if (column >= N)
      continue;
    for (int i = 0; i < 2; ++i) {
      const int row = blockIdx.y * 64 + wm + i * 16 + lane / 4;
      *(int2 *)&C[row * N + column] = make_int2(c[i][j][0], c[i][j][1]);
      *(int2 *)&C[(row + 8) * N + column] = make_int2(c[i][j][2], c[i][j][3]);
    }
  }
}
