// Attention, by relu, so that whole numbers stay so, that is thrifty with registers: Q is read in the
// first turn alone; scores of f32 are packed into the first two of their own four words, of which two
// are left over until the next turn sets them; the output waits as f32 or as halves, and is collected
// in operands' registers, by pointers.
//
// RUN: %prove --launch %S/packed_in_place.yaml 2>&1 | FileCheck %S/Inputs/native_tested.txt
// RUN: %layout-port %s -o %t.hip --target gfx950
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define LDSM_X4(r0, r1, r2, r3, at)                                                              \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"                \
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(at))
#define LDSM_X2(r0, r1, at)                                                                      \
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(r0), "=r"(r1) : "r"(at))
#define LDSM_X2_T(r0, r1, at)                                                                    \
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(r0), "=r"(r1) : "r"(at))
#define MMA(d0, d1, d2, d3, a0, a1, a2, a3, b0, b1)                                              \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "            \
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                                   \
               : "+r"(d0), "+r"(d1), "+r"(d2), "+r"(d3)                                          \
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1))
#define VECTOR(x) (reinterpret_cast<float4 *>(&(x))[0])

constexpr int kKeys = 32, kSkew = 8;

__device__ float total(float x) {
  x += __shfl_xor_sync(0xffffffff, x, 2, 32);
  return x + __shfl_xor_sync(0xffffffff, x, 1, 32);
}

template <int kDim, int kTilesD, int kFloatOut>
__global__ void __launch_bounds__(64) attend(const half *Q, const half *K, const half *V, half *O, int turns) {
  __shared__ __align__(16) half sQ[32][kDim + kSkew], sK[kKeys][kDim + kSkew], sV[kKeys][kDim + kSkew];
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  for (int v = tid; v < 32 * kDim / 8; v += 64)
    *(uint4 *)&sQ[v / (kDim / 8)][v % (kDim / 8) * 8] = *(const uint4 *)&Q[blockIdx.x * 32 * kDim + v * 8];
  const uint32_t q = __cvta_generic_to_shared(sQ), k = __cvta_generic_to_shared(sK),
                 v = __cvta_generic_to_shared(sV);

  uint32_t rQ[kDim / 16][4], rK[kKeys / 8][2], rV[kTilesD][2], rS[kKeys / 8][4], rO[kTilesD][4];
  uint32_t rD[kTilesD][kFloatOut ? 4 : 2];
  float sum[2] = {0.f, 0.f};
#pragma unroll
  for (int j = 0; j < kTilesD; ++j)
#pragma unroll
    for (int r = 0; r < (kFloatOut ? 4 : 2); ++r)
      rD[j][r] = 0;

#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    for (int x = tid; x < kKeys * kDim / 8; x += 64) {
      const int row = x / (kDim / 8), col = x % (kDim / 8) * 8;
      *(uint4 *)&sK[row][col] = *(const uint4 *)&K[(turn * kKeys + row) * kDim + col];
      *(uint4 *)&sV[row][col] = *(const uint4 *)&V[(turn * kKeys + row) * kDim + col];
    }
    __syncthreads();
    if (turn == 0) {
#pragma unroll
      for (int d = 0; d < kDim / 16; ++d) {
        const int row = warp * 16 + lane % 16, col = d * 16 + lane / 16 * 8;
        LDSM_X4(rQ[d][0], rQ[d][1], rQ[d][2], rQ[d][3], q + (row * (kDim + kSkew) + col) * 2);
      }
    }
#pragma unroll
    for (int j = 0; j < kKeys / 8; ++j)
#pragma unroll
      for (int r = 0; r < 4; ++r)
        rS[j][r] = 0;
#pragma unroll
    for (int d = 0; d < kDim / 16; ++d) {
#pragma unroll
      for (int j = 0; j < kKeys / 8; ++j) {
        const int row = j * 8 + lane % 8, col = d * 16 + lane / 8 % 2 * 8;
        LDSM_X2(rK[j][0], rK[j][1], k + (row * (kDim + kSkew) + col) * 2);
      }
#pragma unroll
      for (int j = 0; j < kKeys / 8; ++j)
        MMA(rS[j][0], rS[j][1], rS[j][2], rS[j][3], rQ[d][0], rQ[d][1], rQ[d][2], rQ[d][3], rK[j][0], rK[j][1]);
    }

    float part[2] = {0.f, 0.f};
#pragma unroll
    for (int j = 0; j < kKeys / 8; ++j) {
      float *s = reinterpret_cast<float *>(&rS[j][0]);
      half *p = reinterpret_cast<half *>(&rS[j][0]);
      s[0] = fmaxf(s[0], 0.f);
      s[1] = fmaxf(s[1], 0.f);
      s[2] = fmaxf(s[2], 0.f);
      s[3] = fmaxf(s[3], 0.f);
      part[0] += s[0] + s[1];
      part[1] += s[2] + s[3];
      p[0] = __float2half_rn(s[0]);
      p[1] = __float2half_rn(s[1]);
      p[2] = __float2half_rn(s[2]);
      p[3] = __float2half_rn(s[3]);
    }

#pragma unroll
    for (int j = 0; j < kTilesD; ++j)
#pragma unroll
      for (int r = 0; r < 4; ++r)
        rO[j][r] = 0;
#pragma unroll
    for (int step = 0; step < kKeys / 16; ++step) {
#pragma unroll
      for (int j = 0; j < kTilesD; ++j)
        LDSM_X2_T(rV[j][0], rV[j][1], v + ((step * 16 + lane % 16) * (kDim + kSkew) + j * 8) * 2);
#pragma unroll
      for (int j = 0; j < kTilesD; ++j)
        MMA(rO[j][0], rO[j][1], rO[j][2], rO[j][3], rS[step * 2][0], rS[step * 2][1], rS[step * 2 + 1][0],
            rS[step * 2 + 1][1], rV[j][0], rV[j][1]);
    }
    const float old[2] = {0.5f, 0.5f};
#pragma unroll
    for (int j = 0; j < kTilesD; ++j) {
      const float *o = reinterpret_cast<const float *>(&rO[j][0]);
      if constexpr (kFloatOut) {
        float *d = reinterpret_cast<float *>(&rD[j][0]);
        d[0] = __fmaf_rn(old[0], d[0], o[0]);
        d[1] = __fmaf_rn(old[0], d[1], o[1]);
        d[2] = __fmaf_rn(old[1], d[2], o[2]);
        d[3] = __fmaf_rn(old[1], d[3], o[3]);
      } else {
        half *d = reinterpret_cast<half *>(&rD[j][0]);
        d[0] = __float2half_rn(__fmaf_rn(old[0], __half2float(d[0]), o[0]));
        d[1] = __float2half_rn(__fmaf_rn(old[0], __half2float(d[1]), o[1]));
        d[2] = __float2half_rn(__fmaf_rn(old[1], __half2float(d[2]), o[2]));
        d[3] = __float2half_rn(__fmaf_rn(old[1], __half2float(d[3]), o[3]));
      }
    }
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum[r] = __fmaf_rn(old[r], sum[r], total(part[r]));
    }
    __syncthreads();
  }

  // CHECK: lp::to_warp_rows_of(rD[i]);
#pragma unroll
  for (int j = 0; j < kTilesD; ++j) {
    const float *f = reinterpret_cast<const float *>(&rD[j][0]);
    half *d = reinterpret_cast<half *>(&rD[j][0]);
    d[0] = __float2half_rn((kFloatOut ? f[0] : __half2float(d[0])) / sum[0]);
    d[1] = __float2half_rn((kFloatOut ? f[1] : __half2float(d[1])) / sum[0]);
    d[2] = __float2half_rn((kFloatOut ? f[2] : __half2float(d[2])) / sum[1]);
    d[3] = __float2half_rn((kFloatOut ? f[3] : __half2float(d[3])) / sum[1]);
  }
#pragma unroll
  for (int j = 0; j < kTilesD; ++j) {
    uint32_t *lower = reinterpret_cast<uint32_t *>(&(rQ[0][0])), *upper = reinterpret_cast<uint32_t *>(&(rK[0][0]));
    lower[0] = rD[j][0];
    upper[0] = rD[j][1];
    lower[1] = __shfl_sync(0xffffffff, rD[j][0], lane + 1, 4);
    lower[2] = __shfl_sync(0xffffffff, rD[j][0], lane + 2, 4);
    lower[3] = __shfl_sync(0xffffffff, rD[j][0], lane + 3, 4);
    upper[1] = __shfl_sync(0xffffffff, rD[j][1], lane + 1, 4);
    upper[2] = __shfl_sync(0xffffffff, rD[j][1], lane + 2, 4);
    upper[3] = __shfl_sync(0xffffffff, rD[j][1], lane + 3, 4);
    if (lane % 4 == 0) {
      half *to = O + (blockIdx.x * 32 + warp * 16 + lane / 4) * kDim + j * 8;
      VECTOR(to[0]) = VECTOR(lower[0]);
      VECTOR(to[8 * kDim]) = VECTOR(upper[0]);
    }
  }
}

template __global__ void attend<32, 4, 1>(const half *, const half *, const half *, half *, int);
template __global__ void attend<64, 8, 0>(const half *, const half *, const half *, half *, int);
