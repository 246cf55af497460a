// Weights of a byte, packed as the lanes want them and read one step ahead, and factors for each column
// that a loop reads into registers: each begins with the lane whose operand it goes into. Rows beyond the
// last are left out behind the products.
//
// RUN: %prove --launch %S/scales_by_tile.yaml 2>&1 | FileCheck %S/Inputs/native_tested.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void ldsm4(uint32_t *r, const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void mma(float *c, const uint32_t *a, void *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(((uint32_t *)b)[0]),
                 "r"(((uint32_t *)b)[1]));
}
// Two bytes, less 128, as halves: 0x6400 + x is 1024 + x.
__device__ __forceinline__ uint32_t halves(uint32_t bytes, half2 factor) {
  const uint32_t word = __byte_perm(bytes, 0x64646464u, 0x4140);
  const half2 h = __hmul2(__hsub2(*(const half2 *)&word, __float2half2_rn(1152.f)), factor);
  return *(const uint32_t *)&h;
}

// Of B, a lane's four bytes for a tile of 16 x 8: k = 2 t, 2 t + 1, 2 t + 8, 2 t + 9.
// CHECK-LABEL: void __launch_bounds__(128) weights(
// CHECK: uint4 next = lp::read_b([&](int lane, int warp) {
// CHECK: factor[j] = lp::read_b([&](int lane, int warp) {
// CHECK: next = lp::read_b([&, packed_ = packed](int lane, int warp) {
// CHECK: lp::mma_m16n8k16_f32_f16_steps_wave
// CHECK-NOT: to_warp_layout
__global__ void __launch_bounds__(128) weights(const half *X, const uint4 *W, const half *factors,
                                               float *Y, int M, int N, int K) {
  __shared__ __align__(16) half sX[16 * 72];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int column = blockIdx.x * 128 + warp * 32;
  const uint4 *packed = W + column / 32 * 32 + lane;
  float c[4][4] = {};
  uint4 next = *packed;
  for (int k = 0; k < K; k += 64) {
    __syncthreads();
    *(uint4 *)&sX[threadIdx.x / 8 * 72 + threadIdx.x % 8 * 8] =
        *(const uint4 *)&X[threadIdx.x / 8 * K + k + threadIdx.x % 8 * 8];
    __syncthreads();
    half2 factor[4];
    for (int j = 0; j < 4; ++j)
      factor[j] = __half2half2(factors[k / 64 * N + column + j * 8 + lane / 4]);
#pragma unroll
    for (int s = 0; s < 4; ++s) {
      const uint4 now = next;
      packed += N;
      if (k + s * 16 + 16 < K)
        next = *packed;
      uint32_t a[4];
      ldsm4(a, sX + lane % 16 * 72 + s * 16 + lane / 16 * 8);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const uint32_t bytes = ((const uint32_t *)&now)[j];
        uint32_t b[2];
        b[0] = halves(bytes, factor[j]);
        b[1] = halves(bytes >> 16, factor[j]);
        mma(c[j], a, b);
      }
    }
  }
  for (int h = 0; h < 2; ++h) {
    const int row = lane / 4 + h * 8;
    if (row >= M)
      continue;
    for (int j = 0; j < 4; ++j)
      *(float2 *)&Y[row * N + column + j * 8 + lane % 4 * 2] =
          make_float2(c[j][2 * h], c[j][2 * h + 1]);
  }
}
