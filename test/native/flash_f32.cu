// Attention forward, head size 32, two warps of 16 queries, keys in tiles of 32: online
// softmax on the score fragments, which then are the A operand of the second multiply. V is
// read through ldmatrix.trans.
//
// RUN: %prove --launch %S/flash_f32.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
//
// V's four tiles are read by twos along n: what is done to O between the products is the same for all
// columns.
//
// CHECK: two neighbours of n a read, one for each of two tiles.
// CHECK: lp::load_b_2(
// CHECK: lp::each_pair_of(o[j], o[j + 1], o[j + 2], o[j + 3], j, h,
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

namespace attn {
constexpr int D = 32, KEYS = 32, PITCH = D + 8;

__device__ __forceinline__ uint32_t s2u(const void *p) { return __cvta_generic_to_shared(p); }

__device__ __forceinline__ void gemm16816(float *d, const uint32_t *a, uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ float quadMax(float x) {
  x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, 2));
  return fmaxf(x, __shfl_xor_sync(0xffffffff, x, 1));
}
__device__ __forceinline__ float quadSum(float x) {
  x += __shfl_xor_sync(0xffffffff, x, 2);
  return x + __shfl_xor_sync(0xffffffff, x, 1);
}
__device__ __forceinline__ uint32_t pack(float lo, float hi) {
  half2 h = __floats2half2_rn(lo, hi);
  return *reinterpret_cast<uint32_t *>(&h);
}

__global__ void forward(const half *Q, const half *K, const half *V, half *O, float scale,
                        int seq) {
  __shared__ __align__(16) half sQ[32 * PITCH], sK[KEYS * PITCH], sV[KEYS * PITCH];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, t = threadIdx.x;
  for (int i = t; i < 32 * D / 8; i += 64)
    *(int4 *)&sQ[i / 4 * PITCH + i % 4 * 8] =
        *(const int4 *)&Q[(blockIdx.x * 32 + i / 4) * D + i % 4 * 8];

  float o[D / 8][4] = {}, rowMax[2] = {-INFINITY, -INFINITY}, rowSum[2] = {0.f, 0.f};
  for (int base = 0; base < seq; base += KEYS) {
    __syncthreads();
    for (int i = t; i < KEYS * D / 8; i += 64) {
      *(int4 *)&sK[i / 4 * PITCH + i % 4 * 8] = *(const int4 *)&K[(base + i / 4) * D + i % 4 * 8];
      *(int4 *)&sV[i / 4 * PITCH + i % 4 * 8] = *(const int4 *)&V[(base + i / 4) * D + i % 4 * 8];
    }
    __syncthreads();
    float s[KEYS / 8][4] = {};
#pragma unroll
    for (int k = 0; k < D; k += 16) {
      uint32_t a[4], b[2];
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                   : "r"(s2u(sQ + (warp * 16 + lane % 16) * PITCH + k + lane / 16 * 8)));
#pragma unroll
      for (int j = 0; j < KEYS / 8; ++j) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                     : "=r"(b[0]), "=r"(b[1])
                     : "r"(s2u(sK + (j * 8 + lane % 8) * PITCH + k + lane / 8 % 2 * 8)));
        gemm16816(s[j], a, b[0], b[1]);
      }
    }
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float top = rowMax[r];
#pragma unroll
      for (int j = 0; j < KEYS / 8; ++j)
        top = fmaxf(top, fmaxf(s[j][2 * r] * scale, s[j][2 * r + 1] * scale));
      top = quadMax(top);
      const float shrink = __expf(rowMax[r] - top);
      rowMax[r] = top;
      rowSum[r] *= shrink;
#pragma unroll
      for (int j = 0; j < D / 8; ++j) {
        o[j][2 * r] *= shrink;
        o[j][2 * r + 1] *= shrink;
      }
#pragma unroll
      for (int j = 0; j < KEYS / 8; ++j)
#pragma unroll
        for (int e = 2 * r; e < 2 * r + 2; ++e)
          rowSum[r] += s[j][e] = __expf(s[j][e] * scale - top);
    }
#pragma unroll
    for (int k = 0; k < KEYS / 16; ++k) {
      const uint32_t p[4] = {pack(s[2 * k][0], s[2 * k][1]), pack(s[2 * k][2], s[2 * k][3]),
                             pack(s[2 * k + 1][0], s[2 * k + 1][1]),
                             pack(s[2 * k + 1][2], s[2 * k + 1][3])};
#pragma unroll
      for (int j = 0; j < D / 8; ++j) {
        uint32_t b[2];
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                     : "=r"(b[0]), "=r"(b[1])
                     : "r"(s2u(sV + (k * 16 + lane % 16) * PITCH + j * 8)));
        gemm16816(o[j], p, b[0], b[1]);
      }
    }
  }
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const float inverse = 1.f / quadSum(rowSum[r]);
    half *row = O + (blockIdx.x * 32 + warp * 16 + lane / 4 + r * 8) * D + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < D / 8; ++j)
      *(half2 *)(row + j * 8) = __floats2half2_rn(o[j][2 * r] * inverse, o[j][2 * r + 1] * inverse);
  }
}
} // namespace attn
