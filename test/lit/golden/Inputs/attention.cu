// A warp holds 16 queries of 16 numbers; keys and values come in tiles of 16. The softmax is
// taken over quads, and the accumulators of Q K^T are the fragments of P as they stand.
#include <cuda_fp16.h>

__device__ __forceinline__ void mma16816(float (&d)[4], const unsigned (&a)[4], unsigned b0,
                                         unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
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
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3])
                 : "r"((unsigned)__cvta_generic_to_shared(
                     &sK[lane % 8 + lane / 16 * 8][lane / 8 % 2 * 8])));
    mma16816(s[0], fq, b[0], b[1]);
    mma16816(s[1], fq, b[2], b[3]);
    for (int r = 0; r < 2; ++r) {
      float m = most[r];
      for (int j = 0; j < 2; ++j)
        m = fmaxf(m, fmaxf(s[j][2 * r] * scale, s[j][2 * r + 1] * scale));
      m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, 1));
      m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, 2));
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
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3])
                 : "r"((unsigned)__cvta_generic_to_shared(&sV[lane % 16][lane / 16 * 8])));
    mma16816(o[0], p, b[0], b[1]);
    mma16816(o[1], p, b[2], b[3]);
  }

  half *out = O + (blockIdx.x * (blockDim.x / 32) + warp) * 16 * 16;
  for (int r = 0; r < 2; ++r) {
    sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], 1, 4);
    sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], 2, 4);
    for (int j = 0; j < 2; ++j)
      *(half2 *)&out[(lane / 4 + r * 8) * 16 + j * 8 + lane % 4 * 2] =
          __floats2half2_rn(o[j][2 * r] / sum[r], o[j][2 * r + 1] / sum[r]);
  }
}
