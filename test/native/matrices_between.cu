// stmatrix of results between the products: probabilities that the warp reads back as it stored them,
// their transpose that all warps need, two buffers in turn. The lanes that have the results write them.
//
// RUN: %prove --launch %S/matrices_between.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

namespace {
constexpr int D = 32, KEYS = 32, PITCH = D + 8;

__device__ uint32_t shared(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared(p)));
}
__device__ void ldsm2(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"(shared(p)));
}
__device__ void ldsm2t(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"(shared(p)));
}
__device__ void stsm4(half *p, uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};"
               :: "r"(shared(p)), "r"(r0), "r"(r1), "r"(r2), "r"(r3) : "memory");
}
__device__ void stsm2t(half *p, uint32_t r0, uint32_t r1) {
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1,%2};"
               :: "r"(shared(p)), "r"(r0), "r"(r1) : "memory");
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
__device__ void scores(float (&s)[4][4], const half (*q)[PITCH], const half (*k)[PITCH], int warp, int lane) {
  for (int d = 0; d < D; d += 16) {
    uint32_t a[4];
    ldsm4(a, &q[warp * 16 + lane % 16][d + lane / 16 * 8]);
    for (int j = 0; j < 4; ++j) {
      uint32_t b[2];
      ldsm2(b, &k[j * 8 + lane % 8][d + lane / 8 % 2 * 8]);
      mma(s[j], a, b);
    }
  }
}
} // namespace

// Each warp reads back what it alone has stored; there are two buffers, one for each other tile.
// CHECK-LABEL: forward(
// CHECK: lp::store_matrices<0>([&](int lane, int warp) { return &sP[tile / KEYS % 2][warp * 16 + lane % 16][j * 8 + lane / 16 * 8]; }, pack(s[j][0], s[j][1]),
// CHECK-NOT: to_warp_layout
__global__ void __launch_bounds__(64) forward(const half *Q, const half *K, const half *V, half *O,
                                              float scale, int keys) {
  __shared__ __align__(16) half sQ[32][PITCH], sK[KEYS][PITCH], sV[KEYS][PITCH], sP[2][32][KEYS + 8];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fetch(sQ, Q + blockIdx.x * 32 * D, 32);
  float o[4][4] = {}, max[2] = {-INFINITY, -INFINITY}, sum[2] = {0.f, 0.f};
  for (int tile = 0; tile < keys; tile += KEYS) {
    __syncthreads();
    fetch(sK, K + tile * D, KEYS);
    fetch(sV, V + tile * D, KEYS);
    __syncthreads();
    float s[4][4] = {};
    scores(s, sQ, sK, warp, lane);
    float top[2] = {max[0], max[1]};
    for (int j = 0; j < 4; ++j)
      for (int e = 0; e < 4; ++e)
        top[e / 2] = fmaxf(top[e / 2], s[j][e] * scale);
    for (int i = 0; i < 2; ++i) {
      top[i] = fmaxf(top[i], __shfl_xor_sync(~0u, top[i], 1));
      top[i] = fmaxf(top[i], __shfl_xor_sync(~0u, top[i], 2));
      const float less = __expf(max[i] - top[i]);
      max[i] = top[i];
      sum[i] *= less;
      for (int j = 0; j < 4; ++j) {
        o[j][2 * i] *= less;
        o[j][2 * i + 1] *= less;
      }
    }
    for (int j = 0; j < 4; ++j)
      for (int e = 0; e < 4; ++e) {
        s[j][e] = __expf(s[j][e] * scale - max[e / 2]);
        sum[e / 2] += s[j][e];
      }
    for (int j = 0; j < 4; j += 2)
      stsm4(&sP[tile / KEYS % 2][warp * 16 + lane % 16][j * 8 + lane / 16 * 8], pack(s[j][0], s[j][1]),
            pack(s[j][2], s[j][3]), pack(s[j + 1][0], s[j + 1][1]), pack(s[j + 1][2], s[j + 1][3]));
    __syncwarp();
    for (int k = 0; k < KEYS; k += 16) {
      uint32_t a[4];
      ldsm4(a, &sP[tile / KEYS % 2][warp * 16 + lane % 16][k + lane / 16 * 8]);
      for (int j = 0; j < 4; ++j) {
        uint32_t b[2];
        ldsm2t(b, &sV[k + lane % 16][j * 8]);
        mma(o[j], a, b);
      }
    }
  }
  for (int i = 0; i < 2; ++i) {
    sum[i] += __shfl_xor_sync(~0u, sum[i], 1);
    sum[i] += __shfl_xor_sync(~0u, sum[i], 2);
    for (int j = 0; j < 4; ++j)
      *(half2 *)&O[(blockIdx.x * 32 + warp * 16 + lane / 4 + i * 8) * D + j * 8 + lane % 4 * 2] =
          __floats2half2_rn(o[j][2 * i] / sum[i], o[j][2 * i + 1] / sum[i]);
  }
}

// The gradient of the values: P of all queries, its columns as rows.
// CHECK-LABEL: gradient(
// CHECK: lp::store_matrices_trans<0>([&](int lane, int warp) { return &sPt[j * 8 + lane % 8][warp * 16 + lane / 8 % 2 * 8]; }, pack(s[j][0], s[j][1]), pack(s[j][2], s[j][3]));
// CHECK-NOT: to_warp_layout
__global__ void __launch_bounds__(64) gradient(const half *Q, const half *K, const half *G, const float *LSE,
                                               half *DV, float scale, int queries) {
  __shared__ __align__(16) half sQ[32][PITCH], sK[KEYS][PITCH], sG[32][PITCH], sPt[KEYS][32 + 8];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fetch(sK, K + blockIdx.x * KEYS * D, KEYS);
  float v[4][4] = {};
  for (int tile = 0; tile < queries; tile += 32) {
    fetch(sQ, Q + tile * D, 32);
    fetch(sG, G + tile * D, 32);
    __syncthreads();
    float s[4][4] = {};
    scores(s, sQ, sK, warp, lane);
    for (int j = 0; j < 4; ++j) {
      for (int e = 0; e < 4; ++e)
        s[j][e] = __expf(s[j][e] * scale - LSE[tile + warp * 16 + lane / 4 + e / 2 * 8]);
      stsm2t(&sPt[j * 8 + lane % 8][warp * 16 + lane / 8 % 2 * 8], pack(s[j][0], s[j][1]), pack(s[j][2], s[j][3]));
    }
    __syncthreads();
    for (int k = 0; k < 32; k += 16) {
      uint32_t a[4];
      ldsm4(a, &sPt[warp * 16 + lane % 16][k + lane / 16 * 8]);
      for (int j = 0; j < 4; ++j) {
        uint32_t b[2];
        ldsm2t(b, &sG[k + lane % 16][j * 8]);
        mma(v[j], a, b);
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 2; ++i)
      *(half2 *)&DV[(blockIdx.x * KEYS + warp * 16 + lane / 4 + i * 8) * D + j * 8 + lane % 4 * 2] =
          __floats2half2_rn(v[j][2 * i], v[j][2 * i + 1]);
}
