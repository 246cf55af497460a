// A warp holds 16 queries of 16 numbers; keys and values come in tiles of 16. The softmax is
// taken over quads, and the accumulators of Q K^T are the fragments of P as they stand.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include "layout_port_runtime.h"

__device__ __forceinline__ void mma16816(float (&d)[4], const unsigned (&a)[4], unsigned b0,
                                         unsigned b1) {
  lp::mma_m16n8k16_f32_f16(d[0], d[1], d[2], d[3], a[0], a[1], a[2], a[3], b0, b1, d[0], d[1], d[2], d[3]);
}

__device__ unsigned pack(float low, float high) {
  half2 h = __floats2half2_rn(low, high);
  return *(unsigned *)&h;
}

__global__ void attention(const half *Q, const half *K, const half *V, half *O, int keys,
                          float scale) {
  __shared__ half sK[16][16 + 8], sV[16][16 + 8];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const half *q = Q + (blockIdx.x * (blockDim.x / 32) + warp) * 16 * 16;
  unsigned fq[4];
  for (int i = 0; i < 4; ++i)
    fq[i] = *(const unsigned *)&q[(lane / 4 + i % 2 * 8) * 16 + lane % 4 * 2 + i / 2 * 8];
  float most[2] = {-1e30f, -1e30f}, sum[2] = {0, 0}, o[2][4] = {};

  for (int k = 0; k < keys; k += 16) {
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
      sK[i / 16][i % 16] = K[k * 16 + i];
      sV[i / 16][i % 16] = V[k * 16 + i];
    }
    __syncthreads();
    float s[2][4] = {};
    unsigned b[4];
    lp::ldmatrix_x4(b[0], b[1], b[2], b[3], (unsigned)lp::cvta_generic_to_shared(
                     &sK[lane % 8 + lane / 16 * 8][lane / 8 % 2 * 8]));
    mma16816(s[0], fq, b[0], b[1]);
    mma16816(s[1], fq, b[2], b[3]);
    for (int r = 0; r < 2; ++r) {
      float m = most[r];
      for (int j = 0; j < 2; ++j)
        m = fmaxf(m, fmaxf(s[j][2 * r] * scale, s[j][2 * r + 1] * scale));
      m = fmaxf(m, lp::shfl_xor(m, 1));
      m = fmaxf(m, lp::shfl_xor(m, 2));
      const float rescale = __expf(most[r] - m);
      most[r] = m;
      sum[r] *= rescale;
      for (int j = 0; j < 2; ++j)
        for (int i = 2 * r; i < 2 * r + 2; ++i) {
          s[j][i] = __expf(s[j][i] * scale - m);
          sum[r] += s[j][i];
          o[j][i] *= rescale;
        }
    }
    const unsigned p[4] = {pack(s[0][0], s[0][1]), pack(s[0][2], s[0][3]), pack(s[1][0], s[1][1]),
                           pack(s[1][2], s[1][3])};
    lp::ldmatrix_x4_trans(b[0], b[1], b[2], b[3], (unsigned)lp::cvta_generic_to_shared(&sV[lane % 16][lane / 16 * 8]));
    mma16816(o[0], p, b[0], b[1]);
    mma16816(o[1], p, b[2], b[3]);
  }

  half *out = O + (blockIdx.x * (blockDim.x / 32) + warp) * 16 * 16;
  for (int r = 0; r < 2; ++r) {
    sum[r] += lp::shfl_xor(sum[r], 1, 4);
    sum[r] += lp::shfl_xor(sum[r], 2, 4);
    for (int j = 0; j < 2; ++j)
      *(half2 *)&out[(lane / 4 + r * 8) * 16 + j * 8 + lane % 4 * 2] =
          __floats2half2_rn(o[j][2 * r] / sum[r], o[j][2 * r + 1] / sum[r]);
  }
}
