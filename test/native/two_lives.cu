// One variable for the operands of several products: ldmatrix fills it for some, and for others it is
// made from results. A chunk of linear attention, its state kept beside.
//
// RUN: %prove --launch %S/two_lives.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s --check-prefix=TEXT
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

struct Tile {
  uint32_t r[4];
  __device__ void load(const half *p) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(p)));
  }
};
__device__ __forceinline__ void loadB(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void loadBT(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void mma(float (&c)[4], const Tile &a, const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "r"(b[0]), "r"(b[1]));
}

// TEXT-LABEL: chunks(
// TEXT: lp::load_a(a.r, [&](int lane, int warp) {
// TEXT: a.r[i] = *(const uint32_t *)&h[i];
// TEXT: lp::mma_m16n8k16_f32_f16_steps_wave(o[j & ~1], o[j | 1], a.r, b, j & 1, held2[j], k);
// TEXT: lp::load_a(a.r, [&](int lane, int warp) {
// TEXT: lp::mma_m16n8k16_f32_f16_steps_wave(s[j & ~1], s[j | 1], a.r, b, j & 1, held3[j], k);
__global__ void __launch_bounds__(64)
    chunks(const half *Q, const half *K, const half *V, half *O, float *S, int T) {
  __shared__ __align__(16) half sQ[32][40], sK[32][40], sV[32][40];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float s[4][4] = {};
  for (int t0 = 0; t0 < T; t0 += 32) {
    for (int i = threadIdx.x; i < 32 * 4; i += 64) {
      *(uint4 *)&sQ[i / 4][i % 4 * 8] = *(const uint4 *)&Q[t0 * 32 + i * 8];
      *(uint4 *)&sK[i / 4][i % 4 * 8] = *(const uint4 *)&K[t0 * 32 + i * 8];
      *(uint4 *)&sV[i / 4][i % 4 * 8] = *(const uint4 *)&V[t0 * 32 + i * 8];
    }
    __syncthreads();
    Tile a;
    uint32_t b[2];
    float p[4][4] = {}, o[4][4] = {};
    for (int kk = 0; kk < 32; kk += 16) {
      a.load(&sQ[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < 4; ++j) {
        loadB(b, &sK[j * 8 + lane % 8][kk + lane / 8 % 2 * 8]);
        mma(p[j], a, b);
      }
    }
    for (int j = 0; j < 4; ++j)
      for (int e = 0; e < 4; ++e)
        if (j * 8 + lane % 4 * 2 + e % 2 > warp * 16 + lane / 4 + e / 2 * 8)
          p[j][e] = 0.0f;
    for (int k = 0; k < 2; ++k) {
      const half2 h[4] = {__floats2half2_rn(p[2 * k][0], p[2 * k][1]),
                          __floats2half2_rn(p[2 * k][2], p[2 * k][3]),
                          __floats2half2_rn(p[2 * k + 1][0], p[2 * k + 1][1]),
                          __floats2half2_rn(p[2 * k + 1][2], p[2 * k + 1][3])};
      for (int i = 0; i < 4; ++i)
        a.r[i] = *(const uint32_t *)&h[i];
      for (int j = 0; j < 4; ++j) {
        loadBT(b, &sV[k * 16 + lane % 16][j * 8]);
        mma(o[j], a, b);
      }
      a.load(&sK[warp * 16 + lane % 16][k * 16 + lane / 16 * 8]);
      for (int j = 0; j < 4; ++j) {
        loadB(b, &sV[j * 8 + lane % 8][k * 16 + lane / 8 % 2 * 8]);
        mma(s[j], a, b);
      }
    }
    for (int j = 0; j < 4; ++j) {
      half *at = O + (t0 + warp * 16 + lane / 4) * 32 + j * 8 + lane % 4 * 2;
      *(half2 *)at = __floats2half2_rn(o[j][0], o[j][1]);
      *(half2 *)(at + 8 * 32) = __floats2half2_rn(o[j][2], o[j][3]);
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      S[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = s[j][e];
}
