// What results say is added to memory between the products, as attention's backward pass adds each
// block's part of dQ: the lanes that have the results add them, each to where CUDA's thread would.
//
// RUN: %prove --launch %S/added.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

namespace {
constexpr int D = 32, KEYS = 32, PITCH = D + 8;

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
} // namespace

// Per block of keys: S = Q K^T, sums += S V, and column sums of S and S itself are added up in memory.
// CHECK-LABEL: added(
// CHECK: atomicAdd(lp::of_element<1>(e, [&](int lane, int warp, int e) { return scores + {{.*}} }), s[j][e]);
// CHECK: atomicAdd(lp::of_element(0, [&](int lane, int warp, int lower) {
// CHECK: }), s[0][0] + s[1][0]);
// CHECK: atomicAdd(lp::of_element(1, [&](int lane, int warp, int lower) {
// CHECK: }), s[0][2] + s[1][2]);
__global__ void __launch_bounds__(64) added(const half *Q, const half *K, const half *V, half *O,
                                            float *scores, float *parts, int keys) {
  __shared__ __align__(16) half sQ[32][PITCH], sK[KEYS][PITCH], sV[KEYS][PITCH];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 32 * D / 8; i += 64)
    *(uint4 *)&sQ[i / (D / 8)][i % (D / 8) * 8] = *(const uint4 *)&Q[i * 8];
  float o[4][4] = {};
  for (int k = 0; k < keys; k += KEYS) {
    for (int i = threadIdx.x; i < KEYS * D / 8; i += 64) {
      *(uint4 *)&sK[i / (D / 8)][i % (D / 8) * 8] = *(const uint4 *)&K[k * D + i * 8];
      *(uint4 *)&sV[i / (D / 8)][i % (D / 8) * 8] = *(const uint4 *)&V[k * D + i * 8];
    }
    __syncthreads();
    float s[4][4] = {};
    for (int d = 0; d < D; d += 16) {
      uint32_t a[4];
      ldsm4(a, &sQ[warp * 16 + lane % 16][d + lane / 16 * 8]);
      for (int j = 0; j < 4; ++j) {
        uint32_t b[2];
        ldsm2(b, &sK[j * 8 + lane % 8][d + lane / 8 % 2 * 8]);
        mma(s[j], a, b);
      }
    }
    for (int j = 0; j < 4; ++j)
      for (int e = 0; e < 4; ++e)
        atomicAdd(scores + (warp * 16 + lane / 4 + (e >> 1) * 8) * KEYS + j * 8 + lane % 4 * 2 + (e & 1), s[j][e]);
    const int row = warp * 16 + lane / 4;
    atomicAdd(&parts[row * 4 + lane % 4], s[0][0] + s[1][0]);
    atomicAdd(&parts[(row + 8) * 4 + lane % 4], s[0][2] + s[1][2]);
    for (int j = 0; j < 2; ++j) {
      uint32_t p[4] = {pack(s[2 * j][0], s[2 * j][1]), pack(s[2 * j][2], s[2 * j][3]),
                       pack(s[2 * j + 1][0], s[2 * j + 1][1]), pack(s[2 * j + 1][2], s[2 * j + 1][3])};
      for (int n = 0; n < 4; ++n) {
        uint32_t b[2];
        ldsm2t(b, &sV[j * 16 + lane % 16][n * 8]);
        mma(o[n], p, b);
      }
    }
    __syncthreads();
  }
  for (int n = 0; n < 4; ++n) {
    half *p = O + (warp * 16 + lane / 4) * D + n * 8 + lane % 4 * 2;
    *(uint32_t *)p = pack(o[n][0], o[n][1]);
    *(uint32_t *)(p + 8 * D) = pack(o[n][2], o[n][3]);
  }
}
