// Products of each group of 32 along k are scaled by their rows' and columns' own factors and added
// up in f32. Which row a lane has, and its factor, are kept in arrays that loops fill.
//
// RUN: %prove --launch %S/group_scales.yaml 2>&1 | FileCheck %S/Inputs/native_halves_tested.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_runtime.h>
#include <stdint.h>

struct Sums {
  int x[4] = {0, 0, 0, 0};
};

__device__ __forceinline__ void mma(Sums &c, const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+r"(c.x[0]), "+r"(c.x[1]), "+r"(c.x[2]), "+r"(c.x[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ uint32_t word(const int8_t *p) { return *(const uint32_t *)p; }

// Of f32 from memory, by the row's number: an array of two dimensions.
// CHECK-LABEL: void rowNumbers(
// CHECK-NOT: to_warp_layout
// CHECK-NOT: {{^ *}}const float s =
// CHECK: lp::of_element(h, [&](int lane, int warp, int h) {
// CHECK-NEXT: const auto rows = lp::elements([&](int i) { return lp::elements([&, i](int h) -> int { return blockIdx.y * 128 + warp * 32 + i * 16 + h * 8 + lane / 4; }); });
// CHECK-NOT: to_warp_layout
// CHECK-LABEL: void factors(
__global__ void rowNumbers(const int8_t *__restrict__ A, const int8_t *__restrict__ B,
                           const float *__restrict__ sa, const float *__restrict__ sb, float *C,
                           int M, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const int groups = K / 32;
  int rows[2][2];
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int h = 0; h < 2; ++h)
      rows[i][h] = blockIdx.y * 128 + warp * 32 + i * 16 + h * 8 + lane / 4;
  float total[2][4][4] = {};
  for (int group = 0; group < groups; ++group) {
    uint32_t a[2][4];
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int r = 0; r < 4; ++r)
        a[i][r] = word(A + (blockIdx.y * 128 + warp * 32 + i * 16 + g + r % 2 * 8) * K + group * 32 +
                       t * 4 + r / 2 * 16);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      uint32_t b[2];
      b[0] = word(B + (blockIdx.x * 32 + j * 8 + g) * K + group * 32 + t * 4);
      b[1] = word(B + (blockIdx.x * 32 + j * 8 + g) * K + group * 32 + t * 4 + 16);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        Sums part;
        mma(part, a[i], b);
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          const float s = rows[i][h] < M ? __ldg(sa + rows[i][h] * groups + group) * sb[group] : 0.f;
          total[i][j][2 * h] = fmaf((float)part.x[2 * h], s, total[i][j][2 * h]);
          total[i][j][2 * h + 1] += part.x[2 * h + 1] * s;
        }
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        if (rows[i][e / 2] < M)
          C[rows[i][e / 2] * N + blockIdx.x * 32 + j * 8 + t * 2 + e % 2] = total[i][j][e];
}

// Of factors that are read from shared memory into registers, two a lane.
// CHECK: lp::of_element<1>(l, [&](int lane, int warp, int l) {
// CHECK-NEXT: const auto dA = lp::elements([&](int l) { return sA[warp * 16 + l * 8 + lane / 4]; });
// CHECK-NEXT: return dA[l / 2];
// CHECK-NOT: to_warp_layout
// CHECK: lp::to_warp_rows_of
__global__ void factors(const int8_t *__restrict__ A, const int8_t *__restrict__ B,
                        const float *__restrict__ sa, const float *__restrict__ sb, float *C,
                        int N, int K) {
  __shared__ float sA[64];
  const int lane = threadIdx.x, warp = threadIdx.y;
  float sum[4][4] = {};
  for (int group = 0; group < K / 32; ++group) {
    __syncthreads();
    for (int i = warp * 32 + lane; i < 64; i += 128)
      sA[i] = sa[(blockIdx.y * 64 + i) * (K / 32) + group];
    __syncthreads();
    uint32_t a[4];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (blockIdx.y * 64 + warp * 16 + lane / 4 + r % 2 * 8) * K + group * 32 +
                  lane % 4 * 4 + r / 2 * 16);
    float dA[2];
    for (int l = 0; l < 2; ++l)
      dA[l] = sA[warp * 16 + l * 8 + lane / 4];
    for (int j = 0; j < 4; ++j) {
      uint32_t b[2];
      for (int r = 0; r < 2; ++r)
        b[r] = word(B + (blockIdx.x * 32 + j * 8 + lane / 4) * K + group * 32 + lane % 4 * 4 + r * 16);
      Sums part;
      mma(part, a, b);
      const float dB = sb[group];
      for (int l = 0; l < 4; ++l)
        sum[j][l] += part.x[l] * dA[l / 2] * dB;
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int l = 0; l < 4; ++l)
      C[(blockIdx.y * 64 + warp * 16 + lane / 4 + l / 2 * 8) * N + blockIdx.x * 32 + j * 8 +
        lane % 4 * 2 + l % 2] = sum[j][l];
}
