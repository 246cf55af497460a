// Results that go to memory between the products: probabilities that another product reads from
// shared memory, maxima and sums of rows that two warps share, the state of a chunk, a part of C that
// is stored in each turn. The lanes that have them write them, where CUDA's thread would have.
//
// RUN: %prove --launch %S/stored_between.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
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
__device__ void ldsm4t(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared(p)));
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
} // namespace

// Both warps have all 16 queries, and half of the keys each: P meets in shared memory, and so do
// what is the largest and the sum of a row.
// CHECK-LABEL: splitKeys(
// CHECK: if (lp::of_element(0, [&](int lane, int, int) { return lane % 4 == 0; })) {
// CHECK-NEXT: *lp::of_element(0, [&](int lane, int warp, int lower) { return lower ? &sMax[warp][lane / 4 + 8] : &sMax[warp][lane / 4]; }) = top[0];
// CHECK-NEXT: *lp::of_element(1, [&](int lane, int warp, int lower) { return lower ? &sMax[warp][lane / 4 + 8] : &sMax[warp][lane / 4]; }) = top[1];
// CHECK: all[i] = fmaxf(max[i], lp::of_element(i, [&](int lane, int, int i) { return fmaxf(sMax[0][lane / 4 + i * 8], sMax[1][lane / 4 + i * 8]); }));
// CHECK: *(half2 *)lp::of_element(0, [&](int lane, int warp, int lower) {
// CHECK-NEXT: const int column = warp * 16 + j * 8 + lane % 4 * 2;
// CHECK-NEXT: return lower ? &sP[lane / 4 + 8][column] : &sP[lane / 4][column];
// CHECK-NEXT: }) = __floats2half2_rn(
// CHECK: lp::each_pair(o[j],
__global__ void __launch_bounds__(64) splitKeys(const half *Q, const half *K, const half *V, half *O,
                                                float scale, int keys) {
  __shared__ __align__(16) half sQ[16][PITCH], sK[KEYS][PITCH], sV[KEYS][PITCH], sP[16][KEYS + 8];
  __shared__ float sMax[2][16], sSum[2][16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fetch(sQ, Q + blockIdx.x * 16 * D, 16);
  float o[2][4] = {}, max[2] = {-INFINITY, -INFINITY}, sum[2] = {0.f, 0.f};
  for (int tile = 0; tile < keys; tile += KEYS) {
    __syncthreads();
    fetch(sK, K + tile * D, KEYS);
    fetch(sV, V + tile * D, KEYS);
    __syncthreads();
    float s[2][4] = {};
    for (int k = 0; k < D; k += 16) {
      uint32_t a[4];
      ldsm4(a, &sQ[lane % 16][k + lane / 16 * 8]);
      for (int j = 0; j < 2; ++j) {
        uint32_t b[2];
        ldsm2(b, &sK[warp * 16 + j * 8 + lane % 8][k + lane / 8 % 2 * 8]);
        mma(s[j], a, b);
      }
    }
    float top[2] = {-INFINITY, -INFINITY};
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        top[e / 2] = fmaxf(top[e / 2], s[j][e] * scale);
    for (int i = 0; i < 2; ++i) {
      top[i] = fmaxf(top[i], __shfl_xor_sync(~0u, top[i], 1));
      top[i] = fmaxf(top[i], __shfl_xor_sync(~0u, top[i], 2));
    }
    if (lane % 4 == 0) {
      sMax[warp][lane / 4] = top[0];
      sMax[warp][lane / 4 + 8] = top[1];
    }
    __syncthreads();
    float all[2], part[2] = {0.f, 0.f};
    for (int i = 0; i < 2; ++i)
      all[i] = fmaxf(max[i], fmaxf(sMax[0][lane / 4 + i * 8], sMax[1][lane / 4 + i * 8]));
    for (int j = 0; j < 2; ++j) {
      const int column = warp * 16 + j * 8 + lane % 4 * 2;
      for (int e = 0; e < 4; ++e) {
        s[j][e] = __expf(s[j][e] * scale - all[e / 2]);
        part[e / 2] += s[j][e];
      }
      *(half2 *)&sP[lane / 4][column] = __floats2half2_rn(s[j][0], s[j][1]);
      *(half2 *)&sP[lane / 4 + 8][column] = __floats2half2_rn(s[j][2], s[j][3]);
    }
    for (int i = 0; i < 2; ++i) {
      part[i] += __shfl_xor_sync(~0u, part[i], 1);
      part[i] += __shfl_xor_sync(~0u, part[i], 2);
      if (lane % 4 == 0)
        sSum[warp][lane / 4 + i * 8] = part[i];
    }
    __syncthreads();
    for (int i = 0; i < 2; ++i) {
      const float less = __expf(max[i] - all[i]);
      sum[i] = sum[i] * less + sSum[0][lane / 4 + i * 8] + sSum[1][lane / 4 + i * 8];
      max[i] = all[i];
      for (int j = 0; j < 2; ++j) {
        o[j][2 * i] *= less;
        o[j][2 * i + 1] *= less;
      }
    }
    for (int k = 0; k < KEYS; k += 16) {
      uint32_t a[4];
      ldsm4(a, &sP[lane % 16][k + lane / 16 * 8]);
      for (int j = 0; j < 2; ++j) {
        uint32_t b[2];
        ldsm2t(b, &sV[k + lane % 16][warp * 16 + j * 8]);
        mma(o[j], a, b);
      }
    }
  }
  for (int j = 0; j < 2; ++j) {
    half *to = &O[(blockIdx.x * 16 + lane / 4) * D + warp * 16 + j * 8 + lane % 4 * 2];
    *(half2 *)to = __floats2half2_rn(o[j][0] / sum[0], o[j][1] / sum[0]);
    *(half2 *)(to + 8 * D) = __floats2half2_rn(o[j][2] / sum[1], o[j][3] / sum[1]);
  }
}

// The gradient of the queries: what rows have is read before the loop, and each warp reads back what
// it alone has stored.
// CHECK-LABEL: gradient(
// CHECK: lse[i] = lp::of_element(i, [&](int lane, int warp, int i) { return LSE[blockIdx.x * 32 + warp * 16 + lane / 4 + i * 8]; });
// CHECK: *(half2 *)lp::of_element(0, [&](int lane, int warp, int lower) {
// CHECK-NEXT: const auto row = &sP[warp * 16 + lane / 4][j * 8 + lane % 4 * 2];
// CHECK-NEXT: return lower ? row + 8 * (KEYS + 8) : row;
// CHECK-NOT: to_warp_layout
__global__ void __launch_bounds__(64) gradient(const half *Q, const half *K, const float *LSE,
                                               half *G, float scale, int keys) {
  __shared__ __align__(16) half sQ[32][PITCH], sK[KEYS][PITCH], sP[32][KEYS + 8];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fetch(sQ, Q + blockIdx.x * 32 * D, 32);
  float lse[2];
  for (int i = 0; i < 2; ++i)
    lse[i] = LSE[blockIdx.x * 32 + warp * 16 + lane / 4 + i * 8];
  float g[4][4] = {};
  for (int tile = 0; tile < keys; tile += KEYS) {
    fetch(sK, K + tile * D, KEYS);
    __syncthreads();
    float s[4][4] = {};
    for (int k = 0; k < D; k += 16) {
      uint32_t a[4];
      ldsm4(a, &sQ[warp * 16 + lane % 16][k + lane / 16 * 8]);
      for (int j = 0; j < 4; ++j) {
        uint32_t b[2];
        ldsm2(b, &sK[j * 8 + lane % 8][k + lane / 8 % 2 * 8]);
        mma(s[j], a, b);
      }
    }
    for (int j = 0; j < 4; ++j) {
      half *row = &sP[warp * 16 + lane / 4][j * 8 + lane % 4 * 2];
      *(half2 *)row = __floats2half2_rn(__expf(s[j][0] * scale - lse[0]), __expf(s[j][1] * scale - lse[0]));
      *(half2 *)(row + 8 * (KEYS + 8)) =
          __floats2half2_rn(__expf(s[j][2] * scale - lse[1]), __expf(s[j][3] * scale - lse[1]));
    }
    __syncwarp();
    for (int k = 0; k < KEYS; k += 16) {
      uint32_t a[4];
      ldsm4(a, &sP[warp * 16 + lane % 16][k + lane / 16 * 8]);
      for (int j = 0; j < 4; ++j) {
        uint32_t b[2];
        ldsm2t(b, &sK[k + lane % 16][j * 8]);
        mma(g[j], a, b);
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 2; ++i)
      *(half2 *)&G[(blockIdx.x * 32 + warp * 16 + lane / 4 + i * 8) * D + j * 8 + lane % 4 * 2] =
          __floats2half2_rn(g[j][2 * i], g[j][2 * i + 1]);
}

// Chunk after chunk of a linear attention: the state is stored ahead of each, and so is what comes
// of it, of those rows that there are.
struct Chunk {
  half q[32][PITCH], k[32][PITCH], v[32][PITCH], state[32][PITCH];
};
// CHECK-LABEL: chunks(
// CHECK: *(half2 *)lp::of_element(i, [&](int lane, int warp, int i) { return &sm.state[warp * 16 + lane / 4 + i * 8][j * 8 + lane % 4 * 2]; }) =
// CHECK: if (lp::of_element(0, [&](int lane, int warp, int lower) {
// CHECK: *lp::of_element(0, [&](int lane, int warp, int lower) {
__global__ void __launch_bounds__(64) chunks(const half *Q, const half *K, const half *V, float *O,
                                             int n, int rows) {
  __shared__ __align__(16) Chunk sm;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float state[4][4] = {};
  for (int t = 0; t < n; t += 32) {
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 2; ++i)
        *(half2 *)&sm.state[warp * 16 + lane / 4 + i * 8][j * 8 + lane % 4 * 2] =
            __floats2half2_rn(state[j][2 * i], state[j][2 * i + 1]);
    fetch(sm.q, Q + t * D, 32);
    fetch(sm.k, K + t * D, 32);
    fetch(sm.v, V + t * D, 32);
    __syncthreads();
    float p[4][4] = {}, o[4][4] = {};
    for (int k = 0; k < D; k += 16) {
      uint32_t a[4], b[2];
      ldsm4(a, &sm.q[warp * 16 + lane % 16][k + lane / 16 * 8]);
      for (int j = 0; j < 4; ++j) {
        ldsm2(b, &sm.k[j * 8 + lane % 8][k + lane / 8 % 2 * 8]);
        mma(p[j], a, b);
      }
      for (int j = 0; j < 4; ++j) {
        ldsm2t(b, &sm.state[k + lane % 16][j * 8]);
        mma(o[j], a, b);
      }
    }
    for (int j = 0; j < 4; ++j)
      for (int e = 0; e < 4; ++e)
        if (j * 8 + lane % 4 * 2 + e % 2 > warp * 16 + lane / 4 + e / 2 * 8)
          p[j][e] = 0.f;
    for (int k = 0; k < 2; ++k) {
      const uint32_t a[4] = {pack(p[2 * k][0], p[2 * k][1]), pack(p[2 * k][2], p[2 * k][3]),
                             pack(p[2 * k + 1][0], p[2 * k + 1][1]),
                             pack(p[2 * k + 1][2], p[2 * k + 1][3])};
      uint32_t c[4];
      ldsm4t(c, &sm.k[k * 16 + lane % 8 + lane / 16 * 8][warp * 16 + lane / 8 % 2 * 8]);
      for (int j = 0; j < 4; ++j) {
        uint32_t b[2];
        ldsm2t(b, &sm.v[k * 16 + lane % 16][j * 8]);
        mma(o[j], a, b);
        mma(state[j], c, b);
      }
    }
    for (int j = 0; j < 4; ++j) {
      const int row = t + warp * 16 + lane / 4, column = j * 8 + lane % 4 * 2;
      if (row < rows) {
        O[(blockIdx.x * n + row) * D + column] = o[j][0];
        O[(blockIdx.x * n + row) * D + column + 1] = o[j][1];
      }
      if (row + 8 < rows) {
        O[(blockIdx.x * n + row + 8) * D + column] = o[j][2];
        O[(blockIdx.x * n + row + 8) * D + column + 1] = o[j][3];
      }
    }
    __syncthreads();
  }
}
