// Causal attention of which each warp masks the blocks of keys that reach its own rows' diagonal, and
// no others. Queries are scaled in registers, behind their ldmatrix; rows beyond the end are left out
// by 'continue'.
//
// RUN: %prove --launch %S/causal_warp.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int D = 16, KEYS = 16, PITCH = D + 8;

__device__ __forceinline__ uint32_t smem(const void *p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ uint32_t pack(float lo, float hi) {
  half2 h = __floats2half2_rn(lo, hi);
  return *reinterpret_cast<uint32_t *>(&h);
}

__global__ void __launch_bounds__(64)
    causalWarp(const half *Q, const half *K, const half *V, half *O, float scale, int seq) {
  __shared__ __align__(16) half sQ[32][PITCH], sK[KEYS][PITCH], sV[KEYS][PITCH];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, t = threadIdx.x;
  const int q0 = blockIdx.x * 32 + warp * 16;
  *(uint4 *)&sQ[t / 2][t % 2 * 8] = *(const uint4 *)&Q[(blockIdx.x * 32 + t / 2) * D + t % 2 * 8];
  __syncthreads();
  uint32_t q[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3])
               : "r"(smem(&sQ[warp * 16 + lane % 16][lane / 16 * 8])));
  const half2 factor = __float2half2_rn(scale);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    half2 two = *reinterpret_cast<half2 *>(&q[i]);
    two = __hmul2(two, factor);
    q[i] = *reinterpret_cast<uint32_t *>(&two);
  }
  float o[2][4] = {}, rowMax[2] = {-INFINITY, -INFINITY}, rowSum[2] = {0.f, 0.f};
  for (int base = 0; base < blockIdx.x * 32 + 32; base += KEYS) {
    __syncthreads();
    if (t < 32) {
      *(uint4 *)&sK[t / 2][t % 2 * 8] = *(const uint4 *)&K[(base + t / 2) * D + t % 2 * 8];
      *(uint4 *)&sV[t / 2][t % 2 * 8] = *(const uint4 *)&V[(base + t / 2) * D + t % 2 * 8];
    }
    __syncthreads();
    float s[2][4] = {};
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      uint32_t b[2];
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                   : "=r"(b[0]), "=r"(b[1])
                   : "r"(smem(&sK[j * 8 + lane % 8][lane / 8 % 2 * 8])));
      mma(s[j], q, b);
    }
    if (base + KEYS - 1 > q0) {
#pragma unroll
      for (int j = 0; j < 2; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const int col = base + j * 8 + lane % 4 * 2 + (e & 1);
          if (col > q0 + lane / 4 + (e >> 1) * 8)
            s[j][e] = -INFINITY;
        }
    }
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float top = rowMax[r];
#pragma unroll
      for (int j = 0; j < 2; ++j)
        top = fmaxf(top, fmaxf(s[j][2 * r], s[j][2 * r + 1]));
      top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, 2));
      top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, 1));
      const float shrink = __expf(rowMax[r] - top);
      rowMax[r] = top;
      rowSum[r] *= shrink;
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        o[j][2 * r] *= shrink;
        o[j][2 * r + 1] *= shrink;
        rowSum[r] += s[j][2 * r] = __expf(s[j][2 * r] - top);
        rowSum[r] += s[j][2 * r + 1] = __expf(s[j][2 * r + 1] - top);
      }
    }
    const uint32_t p[4] = {pack(s[0][0], s[0][1]), pack(s[0][2], s[0][3]), pack(s[1][0], s[1][1]),
                           pack(s[1][2], s[1][3])};
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      uint32_t b[2];
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                   : "=r"(b[0]), "=r"(b[1])
                   : "r"(smem(&sV[lane % 16][j * 8])));
      mma(o[j], p, b);
    }
  }
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    rowSum[r] += __shfl_xor_sync(0xffffffff, rowSum[r], 2);
    rowSum[r] += __shfl_xor_sync(0xffffffff, rowSum[r], 1);
    const int row = q0 + lane / 4 + r * 8;
    if (row >= seq)
      continue;
#pragma unroll
    for (int j = 0; j < 2; ++j)
      *(half2 *)&O[row * D + j * 8 + lane % 4 * 2] =
          __floats2half2_rn(o[j][2 * r] / rowSum[r], o[j][2 * r + 1] / rowSum[r]);
  }
}

// CHECK: for (int i = 0; i < 4; ++i) {
// CHECK: two = __hmul2(two, factor);
// CHECK: if (lp::of_element(0, [&](int, int warp, int) {
// CHECK: return base + KEYS - 1 > q0;
// CHECK: }) ||
// CHECK-NEXT: lp::of_element(1, [&](int, int warp, int) {
// CHECK: if (lp::of_element<1>(e, [&](int lane, int warp, int e) {
// CHECK: return (base + KEYS - 1 > q0) && (col > q0 + lane / 4 + (e >> 1) * 8);
// CHECK-NOT: to_warp
// CHECK: lp::each_row([&](int lane, int warp, int r, int h) {
// CHECK: if (row >= seq)
// CHECK-NEXT: return;
