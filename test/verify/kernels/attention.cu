// One pass of attention for 16 queries a warp: scores by mma, online softmax with
// quad shuffles, the accumulator reused as the next operand. Head size 16.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ __forceinline__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0,
                                         unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
               "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ unsigned packed(float low, float high) {
  __half2 both = __floats2half2_rn(low, high);
  return *reinterpret_cast<unsigned *>(&both);
}

__device__ __forceinline__ unsigned pairAt(const __half *from) {
  return *reinterpret_cast<const unsigned *>(from);
}

__global__ void attention(const __half *q, const __half *k, const __half *vt, float *out,
                          int keys) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = (blockIdx.x * (blockDim.x / 32) + warp) * 16 + lane / 4, col = (lane % 4) * 2;
  const unsigned fq[4] = {pairAt(q + row * 16 + col), pairAt(q + (row + 8) * 16 + col),
                          pairAt(q + row * 16 + col + 8), pairAt(q + (row + 8) * 16 + col + 8)};
  float largest[2] = {-INFINITY, -INFINITY}, sum[2] = {0.f, 0.f}, acc[2][4] = {};
  for (int base = 0; base < keys; base += 16) {
    float scores[2][4] = {};
    for (int j = 0; j < 2; ++j) {
      const __half *key = k + (base + j * 8 + lane / 4) * 16 + col;
      multiply(scores[j], fq, pairAt(key), pairAt(key + 8));
    }
    for (int half = 0; half < 2; ++half) {
      float top = largest[half];
      for (int j = 0; j < 2; ++j)
        top = fmaxf(top, fmaxf(scores[j][half * 2], scores[j][half * 2 + 1]));
      top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, 1));
      top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, 2));
      const float shrink = expf(largest[half] - top);
      largest[half] = top;
      sum[half] *= shrink;
      for (int j = 0; j < 2; ++j)
        for (int e = 0; e < 2; ++e) {
          acc[j][half * 2 + e] *= shrink;
          scores[j][half * 2 + e] = expf(scores[j][half * 2 + e] - top);
          sum[half] += scores[j][half * 2 + e];
        }
    }
    const unsigned p[4] = {packed(scores[0][0], scores[0][1]), packed(scores[0][2], scores[0][3]),
                           packed(scores[1][0], scores[1][1]), packed(scores[1][2], scores[1][3])};
    for (int j = 0; j < 2; ++j) {
      const __half *value = vt + (j * 8 + lane / 4) * keys + base + col;
      multiply(acc[j], p, pairAt(value), pairAt(value + 8));
    }
  }
  for (int half = 0; half < 2; ++half) {
    sum[half] += __shfl_xor_sync(0xffffffffu, sum[half], 1);
    sum[half] += __shfl_xor_sync(0xffffffffu, sum[half], 2);
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 2; ++e)
        out[(row + half * 8) * 16 + j * 8 + col + e] = acc[j][half * 2 + e] / sum[half];
  }
}
