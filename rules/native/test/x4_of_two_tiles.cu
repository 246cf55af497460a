// One ldmatrix.x4 reads two n8 tiles of B into registers that have no index of the sums: the product
// that takes each pair of them says which tile it is.
//
// RUN: %layout-port %s -o %t.hip --target gfx90a,gfx942,gfx950 --verify --launch %S/Inputs/x4_of_two_tiles.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: %ported %t.hip | FileCheck %s
//
// REPORT-NOT: is not native
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes
// REPORT: verify gfx90a: proved
// REPORT: verify gfx942: proved
// REPORT: verify gfx950: proved
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t &r0, uint32_t &r1, uint32_t &r2, uint32_t &r3, const half *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"((uint32_t)__cvta_generic_to_shared(row)));
}
__device__ void ldsm2(uint32_t &r0, uint32_t &r1, const half *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r0), "=r"(r1) : "r"((uint32_t)__cvta_generic_to_shared(row)));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

constexpr int kStep = 32, kRow = kStep + 8;

// Two warps above each other: 32 rows, 32 columns, all of k in steps of 32.
struct Tiles {
  half a[32][kRow], b[32][kRow];
};
__device__ void fill(Tiles &tiles, const half *A, const half *B, int K, int k) {
  __syncthreads();
  for (int i = threadIdx.x; i < 32 * kStep; i += blockDim.x) {
    tiles.a[i / kStep][i % kStep] = A[(blockIdx.x * 32 + i / kStep) * K + k + i % kStep];
    tiles.b[i / kStep][i % kStep] = B[i / kStep * K + k + i % kStep];
  }
  __syncthreads();
}
__device__ void store(float *C, const float (&c)[4][4]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int j = 0; j < 4; ++j)
    for (int r = 0; r < 4; ++r)
      C[(blockIdx.x * 32 + warp * 16 + lane / 4 + r / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + r % 2] = c[j][r];
}

// CHECK-LABEL: inOrder(
// CHECK: lp::load_b_tiles(lp::tile<unsigned int, 2>(b, 0), lp::tile<unsigned int, 2>(b, 1), [&](int lane, int, int jj) {{.*}}, jj * 2, jj * 2 + 1);
__global__ void __launch_bounds__(64) inOrder(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) Tiles tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += kStep) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < kStep; kk += 16) {
      uint32_t a[4];
      ldsm4(a[0], a[1], a[2], a[3], &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int jj = 0; jj < 2; ++jj) {
        uint32_t b[4];
        ldsm4(b[0], b[1], b[2], b[3], &tiles.b[jj * 16 + lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
        mma(c[jj * 2], a, b[0], b[1]);
        mma(c[jj * 2 + 1], a, b[2], b[3]);
      }
    }
  }
  store(C, c);
}

// The upper half of the registers is the tile before the lower: each is read by itself.
// CHECK-LABEL: swapped(
// CHECK: lp::load_b_tiles{{(_[0-9])?}}(lp::tile<unsigned int, 2>(b, 0), lp::tile<unsigned int, 2>(b, 1), [&](int lane, int) {{.*}});
// CHECK: lp::mma_m16n8k16_f32_f16_two_steps_wave(c[j + 1], c[j], a, lp::tile<unsigned int, 2>(b, 0), lp::tile<unsigned int, 2>(b, 1), held[j / 2], kk / 16);
__global__ void __launch_bounds__(64) swapped(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) Tiles tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += kStep) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < kStep; kk += 16) {
      uint32_t a[4];
      ldsm4(a[0], a[1], a[2], a[3], &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < 4; j += 2) {
        uint32_t b[4];
        ldsm4(b[0], b[1], b[2], b[3], &tiles.b[j * 8 + lane % 8 + (1 - lane / 16) * 8][kk + lane / 8 % 2 * 8]);
        mma(c[j + 1], a, b[0], b[1]);
        mma(c[j], a, b[2], b[3]);
      }
    }
  }
  store(C, c);
}

// Each tile has an array of its own.
// CHECK-LABEL: apart(
__global__ void __launch_bounds__(64) apart(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) Tiles tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += kStep) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < kStep; kk += 16) {
      uint32_t a[4];
      ldsm4(a[0], a[1], a[2], a[3], &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < 4; j += 2) {
        uint32_t left[2], right[2];
        ldsm4(left[0], left[1], right[0], right[1], &tiles.b[j * 8 + lane % 8 + lane / 16 * 8][kk + lane / 8 % 2 * 8]);
        mma(c[j], a, left[0], left[1]);
        mma(c[j + 1], a, right[0], right[1]);
      }
    }
  }
  store(C, c);
}

// Two steps of k for one tile: both go into the same sums.
// CHECK-LABEL: twoSteps(
__global__ void __launch_bounds__(64) twoSteps(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) Tiles tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += kStep) {
    fill(tiles, A, B, K, k);
    uint32_t a[2][4];
    for (int kk = 0; kk < 2; ++kk)
      ldsm4(a[kk][0], a[kk][1], a[kk][2], a[kk][3], &tiles.a[warp * 16 + lane % 16][kk * 16 + lane / 16 * 8]);
    for (int j = 0; j < 4; ++j) {
      uint32_t b[4];
      ldsm4(b[0], b[1], b[2], b[3], &tiles.b[j * 8 + lane % 8][lane / 8 * 8]);
      mma(c[j], a[0], b[0], b[1]);
      mma(c[j], a[1], b[2], b[3]);
    }
  }
  store(C, c);
}

// The same registers hold one tile after the other: no MFMA can take both.
// CHECK-LABEL: again(
// CHECK: lp::mma_m16n8k16_f32_f16_steps_wave{{[_0-9]*}}(c[j], a, b, held[j / 2], kk / 16);
// CHECK: lp::mma_m16n8k16_f32_f16_steps_wave{{[_0-9]*}}(c[j + 1], a, b, held2[j / 2], kk / 16);
__global__ void __launch_bounds__(64) again(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) Tiles tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += kStep) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < kStep; kk += 16) {
      uint32_t a[4];
      ldsm4(a[0], a[1], a[2], a[3], &tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < 4; j += 2) {
        uint32_t b[2];
        ldsm2(b[0], b[1], &tiles.b[j * 8 + lane % 8][kk + lane / 8 % 2 * 8]);
        mma(c[j], a, b[0], b[1]);
        ldsm2(b[0], b[1], &tiles.b[j * 8 + 8 + lane % 8][kk + lane / 8 % 2 * 8]);
        mma(c[j + 1], a, b[0], b[1]);
      }
    }
  }
  store(C, c);
}
