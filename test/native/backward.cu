// The gradients of keys and values: two accumulators behind code between the products, handed on in
// one loop, or each in one of its own.
//
// RUN: %prove --launch %S/backward.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

namespace {
constexpr int D = 32, QUERIES = 16, PITCH = D + 8;
struct Tiles {
  half k[32][PITCH], v[32][PITCH], q[QUERIES][PITCH], g[QUERIES][PITCH];
};

__device__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void ldsm2(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void ldsm2t(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ uint32_t pack(float x, float y) {
  const half2 h = __floats2half2_rn(x, y);
  return *(const uint32_t *)&h;
}
__device__ void fetch(half (*to)[PITCH], const half *from, int rows) {
  for (int i = threadIdx.x; i < rows * D / 8; i += 64)
    *(uint4 *)&to[i / (D / 8)][i % (D / 8) * 8] = *(const uint4 *)&from[i * 8];
}
__device__ void scores(float (&s)[2][4], const half *rows, const half (*columns)[PITCH], int lane) {
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      s[j][e] = 0.f;
  for (int k = 0; k < D; k += 16) {
    uint32_t a[4];
    ldsm4(a, rows + lane % 16 * PITCH + k + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      uint32_t b[2];
      ldsm2(b, &columns[j * 8 + lane % 8][k + lane / 8 % 2 * 8]);
      mma(s[j], a, b);
    }
  }
}
} // namespace

// Rows are keys, columns queries: what a query has (LSE, DOT) is asked for by column.
#define GRADIENTS                                                                                  \
  __shared__ __align__(16) Tiles t;                                                                \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = warp * 16 + lane / 4;          \
  const int column = lane % 4 * 2;                                                                 \
  fetch(t.k, K + blockIdx.x * 32 * D, 32);                                                         \
  fetch(t.v, V + blockIdx.x * 32 * D, 32);

// CHECK-LABEL: together(
// CHECK: for (int j = 0; j < 4; j += 4) lp::each_pair(dv[j], dv[j + 1], dv[j + 2], dv[j + 3], dk[j], dk[j + 1], dk[j + 2], dk[j + 3], j,
// CHECK: *(half2 *)&DV[at + 8 * D * lower] = __floats2half2_rn([[V:[a-z]+]][0], [[V]][1]);
// CHECK-NEXT: *(half2 *)&DK[at + 8 * D * lower] = __floats2half2_rn([[V]]2[0] * scale, [[V]]2[1] * scale);
// CHECK-NOT: to_warp_layout
__global__ void __launch_bounds__(64) together(const half *Q, const half *K, const half *V, const half *G,
                                               const float *LSE, const float *DOT, half *DK, half *DV,
                                               float scale, int queries) {
  GRADIENTS
  float dk[4][4] = {}, dv[4][4] = {};
  for (int q = 0; q < queries; q += QUERIES) {
    __syncthreads();
    fetch(t.q, Q + q * D, QUERIES);
    fetch(t.g, G + q * D, QUERIES);
    __syncthreads();
    float s[2][4], dp[2][4];
    scores(s, t.k[warp * 16], t.q, lane);
    scores(dp, t.v[warp * 16], t.g, lane);
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e) {
        s[j][e] = __expf(s[j][e] * scale - LSE[q + j * 8 + column + e % 2]);
        dp[j][e] = s[j][e] * (dp[j][e] - DOT[q + j * 8 + column + e % 2]);
      }
    const uint32_t p[4] = {pack(s[0][0], s[0][1]), pack(s[0][2], s[0][3]), pack(s[1][0], s[1][1]),
                           pack(s[1][2], s[1][3])};
    const uint32_t ds[4] = {pack(dp[0][0], dp[0][1]), pack(dp[0][2], dp[0][3]),
                            pack(dp[1][0], dp[1][1]), pack(dp[1][2], dp[1][3])};
    for (int j = 0; j < 4; ++j) {
      uint32_t b[2];
      ldsm2t(b, &t.g[lane % 16][j * 8]);
      mma(dv[j], p, b);
      ldsm2t(b, &t.q[lane % 16][j * 8]);
      mma(dk[j], ds, b);
    }
  }
  for (int j = 0; j < 4; ++j) {
    const int at = (blockIdx.x * 32 + row) * D + j * 8 + column;
    *(half2 *)&DV[at] = __floats2half2_rn(dv[j][0], dv[j][1]);
    *(half2 *)&DV[at + 8 * D] = __floats2half2_rn(dv[j][2], dv[j][3]);
    *(half2 *)&DK[at] = __floats2half2_rn(dk[j][0] * scale, dk[j][1] * scale);
    *(half2 *)&DK[at + 8 * D] = __floats2half2_rn(dk[j][2] * scale, dk[j][3] * scale);
  }
}

// CHECK-LABEL: apart(
// CHECK: for (int j = 0; j < 4; j += 4) lp::each_pair_2(dv[j], dv[j + 1], dv[j + 2], dv[j + 3], j,
// CHECK: for (int j = 0; j < 4; j += 4) lp::each_pair_2(dk[j], dk[j + 1], dk[j + 2], dk[j + 3], j,
// CHECK-NOT: to_warp_layout
__global__ void __launch_bounds__(64) apart(const half *Q, const half *K, const half *V, const half *G,
                                            const float *LSE, const float *DOT, half *DK, half *DV,
                                            float scale, int queries) {
  GRADIENTS
  float dk[4][4] = {}, dv[4][4] = {};
  for (int q = 0; q < queries; q += QUERIES) {
    __syncthreads();
    fetch(t.q, Q + q * D, QUERIES);
    fetch(t.g, G + q * D, QUERIES);
    __syncthreads();
    float s[2][4], dp[2][4];
    scores(s, t.k[warp * 16], t.q, lane);
    scores(dp, t.v[warp * 16], t.g, lane);
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e) {
        s[j][e] = __expf(s[j][e] * scale - LSE[q + j * 8 + column + e % 2]);
        dp[j][e] = s[j][e] * (dp[j][e] - DOT[q + j * 8 + column + e % 2]);
      }
    const uint32_t p[4] = {pack(s[0][0], s[0][1]), pack(s[0][2], s[0][3]), pack(s[1][0], s[1][1]),
                           pack(s[1][2], s[1][3])};
    const uint32_t ds[4] = {pack(dp[0][0], dp[0][1]), pack(dp[0][2], dp[0][3]),
                            pack(dp[1][0], dp[1][1]), pack(dp[1][2], dp[1][3])};
    for (int j = 0; j < 4; ++j) {
      uint32_t b[2];
      ldsm2t(b, &t.g[lane % 16][j * 8]);
      mma(dv[j], p, b);
      ldsm2t(b, &t.q[lane % 16][j * 8]);
      mma(dk[j], ds, b);
    }
  }
  half *to = DV + (blockIdx.x * 32 + row) * D + column;
  for (int j = 0; j < 4; ++j) {
    *(half2 *)&to[j * 8] = __floats2half2_rn(dv[j][0], dv[j][1]);
    *(half2 *)&to[j * 8 + 8 * D] = __floats2half2_rn(dv[j][2], dv[j][3]);
  }
  for (int j = 0; j < 4; ++j) {
    const int at = (blockIdx.x * 32 + row) * D + j * 8 + column;
    *(half2 *)&DK[at] = __floats2half2_rn(dk[j][0] * scale, dk[j][1] * scale);
    *(half2 *)&DK[at + 8 * D] = __floats2half2_rn(dk[j][2] * scale, dk[j][3] * scale);
  }
}
