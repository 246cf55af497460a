// Tiles that come in fours go into 32x32 MFMAs: four along n where the warps of a wave have different
// rows, two by two where they have different columns. A lane reads the 16 bytes of k that ldmatrix
// speaks of, whatever length the loop over k has.
//
// RUN: %prove --launch %S/large_tiles.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t smem(const void *p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ void ldsm4(uint32_t &a, uint32_t &b, uint32_t &c, uint32_t &d, uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(at));
}
__device__ __forceinline__ void ldsm2(uint32_t (&b)[2], uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(b[0]), "=r"(b[1])
               : "r"(at));
}
__device__ __forceinline__ void mma(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void mma(uint32_t (&c)[2], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, "
               "{%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
               : "+r"(c[0]), "+r"(c[1])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void mma(float (&c)[4], const uint32_t (&a)[2], const uint32_t (&b)[1]) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
               "{%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]));
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

// Four warps, one above the other: each has 16 rows and all 64 columns.
// CHECK-LABEL: __launch_bounds__(128) rows(
// CHECK: uint32_t a[4], b[8][2];
// CHECK: lp::load_b(b[j], [&](int lane, int, int j) { return smem(&t.b[j * 8 + lane % 8][lane / 8 % 2 * 8]); }, j);
// CHECK: lp::mma_m16n8k16_f32_f16_wave(c[j & ~3], c[(j & ~3) + 1], c[(j & ~3) + 2], c[j | 3], a, b[j & ~1], b[j | 1], j % 4 == 3);
// CHECK: lp::each_pair(c[j], [&](int lane, int warp, int lower, const auto &v) {
__global__ void __launch_bounds__(128) rows(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) Tiles<half, 16, 24> t;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[8][4] = {};
  for (int k0 = 0; k0 < K; k0 += 16) {
    fill(t, A, B, K, k0);
    __syncthreads();
    uint32_t a[4], b[8][2];
    ldsm4(a[0], a[1], a[2], a[3], smem(&t.a[warp * 16 + lane % 16][lane / 16 * 8]));
#pragma unroll
    for (int j = 0; j < 8; ++j)
      ldsm2(b[j], smem(&t.b[j * 8 + lane % 8][lane / 8 % 2 * 8]));
#pragma unroll
    for (int j = 0; j < 8; ++j)
      mma(c[j], a, b[j]);
    __syncthreads();
  }
  const int row = blockIdx.y * 64 + warp * 16 + lane / 4;
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    const int column = blockIdx.x * 64 + j * 8 + lane % 4 * 2;
    *(float2 *)&C[row * N + column] = make_float2(c[j][0], c[j][1]);
    *(float2 *)&C[(row + 8) * N + column] = make_float2(c[j][2], c[j][3]);
  }
}

// Two by two warps: the two of a wave have different columns. Tiles are told by i and j, and a lane's
// row is in the tile of another i.
// CHECK-LABEL: __launch_bounds__(128) columns(
// CHECK: lp::load_a{{.*}}(a[i], [&](int lane, int warp, int i) {
// CHECK: lp::load_b_tiles{{.*}}(b[2 * j], b[2 * j + 1], [&](int lane, int warp, int j) {
// CHECK: lp::mma_m16n8k16_f16_f16_wave(c[i & ~1][j & ~1], c[i | 1][j & ~1], c[i & ~1][j | 1], c[i | 1][j | 1], a[i], b[j & ~1], b[j | 1], i % 2 == 1 && j % 2 == 1);
// CHECK: lp::each_pair{{.*}}(c[i][j], i, [&](int lane, int warp, int i, int lower, auto v) {
// CHECK: const auto out = C + (blockIdx.y * 64 + i * 16) * N;
__global__ void __launch_bounds__(128) columns(const half *A, const half *B, half *C, int N, int K) {
  __shared__ __align__(16) Tiles<half, 16, 24> t;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 32, wn = warp % 2 * 32;
  uint32_t c[2][4][2] = {};
  for (int k0 = 0; k0 < K; k0 += 16) {
    fill(t, A, B, K, k0);
    __syncthreads();
    uint32_t a[2][4], b[4][2];
#pragma unroll
    for (int i = 0; i < 2; ++i)
      ldsm4(a[i][0], a[i][1], a[i][2], a[i][3],
            smem(&t.a[wm + i * 16 + lane % 16][lane / 16 * 8]));
#pragma unroll
    for (int j = 0; j < 2; ++j)
      ldsm4(b[2 * j][0], b[2 * j][1], b[2 * j + 1][0], b[2 * j + 1][1],
            smem(&t.b[wn + j * 16 + lane / 16 * 8 + lane % 8][lane / 8 % 2 * 8]));
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j)
        mma(c[i][j], a[i], b[j]);
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i) {
    half *out = C + (blockIdx.y * 64 + i * 16) * N;
    for (int j = 0; j < 4; ++j) {
      const int row = wm + lane / 4, column = blockIdx.x * 64 + wn + j * 8 + lane % 4 * 2;
      *(uint32_t *)&out[row * N + column] = c[i][j][0];
      *(uint32_t *)&out[(row + 8) * N + column] = c[i][j][1];
    }
  }
}

// Half as deep: a lane has eight bytes of k, and each chip's MFMA takes them at once. B has one
// variable, which grows. Rows are numbers in an array, which no lane has for another.
// CHECK-LABEL: __launch_bounds__(128) shallow(
// CHECK: uint32_t a[2], b[2];
// CHECK: lp::gather_b(b, [&](int lane, int, int j, int) {
// CHECK: lp::mma_m16n8k8_f32_f16_wave(c[j & ~3], {{.*}}, a, b, j % 4 == 3);
// CHECK: lp::to_warp_layout(c[i]);
__global__ void __launch_bounds__(128) shallow(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) Tiles<half, 8, 8> t;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[8][4] = {};
  for (int k0 = 0; k0 < K; k0 += 8) {
    fill(t, A, B, K, k0);
    __syncthreads();
    uint32_t a[2], b[1];
    a[0] = *(const uint32_t *)&t.a[warp * 16 + lane / 4][lane % 4 * 2];
    a[1] = *(const uint32_t *)&t.a[warp * 16 + lane / 4 + 8][lane % 4 * 2];
    for (int j = 0; j < 8; ++j) {
      b[0] = *(const uint32_t *)&t.b[j * 8 + lane / 4][lane % 4 * 2];
      mma(c[j], a, b);
    }
    __syncthreads();
  }
  int rows[2];
  for (int r = 0; r < 2; ++r)
    rows[r] = blockIdx.y * 64 + warp * 16 + lane / 4 + r * 8;
  for (int j = 0; j < 8; ++j)
    for (int e = 0; e < 4; ++e)
      C[rows[e / 2] * N + blockIdx.x * 64 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}
