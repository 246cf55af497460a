// What a row of an attention has, kept in structs: one for each row, two in an array, arrays in one
// struct, the members of a float2. Behind the loop, the sum's logarithm is stored under the guard
// that stands around the row's tiles.
//
// RUN: %prove --launch %S/rows_in_structs.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.one.hip --target gfx942
// RUN: %ported %t.one.hip | FileCheck %s
// CHECK: __global__ void eachRow(
// CHECK: if (row0 < rows) if (!lower) *(half2 *)&O[row0 * D + j * 8 + lane % 4 * 2] =
// CHECK-NEXT: __floats2half2_rn(pair[0] / (h ? bottom.sum : top.sum), pair[1] / (h ? bottom.sum : top.sum));
// CHECK: if (row0 < rows) if (!lower) if (lane % 4 == 0) L[row0] = (h ? bottom.max : top.max) + __logf((h ? bottom.sum : top.sum));
// CHECK: __global__ void bothRows(
// CHECK: at[h].sum = quad(at[h].sum, [](float a, float b) { return a + b; });
// CHECK: *(half2 *)&O[row * D + j * 8 + lane % 4 * 2] =
// CHECK-NEXT: __floats2half2_rn(pair[0] / at[h].sum, pair[1] / at[h].sum);
// CHECK: L[row] = at[h].max + __logf(at[h].sum);
// CHECK: __global__ void arraysInOne(
// CHECK: L[row] = state.max[h] + __logf(state.sum[h]);
// CHECK: __global__ void twoMembers(
// CHECK: L[row0 + 8 * lower] = (h ? most.y : most.x) + __logf((h ? sum.y : sum.x));
// CHECK-NOT: to_warp_
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

namespace rows {
constexpr int D = 32, KEYS = 32, PITCH = D + 8;

__device__ __forceinline__ void mma16816(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                         uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

template <class Op> __device__ __forceinline__ float quad(float x, Op op) {
  for (int mask = 2; mask; mask >>= 1)
    x = op(x, __shfl_xor_sync(0xffffffff, x, mask, 4));
  return x;
}

__device__ __forceinline__ uint32_t pack(float lo, float hi) {
  half2 h = __floats2half2_rn(lo, hi);
  return *reinterpret_cast<uint32_t *>(&h);
}

__device__ __forceinline__ void copy(half *to, const half *from, int rows, int known) {
  for (int i = threadIdx.x; i < rows * D / 8; i += 64)
    *(int4 *)&to[i / 4 * PITCH + i % 4 * 8] =
        i / 4 < known ? *(const int4 *)&from[i / 4 * D + i % 4 * 8] : make_int4(0, 0, 0, 0);
}

__device__ __forceinline__ void scores(float (&s)[KEYS / 8][4], const half *q, const half *k,
                                       int lane) {
#pragma unroll
  for (int j = 0; j < KEYS / 8; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e)
      s[j][e] = 0.f;
#pragma unroll
  for (int i = 0; i < D; i += 16) {
    uint32_t a[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(q + lane % 16 * PITCH + i + lane / 16 * 8)));
#pragma unroll
    for (int j = 0; j < KEYS / 8; ++j) {
      uint32_t b[2];
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                   : "=r"(b[0]), "=r"(b[1])
                   : "r"((uint32_t)__cvta_generic_to_shared(k + (j * 8 + lane % 8) * PITCH + i +
                                                            lane / 8 % 2 * 8)));
      mma16816(s[j], a, b[0], b[1]);
    }
  }
}

__device__ __forceinline__ void values(float (&o)[D / 8][4], float (&p)[KEYS / 8][4], const half *v,
                                       int lane) {
#pragma unroll
  for (int k = 0; k < KEYS / 16; ++k) {
    const uint32_t a[4] = {pack(p[2 * k][0], p[2 * k][1]), pack(p[2 * k][2], p[2 * k][3]),
                           pack(p[2 * k + 1][0], p[2 * k + 1][1]),
                           pack(p[2 * k + 1][2], p[2 * k + 1][3])};
#pragma unroll
    for (int j = 0; j < D / 8; ++j) {
      uint32_t b[2];
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                   : "=r"(b[0]), "=r"(b[1])
                   : "r"((uint32_t)__cvta_generic_to_shared(v + (k * 16 + lane % 16) * PITCH + j * 8)));
      mma16816(o[j], a, b[0], b[1]);
    }
  }
}

struct Row {
  float max = -INFINITY, sum = 0.f;
  __device__ __forceinline__ float raise(float by) {
    const float now = fmaxf(max, by), shrink = __expf(max - now);
    max = now;
    sum *= shrink;
    return shrink;
  }
};

__global__ void eachRow(const half *Q, const half *K, const half *V, half *O, float *L, int rows,
                        int keys) {
  __shared__ __align__(16) half q[32 * PITCH], k[KEYS * PITCH], v[KEYS * PITCH];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  copy(q, Q + blockIdx.x * 32 * D, 32, rows - blockIdx.x * 32);
  float o[D / 8][4] = {};
  Row top, bottom;
  for (int base = 0; base < keys; base += KEYS) {
    __syncthreads();
    copy(k, K + base * D, KEYS, KEYS);
    copy(v, V + base * D, KEYS, KEYS);
    __syncthreads();
    float s[KEYS / 8][4];
    scores(s, q + warp * 16 * PITCH, k, lane);
    float hi = -INFINITY, lo = -INFINITY;
#pragma unroll
    for (int j = 0; j < KEYS / 8; ++j) {
      hi = fmaxf(hi, fmaxf(s[j][0], s[j][1]));
      lo = fmaxf(lo, fmaxf(s[j][2], s[j][3]));
    }
    const auto most = [](float a, float b) { return fmaxf(a, b); };
    const float shrinkTop = top.raise(quad(hi, most)), shrinkBottom = bottom.raise(quad(lo, most));
#pragma unroll
    for (int j = 0; j < D / 8; ++j) {
      o[j][0] *= shrinkTop;
      o[j][1] *= shrinkTop;
      o[j][2] *= shrinkBottom;
      o[j][3] *= shrinkBottom;
    }
#pragma unroll
    for (int j = 0; j < KEYS / 8; ++j) {
      top.sum += (s[j][0] = __expf(s[j][0] - top.max)) + (s[j][1] = __expf(s[j][1] - top.max));
      bottom.sum +=
          (s[j][2] = __expf(s[j][2] - bottom.max)) + (s[j][3] = __expf(s[j][3] - bottom.max));
    }
    values(o, s, v, lane);
  }
  const auto add = [](float a, float b) { return a + b; };
  top.sum = quad(top.sum, add);
  bottom.sum = quad(bottom.sum, add);
  const int row0 = blockIdx.x * 32 + warp * 16 + lane / 4, row1 = row0 + 8;
  if (row0 < rows) {
    for (int j = 0; j < D / 8; ++j)
      *(half2 *)&O[row0 * D + j * 8 + lane % 4 * 2] =
          __floats2half2_rn(o[j][0] / top.sum, o[j][1] / top.sum);
    if (lane % 4 == 0) L[row0] = top.max + __logf(top.sum);
  }
  if (row1 < rows) {
    for (int j = 0; j < D / 8; ++j)
      *(half2 *)&O[row1 * D + j * 8 + lane % 4 * 2] =
          __floats2half2_rn(o[j][2] / bottom.sum, o[j][3] / bottom.sum);
    if (lane % 4 == 0) L[row1] = bottom.max + __logf(bottom.sum);
  }
}

__global__ void bothRows(const half *Q, const half *K, const half *V, half *O, float *L, int rows,
                         int keys) {
  __shared__ __align__(16) half q[32 * PITCH], k[KEYS * PITCH], v[KEYS * PITCH];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  copy(q, Q + blockIdx.x * 32 * D, 32, rows - blockIdx.x * 32);
  float o[D / 8][4] = {};
  Row at[2];
  for (int base = 0; base < keys; base += KEYS) {
    __syncthreads();
    copy(k, K + base * D, KEYS, KEYS);
    copy(v, V + base * D, KEYS, KEYS);
    __syncthreads();
    float s[KEYS / 8][4];
    scores(s, q + warp * 16 * PITCH, k, lane);
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float most = -INFINITY;
#pragma unroll
      for (int j = 0; j < KEYS / 8; ++j)
        most = fmaxf(most, fmaxf(s[j][2 * r], s[j][2 * r + 1]));
      const float shrink = at[r].raise(quad(most, [](float a, float b) { return fmaxf(a, b); }));
#pragma unroll
      for (int j = 0; j < D / 8; ++j) {
        o[j][2 * r] *= shrink;
        o[j][2 * r + 1] *= shrink;
      }
#pragma unroll
      for (int j = 0; j < KEYS / 8; ++j)
#pragma unroll
        for (int e = 2 * r; e < 2 * r + 2; ++e)
          at[r].sum += s[j][e] = __expf(s[j][e] - at[r].max);
    }
    values(o, s, v, lane);
  }
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    at[r].sum = quad(at[r].sum, [](float a, float b) { return a + b; });
    const int row = blockIdx.x * 32 + warp * 16 + lane / 4 + r * 8;
    if (row < rows) {
      for (int j = 0; j < D / 8; ++j)
        *(half2 *)&O[row * D + j * 8 + lane % 4 * 2] =
            __floats2half2_rn(o[j][2 * r] / at[r].sum, o[j][2 * r + 1] / at[r].sum);
      if (lane % 4 == 0)
        L[row] = at[r].max + __logf(at[r].sum);
    }
  }
}

struct State {
  float max[2], sum[2];
};
__global__ void arraysInOne(const half *Q, const half *K, const half *V, half *O, float *L,
                            int rows, int keys) {
  __shared__ __align__(16) half q[32 * PITCH], k[KEYS * PITCH], v[KEYS * PITCH];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  copy(q, Q + blockIdx.x * 32 * D, 32, rows - blockIdx.x * 32);
  float o[D / 8][4] = {};
  State state;
  for (int r = 0; r < 2; ++r) {
    state.max[r] = -INFINITY;
    state.sum[r] = 0.f;
  }
  for (int base = 0; base < keys; base += KEYS) {
    __syncthreads();
    copy(k, K + base * D, KEYS, KEYS);
    copy(v, V + base * D, KEYS, KEYS);
    __syncthreads();
    float s[KEYS / 8][4];
    scores(s, q + warp * 16 * PITCH, k, lane);
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float most = state.max[r];
#pragma unroll
      for (int j = 0; j < KEYS / 8; ++j)
        most = fmaxf(most, fmaxf(s[j][2 * r], s[j][2 * r + 1]));
      most = quad(most, [](float a, float b) { return fmaxf(a, b); });
      const float shrink = __expf(state.max[r] - most);
      state.max[r] = most;
      state.sum[r] *= shrink;
#pragma unroll
      for (int j = 0; j < D / 8; ++j) {
        o[j][2 * r] *= shrink;
        o[j][2 * r + 1] *= shrink;
      }
#pragma unroll
      for (int j = 0; j < KEYS / 8; ++j)
#pragma unroll
        for (int e = 2 * r; e < 2 * r + 2; ++e)
          state.sum[r] += s[j][e] = __expf(s[j][e] - most);
    }
    values(o, s, v, lane);
  }
#pragma unroll
  for (int r = 0; r < 2; ++r)
    state.sum[r] = quad(state.sum[r], [](float a, float b) { return a + b; });
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int row = blockIdx.x * 32 + warp * 16 + lane / 4 + r * 8;
    if (row >= rows)
      continue;
    for (int j = 0; j < D / 8; ++j)
      *(half2 *)&O[row * D + j * 8 + lane % 4 * 2] =
          __floats2half2_rn(o[j][2 * r] / state.sum[r], o[j][2 * r + 1] / state.sum[r]);
    if (lane % 4 == 0)
      L[row] = state.max[r] + __logf(state.sum[r]);
  }
}

// Rows are whole blocks.
__global__ void twoMembers(const half *Q, const half *K, const half *V, half *O, float *L,
                           int keys) {
  __shared__ __align__(16) half q[32 * PITCH], k[KEYS * PITCH], v[KEYS * PITCH];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  copy(q, Q + blockIdx.x * 32 * D, 32, 32);
  float o[D / 8][4] = {};
  float2 most = {-INFINITY, -INFINITY}, sum = {0.f, 0.f};
  for (int base = 0; base < keys; base += KEYS) {
    __syncthreads();
    copy(k, K + base * D, KEYS, KEYS);
    copy(v, V + base * D, KEYS, KEYS);
    __syncthreads();
    float s[KEYS / 8][4];
    scores(s, q + warp * 16 * PITCH, k, lane);
    float2 now = most;
#pragma unroll
    for (int j = 0; j < KEYS / 8; ++j) {
      now.x = fmaxf(now.x, fmaxf(s[j][0], s[j][1]));
      now.y = fmaxf(now.y, fmaxf(s[j][2], s[j][3]));
    }
    const auto larger = [](float a, float b) { return fmaxf(a, b); };
    now.x = quad(now.x, larger);
    now.y = quad(now.y, larger);
    const float2 shrink = {__expf(most.x - now.x), __expf(most.y - now.y)};
    most = now;
    sum.x *= shrink.x;
    sum.y *= shrink.y;
#pragma unroll
    for (int j = 0; j < D / 8; ++j) {
      o[j][0] *= shrink.x;
      o[j][1] *= shrink.x;
      o[j][2] *= shrink.y;
      o[j][3] *= shrink.y;
    }
#pragma unroll
    for (int j = 0; j < KEYS / 8; ++j) {
      sum.x += (s[j][0] = __expf(s[j][0] - now.x)) + (s[j][1] = __expf(s[j][1] - now.x));
      sum.y += (s[j][2] = __expf(s[j][2] - now.y)) + (s[j][3] = __expf(s[j][3] - now.y));
    }
    values(o, s, v, lane);
  }
  const auto add = [](float a, float b) { return a + b; };
  sum.x = quad(sum.x, add);
  sum.y = quad(sum.y, add);
  const int row0 = blockIdx.x * 32 + warp * 16 + lane / 4;
  for (int j = 0; j < D / 8; ++j) {
    half *to = O + row0 * D + j * 8 + lane % 4 * 2;
    *(half2 *)to = __floats2half2_rn(o[j][0] / sum.x, o[j][1] / sum.x);
    *(half2 *)(to + 8 * D) = __floats2half2_rn(o[j][2] / sum.y, o[j][3] / sum.y);
  }
  if (lane % 4 == 0) {
    L[row0] = most.x + __logf(sum.x);
    L[row0 + 8] = most.y + __logf(sum.y);
  }
}
} // namespace rows
