// Wrappers of mma that set their sums to zero in front of it, by a template's parameter: the product
// begins from zero.
//
// RUN: %prove --launch %S/zeroed_by_wrapper.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

enum class Mode { Init, Add };

template <Mode mode>
__device__ void multiplyAdd(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  if constexpr (mode == Mode::Init) {
    d[0] = d[1] = 0.f;
    d[2] = d[3] = 0.f;
  }
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
template <Mode mode>
__device__ void multiplyHalves(uint32_t (&d)[2], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  if constexpr (mode == Mode::Init)
    d[0] = d[1] = 0;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, "
               "{%8,%9};"
               : "=r"(d[0]), "=r"(d[1])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "r"(d[0]), "r"(d[1]));
}
__device__ void ldsm4(uint32_t (&r)[4], const half *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(row)));
}

// CHECK-LABEL: zeroed(
// CHECK:      if (k == 0) {
// CHECK-NEXT:   lp::mma_m16n8k16_f32_f16_from_zero_wave(sums[0], sums[1], a, lp::tile<unsigned int, 2>(b, 0)
// CHECK:      } else {
// CHECK-NEXT:   lp::mma_m16n8k16_f32_f16_wave(sums[0], sums[1], a, lp::tile<unsigned int, 2>(b, 0)
// CHECK:      lp::mma_m16n8k16_f16_f16_from_zero_wave(halves[0], halves[1], a,
__global__ void __launch_bounds__(64) zeroed(const half *A, const half *B, float *C, half *D) {
  __shared__ __align__(16) half sA[32][40], sB[16][40];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, top = blockIdx.x * 32;
  for (int i = threadIdx.x; i < 192; i += 64)
    *(uint4 *)(i < 128 ? &sA[i / 4][i % 4 * 8] : &sB[i / 4 - 32][i % 4 * 8]) =
        *(const uint4 *)(i < 128 ? &A[(top + i / 4) * 32 + i % 4 * 8] : &B[(i / 4 - 32) * 32 + i % 4 * 8]);
  __syncthreads();
  float sums[2][4];
  for (int k = 0; k < 32; k += 16) {
    uint32_t a[4], b[4];
    ldsm4(a, &sA[warp * 16 + lane % 16][k + lane / 16 * 8]);
    ldsm4(b, &sB[lane / 16 * 8 + lane % 8][k + lane / 8 % 2 * 8]);
    if (k == 0) {
      multiplyAdd<Mode::Init>(sums[0], a, b[0], b[1]);
      multiplyAdd<Mode::Init>(sums[1], a, b[2], b[3]);
    } else {
      multiplyAdd<Mode::Add>(sums[0], a, b[0], b[1]);
      multiplyAdd<Mode::Add>(sums[1], a, b[2], b[3]);
    }
    uint32_t halves[2][2];
    multiplyHalves<Mode::Init>(halves[0], a, b[0], b[1]);
    multiplyHalves<Mode::Init>(halves[1], a, b[2], b[3]);
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 2; ++r)
        *(uint32_t *)&D[((top + warp * 16 + lane / 4 + r * 8) * 2 + k / 16) * 16 + j * 8 + lane % 4 * 2] =
            halves[j][r];
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(top + warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = sums[j][e];
}
