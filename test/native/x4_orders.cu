// One ldmatrix.x4 reads two n8 tiles of B: as the upper and the lower half of its registers, or as
// every other one (rows 0-7, rows 8-15, and both at k + 8); in an array, in variables, in a ring of
// two steps of k whose place walks. Addresses that a loop keeps in arrays, swizzled and turned by xor
// for the second step.
//
// RUN: %prove --launch %S/x4_orders.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.one.hip --target gfx942
// RUN: %ported %t.one.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define LDSM4(r0, r1, r2, r3, at)                                                                  \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"                   \
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(at))
__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], uint32_t at) {
  LDSM4(r[0], r[1], r[2], r[3], at);
}
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                    uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
               "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ uint32_t shared32(const void *p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}

constexpr int kStep = 32, kRow = kStep + 8;
struct Tiles {
  half a[32][kRow], b[32][kRow];
};
__device__ void fill(Tiles &tiles, const half *A, const half *B, int K, int k) {
  __syncthreads();
  for (int i = threadIdx.x; i < 32 * kStep; i += 64) {
    tiles.a[i / kStep][i % kStep] = A[i / kStep * K + k + i % kStep];
    tiles.b[i / kStep][i % kStep] = B[i / kStep * K + k + i % kStep];
  }
  __syncthreads();
}
__device__ void store(float *C, const float (&c)[4][4]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int j = 0; j < 4; ++j)
    for (int r = 0; r < 4; ++r)
      C[(warp * 16 + lane / 4 + r / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + r % 2] = c[j][r];
}
#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(64) name(const half *A, const half *B, float *C, int K)

// CHECK-LABEL: KERNEL(everyOther)
// CHECK: lp::load_b_tiles(lp::tile<unsigned int, 2>(b, j * 2), lp::tile<unsigned int, 2>(b, j * 2 + 1),
// CHECK: lp::mma_m16n8k16_f32_f16_wave({{.*}}, a, lp::tile<unsigned int, 2>(b, (j * 2 + 1) & ~1), lp::tile<unsigned int, 2>(b, (j * 2 + 1) | 1), (2 * j + 1) % 4 == 3);
KERNEL(everyOther) {
  __shared__ __align__(16) Tiles tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += kStep) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < kStep; kk += 16) {
      uint32_t a[4], b[2][4];
      ldsm4(a, shared32(&tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]));
      for (int j = 0; j < 2; ++j)
        ldsm4(b[j], shared32(&tiles.b[j * 16 + lane % 16][kk + lane / 16 * 8]));
      for (int j = 0; j < 2; ++j) {
        mma(c[2 * j], a, b[j][0], b[j][2]);
        mma(c[2 * j + 1], a, b[j][1], b[j][3]);
      }
    }
  }
  store(C, c);
}

// CHECK-LABEL: KERNEL(byIndex)
// CHECK: lp::mma_m16n8k16_f32_f16_wave({{.*}}, a, lp::tile<unsigned int, 2>(b, j & ~1), lp::tile<unsigned int, 2>(b, j | 1), j % 4 == 3);
KERNEL(byIndex) {
  __shared__ __align__(16) Tiles tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += kStep) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < kStep; kk += 16) {
      uint32_t a[4], b[2][4];
      ldsm4(a, shared32(&tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]));
      for (int j = 0; j < 2; ++j)
        ldsm4(b[j], shared32(&tiles.b[j * 16 + lane % 16][kk + lane / 16 * 8]));
      for (int j = 0; j < 4; ++j)
        mma(c[j], a, b[j >> 1][j & 1], b[j >> 1][(j & 1) + 2]);
    }
  }
  store(C, c);
}

KERNEL(inVariables) {
  __shared__ __align__(16) Tiles tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += kStep) {
    fill(tiles, A, B, K, k);
    for (int kk = 0; kk < kStep; kk += 16) {
      uint32_t a[4];
      ldsm4(a, shared32(&tiles.a[warp * 16 + lane % 16][kk + lane / 16 * 8]));
      for (int j = 0; j < 4; j += 2) {
        uint32_t b0, b1, b2, b3;
        LDSM4(b0, b1, b2, b3, shared32(&tiles.b[j * 8 + lane % 16][kk + lane / 16 * 8]));
        mma(c[j], a, b0, b2);
        mma(c[j + 1], a, b1, b3);
      }
    }
  }
  store(C, c);
}

// CHECK-LABEL: KERNEL(ring)
// CHECK: lp::load_b{{.*}}(lp::tile<unsigned int, 2>(b[now ^ 1], j * 2),
// CHECK: lp::mma_m16n8k16_f32_f16_wave({{.*}}, a[now], lp::tile<unsigned int, 2>(b[now], j & ~1), lp::tile<unsigned int, 2>(b[now], j | 1), j % 4 == 3);
KERNEL(ring) {
  __shared__ __align__(16) Tiles tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const half *const pa = &tiles.a[warp * 16 + lane % 16][lane / 16 * 8];
  const half *const pb = &tiles.b[lane / 16 * 8 + lane % 8][lane / 8 % 2 * 8];
  float c[4][4] = {};
  for (int k = 0; k < K; k += kStep) {
    fill(tiles, A, B, K, k);
    uint32_t a[2][4], b[2][2][4];
    int now = 0;
    ldsm4(a[0], shared32(pa));
    for (int j = 0; j < 2; ++j)
      ldsm4(b[0][j], shared32(pb + j * 16 * kRow));
    for (int s = 0; s < 2; ++s) {
      if (s == 0) {
        ldsm4(a[now ^ 1], shared32(pa + 16));
        for (int j = 0; j < 2; ++j)
          ldsm4(b[now ^ 1][j], shared32(pb + j * 16 * kRow + 16));
      }
      for (int j = 0; j < 4; ++j)
        mma(c[j], a[now], b[now][j / 2][j % 2 * 2], b[now][j / 2][j % 2 * 2 + 1]);
      now ^= 1;
    }
  }
  store(C, c);
}

// Rows of 64 bytes.
// CHECK-LABEL: KERNEL(addresses)
// CHECK: lp::load_b_tiles{{[_0-9]*}}(b[j * 2], b[j * 2 + 1], [&](int lane, int, int j
// CHECK: const auto atB = lp::elements([&](int j) { const int row = j * 16 + lane / 16 * 8 + lane % 8; return
// CHECK: return atB[j] ^ (s << 5);
KERNEL(addresses) {
  __shared__ __align__(128) half sA[32 * kStep], sB[32 * kStep];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  uint32_t atA[1], atB[2];
  for (int i = 0; i < 1; ++i) {
    const int row = warp * 16 + i * 16 + lane % 16;
    atA[i] = shared32(sA) + row * 64 + ((lane / 16 ^ (row >> 1 & 3)) << 4);
  }
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    const int row = j * 16 + lane / 16 * 8 + lane % 8;
    atB[j] = shared32(sB) + row * 64 + ((lane / 8 % 2 ^ (row >> 1 & 3)) << 4);
  }
  for (int k = 0; k < K; k += kStep) {
    __syncthreads();
    for (int i = threadIdx.x; i < 32 * kStep; i += 64) {
      const int row = i / kStep, col = i % kStep;
      const int at = row * kStep + (col / 8 ^ (row >> 1 & 3)) * 8 + col % 8;
      sA[at] = A[row * K + k + col];
      sB[at] = B[row * K + k + col];
    }
    __syncthreads();
    for (int s = 0; s < 2; ++s) {
      uint32_t a[1][4], b[4][2];
      for (int i = 0; i < 1; ++i)
        ldsm4(a[i], atA[i] ^ (s << 5));
      for (int j = 0; j < 2; ++j)
        LDSM4(b[j * 2][0], b[j * 2][1], b[j * 2 + 1][0], b[j * 2 + 1][1], atB[j] ^ (s << 5));
      for (int j = 0; j < 4; ++j)
        mma(c[j], a[0], b[j][0], b[j][1]);
    }
  }
  store(C, c);
}
