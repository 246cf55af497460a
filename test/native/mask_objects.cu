// Masks by a lambda of the kernel and by a function of a struct that all threads have alike; and a
// mask in the loop over rows that also takes the row's maximum and exponentials.
//
// RUN: %prove --launch %S/mask_objects.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t s2u(const void *p) { return __cvta_generic_to_shared(p); }
__device__ __forceinline__ uint32_t pack(float lo, float hi) {
  half2 h = __floats2half2_rn(lo, hi);
  return *reinterpret_cast<uint32_t *>(&h);
}
__device__ __forceinline__ void mma(float *d, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

struct Drop {
  unsigned seed, limit;
  float scale;
};
__device__ __forceinline__ bool keeps(const Drop &drop, unsigned row, unsigned col) {
  unsigned x = drop.seed + row * 16 + col;
  x = (x ^ x >> 4) * 0x2du;
  return (x >> 2 & 15) >= drop.limit;
}

__global__ void __launch_bounds__(64) objects(const half *A, const half *B, const half *V, float *C,
                                              int n, unsigned seed, unsigned limit, float scale) {
  __shared__ __align__(16) half sA[32 * 16], sB[16 * 16], sV[16 * 16];
  const int lane = threadIdx.x & 31;
  const int warp = threadIdx.x / 32;
  const Drop drop{seed, limit, scale};
  auto isLater = [&](int row, int col) { return col > row + n; };
  for (int i = threadIdx.x; i < 32 * 16; i += 64)
    sA[i] = A[blockIdx.x * 32 * 16 + i];
  for (int i = threadIdx.x; i < 16 * 16; i += 64)
    sB[i] = B[i], sV[i] = V[i];
  __syncthreads();
  float s[2][4] = {}, o[2][4] = {};
  float top[2] = {-100.f, -100.f}, sum[2] = {0.f, 0.f};
  uint32_t a[4], b[2];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
               : "r"(s2u(sA + (warp * 16 + lane % 16) * 16 + lane / 16 * 8)));
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(b[0]), "=r"(b[1])
                 : "r"(s2u(sB + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8)));
    mma(s[j], a, b);
  }
  // CHECK: if (lp::of_element<1>(e, [&](int lane, int warp, int e) {
  // CHECK: return isLater(row, col);
#pragma unroll
  for (int j = 0; j < 2; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int row = warp * 16 + lane / 4 + e / 2 * 8, col = j * 8 + lane % 4 * 2 + e % 2;
      if (isLater(row, col))
        s[j][e] = -8.f;
    }
  // One statement for each row.
  // CHECK: if (lp::of_element(0, [&](int lane, int warp, int lower) { return lower ? isLater(
  // CHECK: if (lp::of_element(1, [&](int lane, int warp, int lower) { return lower ? isLater(
  if (isLater(warp * 16 + lane / 4, lane % 4 * 2 + 9))
    s[1][1] += 1.f;
  if (isLater(warp * 16 + lane / 4 + 8, lane % 4 * 2 + 9))
    s[1][3] += 1.f;
  // CHECK: for (int h = 0; h < 2; ++h) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const unsigned row = blockIdx.x * 32 + warp * 16 + lane / 4 + h * 8;
    float m = top[h];
#pragma unroll
    for (int j = 0; j < 2; ++j)
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        const unsigned col = j * 8 + lane % 4 * 2 + c;
        // CHECK: s[j][2 * h + c] = lp::of_element(h, [&](int lane, int warp, int h) {
        // CHECK: return keeps(drop, row, col);
        // CHECK-NEXT: }) ? s[j][2 * h + c] * drop.scale : -8.f;
        s[j][2 * h + c] = keeps(drop, row, col) ? s[j][2 * h + c] * drop.scale : -8.f;
        m = fmaxf(m, s[j][2 * h + c]);
      }
    // CHECK: lp::shfl_xor_wave(m, 1)
    m = fmaxf(m, __shfl_xor_sync(~0u, m, 1));
    m = fmaxf(m, __shfl_xor_sync(~0u, m, 2));
    top[h] = m;
#pragma unroll
    for (int j = 0; j < 2; ++j)
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        s[j][2 * h + c] = exp2f(s[j][2 * h + c] - m);
        sum[h] += s[j][2 * h + c];
      }
  }
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    const uint32_t p[4] = {pack(s[0][0], s[0][1]), pack(s[0][2], s[0][3]), pack(s[1][0], s[1][1]),
                           pack(s[1][2], s[1][3])};
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(b[0]), "=r"(b[1])
                 : "r"(s2u(sV + lane % 16 * 16 + j * 8)));
    mma(o[j], p, b);
  }
  const int row = blockIdx.x * 32 + warp * 16 + lane / 4;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    sum[h] += __shfl_xor_sync(~0u, sum[h], 1);
    sum[h] += __shfl_xor_sync(~0u, sum[h], 2);
#pragma unroll
    for (int j = 0; j < 2; ++j)
#pragma unroll
      for (int c = 0; c < 2; ++c)
        C[(row + h * 8) * 16 + j * 8 + lane % 4 * 2 + c] = o[j][2 * h + c] / sum[h];
  }
}
