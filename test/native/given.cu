// Wrappers whose parameters are called as something else is in the kernel, get their arguments
// crosswise, or hold less than they are given.
//
// RUN: %prove --launch %S/given.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.one.hip --target gfx942
// RUN: %ported %t.one.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *s, int p, int row, int col) {
  const uint32_t at = (uint32_t)__cvta_generic_to_shared(s + row * p + col);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}
// The column is a byte.
__device__ __forceinline__ void ldsm2(uint32_t (&r)[2], const half *s, int p, int row,
                                      unsigned char col) {
  const uint32_t at = (uint32_t)__cvta_generic_to_shared(s + row * p + col);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"(at));
}
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

constexpr int kPitch = 24;
struct Tiles {
  half a[32][kPitch], b[16][kPitch];
};
__device__ void fill(Tiles &tiles, const half *A, const half *B, int K, int k) {
  __syncthreads();
  for (int e = threadIdx.x; e < 32 * 16; e += 64) {
    tiles.a[e / 16][e % 16] = A[e / 16 * K + k + e % 16];
    if (e < 16 * 16)
      tiles.b[e / 16][e % 16] = B[e / 16 * K + k + e % 16];
  }
  __syncthreads();
}
__device__ void store(float *C, const float (&c)[2][4]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int j = 0; j < 2; ++j)
    for (int r = 0; r < 4; ++r)
      C[(warp * 16 + lane / 4 + r / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + r % 2] = c[j][r];
}

// p counts tiles.
// CHECK-LABEL: counter(
// CHECK: lp::load_b(b[p], [&](int lane, int, int p) {
// CHECK: const auto givenP = kPitch;
// CHECK: s + row * givenP + col
__global__ void __launch_bounds__(64) counter(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) Tiles tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    fill(tiles, A, B, K, k);
    uint32_t a[4], b[2][2];
    ldsm4(a, tiles.a[0], kPitch, warp * 16 + lane % 16, lane / 16 * 8);
    for (int p = 0; p < 2; ++p)
      ldsm2(b[p], tiles.b[0], kPitch, p * 8 + lane % 8, lane / 8 % 2 * 8);
    for (int j = 0; j < 2; ++j)
      mma(c[j], a, b[j]);
  }
  store(C, c);
}

// p is a member, which nobody takes for the parameter.
// CHECK-LABEL: member(
// CHECK: const auto p = u.p.pitch;
// CHECK: s + row * p + col
struct Use {
  struct {
    int pitch, unused;
  } p;
};
__global__ void __launch_bounds__(64)
    member(const half *A, const half *B, float *C, int K, int pitch) {
  __shared__ __align__(16) Tiles tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Use u = {{pitch, 0}};
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    fill(tiles, A, B, K, k);
    uint32_t a[4], b[2][2];
    ldsm4(a, tiles.a[0], u.p.pitch, warp * 16 + lane % 16, lane / 16 * 8);
    for (int j = 0; j < 2; ++j)
      ldsm2(b[j], tiles.b[0], u.p.pitch, j * 8 + lane % 8, lane / 8 % 2 * 8);
    for (int j = 0; j < 2; ++j)
      mma(c[j], a, b[j]);
  }
  store(C, c);
}

// The kernel's row is the wrapper's column, and its column the row; 256 is 0 in a byte.
// CHECK-LABEL: crossed(
// CHECK-DAG: const auto givenRow = col;
// CHECK-DAG: const auto givenCol = row;
// CHECK: s + givenRow * p + givenCol
// CHECK: const unsigned char givenCol = 256 + lane / 8 % 2 * 8;
__global__ void __launch_bounds__(64) crossed(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) Tiles tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int col = warp * 16 + lane % 16, row = lane / 16 * 8;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    fill(tiles, A, B, K, k);
    uint32_t a[4], b[2][2];
    ldsm4(a, tiles.a[0], kPitch, col, row);
    for (int j = 0; j < 2; ++j)
      ldsm2(b[j], tiles.b[0], kPitch, j * 8 + lane % 8, 256 + lane / 8 % 2 * 8);
    for (int j = 0; j < 2; ++j)
      mma(c[j], a, b[j]);
  }
  store(C, c);
}
