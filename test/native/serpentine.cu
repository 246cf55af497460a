// Tiles that a loop takes in another order than it counts, and structs that are one array of words:
// two n8 tiles of B, or an A, each.
//
// RUN: %prove --launch %S/serpentine.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int PITCH = 40;

struct Tile { // 16 x 16, or 16 columns of B
  uint32_t r[4];
  __device__ void load(const half *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(row)));
  }
};
struct Sums {
  float v[4];
  __device__ void fma(const Tile &a, uint32_t b0, uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3])
                 : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "r"(b0), "r"(b1));
  }
};

#define BEGIN                                                                                      \
  __shared__ __align__(16) half sA[64 * PITCH], sB[64 * PITCH];                                    \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const int wm = warp / 2 * 32, wn = warp % 2 * 32, m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;

#define FETCH(k)                                                                                   \
  __syncthreads();                                                                                 \
  for (int i = threadIdx.x; i < 256; i += 128) {                                                   \
    *(uint4 *)&sA[i / 4 * PITCH + i % 4 * 8] =                                                     \
        *(const uint4 *)&A[(m0 + i / 4) * K + (k) + i % 4 * 8];                                    \
    *(uint4 *)&sB[i / 4 * PITCH + i % 4 * 8] =                                                     \
        *(const uint4 *)&B[(n0 + i / 4) * K + (k) + i % 4 * 8];                                    \
  }                                                                                                \
  __syncthreads();

// n runs back in every other row of tiles.
// CHECK-LABEL: alongColumns(
// CHECK:      const int nn = m & 1 ? 3 - n : n;
// CHECK-NEXT: lp::mma_m16n8k16_f32_f16_wave(acc[m & ~1][nn & ~1].v, {{.*}}, a[m].r, lp::tile<unsigned int, 2>(b, nn & ~1), lp::tile<unsigned int, 2>(b, nn | 1), m % 2 == 1 && nn % 2 == 1);
__global__ void __launch_bounds__(128)
    alongColumns(const half *A, const half *B, float *C, int N, int K) {
  BEGIN
  Sums acc[2][4] = {};
  for (int k = 0; k < K; k += 32) {
    FETCH(k)
    for (int kk = 0; kk < 32; kk += 16) {
      Tile a[2], b[2];
      for (int i = 0; i < 2; ++i) {
        a[i].load(&sA[(wm + i * 16 + lane % 16) * PITCH + kk + lane / 16 * 8]);
        b[i].load(&sB[(wn + i * 16 + lane / 16 * 8 + lane % 8) * PITCH + kk + lane / 8 % 2 * 8]);
      }
      for (int m = 0; m < 2; ++m)
        for (int n = 0; n < 4; ++n) {
          const int nn = m & 1 ? 3 - n : n;
          acc[m][nn].fma(a[m], b[nn / 2].r[nn % 2 * 2], b[nn / 2].r[nn % 2 * 2 + 1]);
        }
    }
  }
  for (int m = 0; m < 2; ++m)
    for (int n = 0; n < 4; ++n)
      for (int e = 0; e < 4; ++e)
        C[(m0 + wm + m * 16 + lane / 4 + e / 2 * 8) * N + n0 + wn + n * 8 + lane % 4 * 2 + e % 2] =
            acc[m][n].v[e];
}

// ... or m in every other column, by exclusive or.
// CHECK-LABEL: alongRows(
// CHECK:      const int m = turn ^ j & 1;
// CHECK-NEXT: lp::mma_m16n8k16_f32_f16_wave(acc[j & ~1][m & ~1].v, {{.*}}, a[m].r, lp::tile<unsigned int, 2>(b, j & ~1), lp::tile<unsigned int, 2>(b, j | 1), m % 2 == 1 && j % 2 == 1);
__global__ void __launch_bounds__(128)
    alongRows(const half *A, const half *B, float *C, int N, int K) {
  BEGIN
  Sums acc[4][2] = {};
  for (int k = 0; k < K; k += 32) {
    FETCH(k)
    for (int kk = 0; kk < 32; kk += 16) {
      Tile a[2], b[2];
      for (int i = 0; i < 2; ++i) {
        a[i].load(&sA[(wm + i * 16 + lane % 16) * PITCH + kk + lane / 16 * 8]);
        b[i].load(&sB[(wn + i * 16 + lane / 16 * 8 + lane % 8) * PITCH + kk + lane / 8 % 2 * 8]);
      }
      for (int j = 0; j < 4; ++j)
        for (int turn = 0; turn < 2; ++turn) {
          const int m = turn ^ j & 1;
          acc[j][m].fma(a[m], b[j >> 1].r[(j & 1) * 2], b[j >> 1].r[(j & 1) * 2 + 1]);
        }
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int m = 0; m < 2; ++m)
      for (int e = 0; e < 4; ++e)
        C[(m0 + wm + m * 16 + lane / 4 + e / 2 * 8) * N + n0 + wn + j * 8 + lane % 4 * 2 + e % 2] =
            acc[j][m].v[e];
}

// Steps of k that wait for each other, one tile of rows.
// CHECK-LABEL: inSteps(
// CHECK:      const unsigned n = 3 - turn;
__device__ void mma8(float (&d)[4], const uint32_t (&a)[2], uint32_t b) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
               "{%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(b));
}
__global__ void __launch_bounds__(128)
    inSteps(const half *A, const half *B, float *C, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int m0 = blockIdx.y * 64 + warp * 16, n0 = blockIdx.x * 64;
  for (int h = 0; h < 2; ++h) {
    float acc[4][4] = {};
    for (int k = 0; k < K; k += 8) {
      uint32_t a[2], b[4];
      for (int r = 0; r < 2; ++r)
        a[r] = *(const uint32_t *)&A[(m0 + lane / 4 + r * 8) * K + k + lane % 4 * 2];
      for (int j = 0; j < 4; ++j)
        b[j] = *(const uint32_t *)&B[(n0 + h * 32 + j * 8 + lane / 4) * K + k + lane % 4 * 2];
      for (unsigned turn = 0; turn < 4; ++turn) {
        const unsigned n = 3 - turn;
        mma8(acc[n], a, b[n]);
      }
    }
    for (int j = 0; j < 4; ++j)
      for (int e = 0; e < 4; ++e)
        C[(m0 + lane / 4 + e / 2 * 8) * N + n0 + h * 32 + j * 8 + lane % 4 * 2 + e % 2] = acc[j][e];
  }
}
