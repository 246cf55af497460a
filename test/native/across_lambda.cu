// Attention whose rows are reduced by one lambda, whatever it is handed to reduce with; score tiles
// that begin two by two in the turn that multiplies them; and the last sum, the way out and the
// stores in one loop over rows. `ldsm<true>` is mended for clang, so that its bytes are not the
// author's behind it.
//
// RUN: %prove --launch %S/across_lambda.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int D = 32, KEYS = 32, LD = D + 8;

struct Frag {
  uint32_t r[4];
  template <bool kTrans> __device__ void ldsm(const half *p) {
    const uint32_t a = (uint32_t)__cvta_generic_to_shared(p);
    if constexpr (kTrans)
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
    else
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
  }
};
struct Sums {
  float v[4];
  __device__ void clear() { v[0] = v[1] = v[2] = v[3] = 0.f; }
  __device__ void add(const Frag &a, uint32_t b0, uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3])
                 : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "r"(b0), "r"(b1));
  }
};
__device__ __forceinline__ uint32_t word(float x, float y) {
  const half2 v = __floats2half2_rn(x, y);
  return *(const uint32_t *)&v;
}
__device__ void stage(half *to, const half *from, int rows) {
  for (int i = threadIdx.x; i < rows * D / 8; i += blockDim.x)
    *(uint4 *)&to[i / (D / 8) * LD + i % (D / 8) * 8] = *(const uint4 *)&from[i * 8];
}

// CHECK-LABEL: attention(
// CHECK: v = op(v, lp::shfl_xor_wave(v, 1));
// CHECK: s[2 * n].clear(), s[2 * n + 1].clear();
// CHECK: wave{{[_0-9]*}}(s[2 * n].v, s[2 * n + 1].v, q[k].r,
// CHECK: wave{{[_0-9]*}}(o[2 * n].v, o[2 * n + 1].v, p.r, lp::tile<unsigned int, 2>(b.r, 1), 1);
// CHECK-NOT: #pragma
// CHECK: lp::each_row([&](int lane, int warp, int h, int which) {
// CHECK: const float all = across(sum[which], [](float x, float y) { return x + y; });
// CHECK: if (row >= rows) return;
// CHECK: lp::each_pair_of(o[n].v, n, which,
__global__ void __launch_bounds__(64) attention(const half *Q, const half *K, const half *V,
                                                float *O, float *log, int rows, int keys,
                                                float scale) {
  __shared__ __align__(16) half sq[32 * LD], sk[KEYS * LD], sv[KEYS * LD];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  auto across = [](float v, auto op) {
    v = op(v, __shfl_xor_sync(0xffffffffu, v, 1));
    return op(v, __shfl_xor_sync(0xffffffffu, v, 2));
  };
  stage(sq, Q + blockIdx.x * 32 * D, 32);
  __syncthreads();
  Frag q[D / 16];
  for (int k = 0; k < D / 16; ++k)
    q[k].ldsm<false>(&sq[(warp * 16 + lane % 16) * LD + k * 16 + lane / 16 * 8]);
  Sums o[D / 8];
  for (auto &tile : o)
    tile.clear();
  float seen[2] = {-1e30f, -1e30f}, sum[2] = {};
  for (int at = 0; at < keys; at += KEYS) {
    __syncthreads();
    stage(sk, K + at * D, KEYS);
    stage(sv, V + at * D, KEYS);
    __syncthreads();
    Sums s[KEYS / 8];
#pragma unroll
    for (int n = 0; n < KEYS / 16; ++n) {
      s[2 * n].clear(), s[2 * n + 1].clear();
#pragma unroll
      for (int k = 0; k < D / 16; ++k) {
        Frag b;
        b.ldsm<false>(&sk[(n * 16 + lane % 8 + lane / 16 * 8) * LD + k * 16 + lane / 8 % 2 * 8]);
        s[2 * n].add(q[k], b.r[0], b.r[1]);
        s[2 * n + 1].add(q[k], b.r[2], b.r[3]);
      }
    }
    float most[2] = {seen[0], seen[1]};
    for (int n = 0; n < KEYS / 8; ++n)
      for (int e = 0; e < 4; ++e) {
        s[n].v[e] *= scale;
        most[e / 2] = fmaxf(most[e / 2], s[n].v[e]);
      }
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      most[h] = across(most[h], [](float x, float y) { return fmaxf(x, y); });
      const float by = exp2f(seen[h] - most[h]);
      seen[h] = most[h];
      sum[h] *= by;
      for (auto &tile : o) {
        tile.v[2 * h] *= by;
        tile.v[2 * h + 1] *= by;
      }
    }
    for (auto &tile : s)
      for (int e = 0; e < 4; ++e) {
        tile.v[e] = exp2f(tile.v[e] - seen[e / 2]);
        sum[e / 2] += tile.v[e];
      }
#pragma unroll
    for (int k = 0; k < KEYS / 16; ++k) {
      const Frag p = {{word(s[2 * k].v[0], s[2 * k].v[1]), word(s[2 * k].v[2], s[2 * k].v[3]),
                       word(s[2 * k + 1].v[0], s[2 * k + 1].v[1]),
                       word(s[2 * k + 1].v[2], s[2 * k + 1].v[3])}};
#pragma unroll
      for (int n = 0; n < D / 16; ++n) {
        Frag b;
        b.ldsm<true>(&sv[(k * 16 + lane % 16) * LD + n * 16 + lane / 16 * 8]);
        o[2 * n].add(p, b.r[0], b.r[1]);
        o[2 * n + 1].add(p, b.r[2], b.r[3]);
      }
    }
  }
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const float all = across(sum[h], [](float x, float y) { return x + y; });
    const int row = blockIdx.x * 32 + warp * 16 + g + 8 * h;
    if (row >= rows) continue;
    const float by = 1.f / all;
    if (t == 0)
      log[row] = seen[h] + log2f(all);
#pragma unroll
    for (int n = 0; n < D / 8; ++n)
      *(float2 *)&O[row * D + n * 8 + 2 * t] =
          make_float2(o[n].v[2 * h] * by, o[n].v[2 * h + 1] * by);
  }
}
