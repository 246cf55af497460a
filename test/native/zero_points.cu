// Four-bit B whose zero points a loop in front of the products puts into an array of half2: each is
// made again for the lane whose operand it goes into.
//
// RUN: %prove --launch %S/zero_points.yaml 2>&1 | FileCheck %S/Inputs/native_tested.txt
// RUN: %layout-port %s -o %t.one.hip --target gfx942
// RUN: %ported %t.one.hip | FileCheck %s
// CHECK: const auto zero = lp::elements([&](int j) {
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t as_u32(const half2 &h) {
  return *reinterpret_cast<const uint32_t *>(&h);
}

// Of B, eight rows of k a word, with a zero point for each column and 32 rows of k.
__device__ __forceinline__ uint32_t unpack(uint32_t word, half2 zero) {
  uint32_t bits = (word & 0xfu) | ((word & 0xf0u) << 12) | 0x64006400u;
  return as_u32(__hsub2(*reinterpret_cast<half2 *>(&bits), zero));
}
__global__ void zeroPoints(const half *__restrict__ A, const uint32_t *__restrict__ words,
                           const uint32_t *__restrict__ zeros, float *__restrict__ C, int k) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][2][2] = {};
  for (int group = 0; group * 32 < k; ++group) {
    half2 zero[2];
    uint32_t part[2][2] = {};
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const uint32_t z = zeros[group * 16 + j * 8 + lane / 4] & 15;
      zero[j] = __half2half2(__ushort2half_rn(1024 + z));
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      uint32_t a[4];
      const half *p = A + (blockIdx.x * 32 + warp * 16 + lane / 4) * k + group * 32 + i * 16 +
                      lane % 4 * 2;
      a[0] = *(const uint32_t *)p;
      a[1] = *(const uint32_t *)(p + 8 * k);
      a[2] = *(const uint32_t *)(p + 8);
      a[3] = *(const uint32_t *)(p + 8 * k + 8);
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const uint32_t *w = words + (group * 4 + i * 2) * 16 + j * 8 + lane / 4;
        const uint32_t b0 = unpack(w[0] >> (lane % 4 * 8), zero[j]);
        const uint32_t b1 = unpack(w[16] >> (lane % 4 * 8), zero[j]);
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, "
                     "{%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
                     : "+r"(part[j][0]), "+r"(part[j][1])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
      }
    }
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const float2 up = __half22float2(*reinterpret_cast<half2 *>(&part[j][0]));
      const float2 down = __half22float2(*reinterpret_cast<half2 *>(&part[j][1]));
      c[j][0][0] += up.x;
      c[j][0][1] += up.y;
      c[j][1][0] += down.x;
      c[j][1][1] += down.y;
    }
  }
#pragma unroll
  for (int j = 0; j < 2; ++j)
#pragma unroll
    for (int h = 0; h < 2; ++h)
#pragma unroll
      for (int e = 0; e < 2; ++e)
        C[(blockIdx.x * 32 + warp * 16 + lane / 4 + h * 8) * 16 + j * 8 + lane % 4 * 2 + e] =
            c[j][h][e];
}
