// Attention whose tiles are 16 by 16, eight registers in one row of an array: those of a row are
// named j * 2, + 1, + 4, + 5. The mask chooses between two variables, and behind the loop copies are
// waited for before rows' sums come together.
//
// RUN: %prove --launch %S/wide_rows.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s --check-prefix=TEXT
// TEXT: ? x : kMasked;
// TEXT: waitForAll();
// TEXT: waitForAll();
// TEXT: sum[j] += across(sum[j], 2);
// TEXT: o[d][j * 2 + 4] *= by;
// TEXT: lp::each_pair(lp::tile<float, 4>(o, d * 2 + t), t,
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace {
constexpr int kDim = 32, kKeys = 32, kPitch = kDim + 8;
constexpr float kMasked = -5e4f;

__device__ __forceinline__ float across(float x, int mask) { return __shfl_xor_sync(0xffffffff, x, mask); }
__device__ __forceinline__ void waitForAll() { asm volatile("cp.async.wait_all;" ::: "memory"); }
__device__ __forceinline__ void copy(void *to, const void *from) {
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from));
}

template <bool Trans> __device__ __forceinline__ void load(unsigned *r, const __half *p) {
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(p));
  if (Trans)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}
// A tile of 16 columns.
__device__ __forceinline__ void multiply(float *c, const unsigned *a, const unsigned *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
               "{%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
               : "=f"(c[0]), "=f"(c[1]), "=f"(c[2]), "=f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]),
                 "f"(c[1]), "f"(c[2]), "f"(c[3]));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
               "{%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
               : "=f"(c[4]), "=f"(c[5]), "=f"(c[6]), "=f"(c[7])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[2]), "r"(b[3]), "f"(c[4]),
                 "f"(c[5]), "f"(c[6]), "f"(c[7]));
}

template <int Tiles>
__device__ __forceinline__ void mask(float (*s)[8], int firstRow, int firstKey, float scale, int lane) {
#pragma unroll
  for (int n = 0; n < Tiles; ++n)
#pragma unroll
    for (int r = 0; r < 8; ++r) {
      const int row = firstRow + lane / 4 + 8 * ((r % 4) / 2);
      const int key = firstKey + n * 16 + 2 * (lane % 4) + 8 * (r / 4) + r % 2;
      const float x = s[n][r] * scale;
      s[n][r] = key <= row ? x : kMasked;
    }
}

template <int Tiles, int Outs>
__device__ __forceinline__ void softmax(float (*s)[8], float (*o)[8], float (&top)[2], float (&sum)[2]) {
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    const float before = top[j];
#pragma unroll
    for (int n = 0; n < Tiles; ++n)
      top[j] = fmaxf(top[j], fmaxf(fmaxf(s[n][j * 2], s[n][j * 2 + 1]), fmaxf(s[n][j * 2 + 4], s[n][j * 2 + 5])));
    top[j] = fmaxf(top[j], across(top[j], 2));
    top[j] = fmaxf(top[j], across(top[j], 1));
    const float by = exp2f(before - top[j]);
    sum[j] *= by;
#pragma unroll
    for (int d = 0; d < Outs; ++d) {
      o[d][j * 2] *= by;
      o[d][j * 2 + 1] *= by;
      o[d][j * 2 + 4] *= by;
      o[d][j * 2 + 5] *= by;
    }
#pragma unroll
    for (int n = 0; n < Tiles; ++n) {
      s[n][j * 2] = exp2f(s[n][j * 2] - top[j]);
      s[n][j * 2 + 1] = exp2f(s[n][j * 2 + 1] - top[j]);
      s[n][j * 2 + 4] = exp2f(s[n][j * 2 + 4] - top[j]);
      s[n][j * 2 + 5] = exp2f(s[n][j * 2 + 5] - top[j]);
      sum[j] += s[n][j * 2] + s[n][j * 2 + 1] + s[n][j * 2 + 4] + s[n][j * 2 + 5];
    }
  }
}
} // namespace

__global__ void __launch_bounds__(64) wideRows(const __half *Q, const __half *K, const __half *V, __half *O, int length, float scale) {
  __shared__ __align__(16) __half sQ[32][kPitch], sK[kKeys][kPitch], sV[kKeys][kPitch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, first = blockIdx.x * 32;
  for (int v = threadIdx.x; v < 32 * kDim / 8; v += 64)
    copy(&sQ[v / 4][v % 4 * 8], &Q[(first + v / 4) * kDim + v % 4 * 8]);
  float s[2][8], o[2][8], top[2] = {kMasked, kMasked}, sum[2] = {0.f, 0.f};
#pragma unroll
  for (int d = 0; d < 2; ++d)
#pragma unroll
    for (int r = 0; r < 8; ++r)
      o[d][r] = 0.f;
  for (int keys = 0; keys < first + 32; keys += kKeys) {
    __syncthreads();
    for (int v = threadIdx.x; v < kKeys * kDim / 8; v += 64) {
      copy(&sK[v / 4][v % 4 * 8], &K[(keys + v / 4) * kDim + v % 4 * 8]);
      copy(&sV[v / 4][v % 4 * 8], &V[(keys + v / 4) * kDim + v % 4 * 8]);
    }
    waitForAll();
    __syncthreads();
#pragma unroll
    for (int n = 0; n < 2; ++n)
#pragma unroll
      for (int r = 0; r < 8; ++r)
        s[n][r] = 0.f;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      unsigned a[4];
      load<false>(a, &sQ[warp * 16 + lane % 16][k * 16 + lane / 16 * 8]);
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        unsigned b[4];
        load<false>(b, &sK[n * 16 + lane / 16 * 8 + lane % 8][k * 16 + lane % 16 / 8 * 8]);
        multiply(s[n], a, b);
      }
    }
    mask<2>(s, first + warp * 16, keys, scale, lane);
    softmax<2, 2>(s, o, top, sum);
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      __half2 p[4];
#pragma unroll
      for (int r = 0; r < 4; ++r)
        p[r] = __floats2half2_rn(s[k][2 * r], s[k][2 * r + 1]);
#pragma unroll
      for (int d = 0; d < 2; ++d) {
        unsigned b[4];
        load<true>(b, &sV[k * 16 + lane % 16][d * 16 + lane / 16 * 8]);
        multiply(o[d], reinterpret_cast<const unsigned *>(p), b);
      }
    }
  }
  waitForAll();
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    sum[j] += across(sum[j], 2);
    sum[j] += across(sum[j], 1);
    const float by = 1.f / sum[j];
#pragma unroll
    for (int d = 0; d < 2; ++d) {
      o[d][j * 2] *= by;
      o[d][j * 2 + 1] *= by;
      o[d][j * 2 + 4] *= by;
      o[d][j * 2 + 5] *= by;
    }
  }
#pragma unroll
  for (int d = 0; d < 2; ++d)
#pragma unroll
    for (int t = 0; t < 2; ++t)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const int row = first + warp * 16 + lane / 4 + 8 * h;
        if (row < length)
          *(__half2 *)&O[row * kDim + d * 16 + t * 8 + lane % 4 * 2] = __floats2half2_rn(o[d][t * 4 + h * 2], o[d][t * 4 + h * 2 + 1]);
      }
}
