// Attention whose sums and what its rows have (maximum, sum) are members of one struct, and whose
// steps are methods: what stands behind its loop is ported as what stands in it.
//
// RUN: %prove --launch %S/attention_state.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.one.hip --target gfx942
// RUN: %ported %t.one.hip | FileCheck %s
// CHECK: const float inverse = 1.f / quadSum(q.rowSum[r]);
// CHECK: *(half2 *)(lp::of_element(r, [&](int lane, int warp, int r) {
// CHECK-NEXT: const auto row = O + (blockIdx.x * 32 + warp * 16 + lane / 4 + r * 8) * D + lane % 4 * 2;
// CHECK-NEXT: return row + j * 8;
// CHECK-NEXT: })) =
// CHECK-NEXT: __floats2half2_rn(q.o[j][2 * r] * inverse, q.o[j][2 * r + 1] * inverse);
// CHECK-NOT: to_warp_
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

namespace steps {
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


struct Tile {
  float s[KEYS / 8][4], o[D / 8][4], rowMax[2], rowSum[2], scale;
  __device__ __forceinline__ void scores(const half *sQ, const half *sK, int warp, int lane) {
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
    for (int j = 0; j < KEYS / 8; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        s[j][e] *= scale;
  }

  __device__ __forceinline__ void soften() {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float top = rowMax[r];
#pragma unroll
      for (int j = 0; j < KEYS / 8; ++j)
        top = fmaxf(top, fmaxf(s[j][2 * r], s[j][2 * r + 1]));
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
          rowSum[r] += s[j][e] = __expf(s[j][e] - top);
    }
  }

  __device__ __forceinline__ void values(const half *sV, int lane) {
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
};

__global__ void forward(const half *Q, const half *K, const half *V, half *O, float scale,
                        int seq) {
  __shared__ __align__(16) half sQ[32 * PITCH], sK[KEYS * PITCH], sV[KEYS * PITCH];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, t = threadIdx.x;
  for (int i = t; i < 32 * D / 8; i += 64)
    *(int4 *)&sQ[i / 4 * PITCH + i % 4 * 8] =
        *(const int4 *)&Q[(blockIdx.x * 32 + i / 4) * D + i % 4 * 8];

  Tile q;
  for (int j = 0; j < D / 8; ++j)
    for (int e = 0; e < 4; ++e)
      q.o[j][e] = 0.f;
  for (int r = 0; r < 2; ++r) {
    q.rowMax[r] = -INFINITY;
    q.rowSum[r] = 0.f;
  }
  q.scale = scale;
  for (int base = 0; base < seq; base += KEYS) {
    __syncthreads();
    for (int i = t; i < KEYS * D / 8; i += 64) {
      *(int4 *)&sK[i / 4 * PITCH + i % 4 * 8] = *(const int4 *)&K[(base + i / 4) * D + i % 4 * 8];
      *(int4 *)&sV[i / 4 * PITCH + i % 4 * 8] = *(const int4 *)&V[(base + i / 4) * D + i % 4 * 8];
    }
    __syncthreads();
    for (int j = 0; j < KEYS / 8; ++j)
      for (int e = 0; e < 4; ++e)
        q.s[j][e] = 0.f;
    q.scores(sQ, sK, warp, lane);
#pragma unroll
    for (int j = 0; j < KEYS / 8; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        if (base + j * 8 + lane % 4 * 2 + e % 2 >
            int(blockIdx.x * 32 + warp * 16 + lane / 4 + e / 2 * 8))
          q.s[j][e] = -INFINITY;
    q.soften();
    q.values(sV, lane);
  }
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const float inverse = 1.f / quadSum(q.rowSum[r]);
    half *row = O + (blockIdx.x * 32 + warp * 16 + lane / 4 + r * 8) * D + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < D / 8; ++j)
      *(half2 *)(row + j * 8) =
          __floats2half2_rn(q.o[j][2 * r] * inverse, q.o[j][2 * r + 1] * inverse);
  }
}
} // namespace steps
