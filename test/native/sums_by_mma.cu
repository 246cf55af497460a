// Attention whose rows are summed up by an mma with ones, as FlashInfer and SageAttention do: two
// of the four results go to a register of the asm's own. The others are no tile, but values of rows.
//
// RUN: %prove --launch %S/sums_by_mma.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

namespace mma {
template <bool FROM_ZERO>
__device__ __forceinline__ void m16n16k16(float *C, uint32_t *A, uint32_t *B) {
  if constexpr (FROM_ZERO) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,  %1,  %2,  %3},"
                 "{%4,  %5,  %6,  %7}, {%8,  %9}, {%10, %11, %12, %13};\n"
                 : "=f"(C[0]), "=f"(C[1]), "=f"(C[2]), "=f"(C[3])
                 : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]), "f"(0.f),
                   "f"(0.f), "f"(0.f), "f"(0.f));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,  %1,  %2,  %3},"
                 "{%4,  %5,  %6,  %7}, {%8,  %9}, {%10, %11, %12, %13};\n"
                 : "=f"(C[4]), "=f"(C[5]), "=f"(C[6]), "=f"(C[7])
                 : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[2]), "r"(B[3]), "f"(0.f),
                   "f"(0.f), "f"(0.f), "f"(0.f));
  } else {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,  %1,  %2,  %3},"
                 "{%4,  %5,  %6,  %7}, {%8,  %9}, {%10, %11, %12, %13};\n"
                 : "=f"(C[0]), "=f"(C[1]), "=f"(C[2]), "=f"(C[3])
                 : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]), "f"(C[0]),
                   "f"(C[1]), "f"(C[2]), "f"(C[3]));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,  %1,  %2,  %3},"
                 "{%4,  %5,  %6,  %7}, {%8,  %9}, {%10, %11, %12, %13};\n"
                 : "=f"(C[4]), "=f"(C[5]), "=f"(C[6]), "=f"(C[7])
                 : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[2]), "r"(B[3]), "f"(C[4]),
                   "f"(C[5]), "f"(C[6]), "f"(C[7]));
  }
}

// CHECK-LABEL: void rowsum(
// CHECK: lp::add_row_sums<_Float16>(d[0], d[1], s_u32[0], s_u32[1], s_u32[2], s_u32[3], 1006648320, 1006648320);
template <class T> __device__ __forceinline__ void rowsum(float *d, T *s) {
  static_assert(sizeof(T) == 2);
  uint32_t *s_u32 = (uint32_t *)(s);
  asm volatile("{\n"
               ".reg .f32 ph;\n"
               "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
               "{%0,  ph,  %1,  ph},"
               "{%2,  %3,  %4,  %5},"
               "{%6,  %7},"
               "{%8,  0.,  %9,  0.};\n"
               "}\n"
               : "=f"(d[0]), "=f"(d[1])
               : "r"(s_u32[0]), "r"(s_u32[1]), "r"(s_u32[2]), "r"(s_u32[3]), "r"(1006648320),
                 "r"(1006648320), "f"(d[0]), "f"(d[1]));
}
} // namespace mma

__device__ __forceinline__ void ldsm4(uint32_t *r, const void *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void ldsm4t(uint32_t *r, const void *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}

// Two tiles of queries a warp, head dim 32, blocks of 32 keys.
// CHECK-LABEL: prefill(
// CHECK: mma::rowsum(d[q], p[q][kv]);
template <int TQ, int TKV, int TD>
__global__ void __launch_bounds__(64) prefill(const half *Q, const half *K, const half *V, half *O,
                                              float scale, int keys) {
  constexpr int D = TD * 16, KEYS = TKV * 16, PITCH = D + 8;
  __shared__ __align__(16) half sQ[2 * TQ * 16 * PITCH], sK[KEYS * PITCH], sV[KEYS * PITCH];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, first = blockIdx.x * 2 * TQ * 16;
  for (int i = threadIdx.x; i < 2 * TQ * 16 * D / 8; i += 64)
    *(int4 *)&sQ[i / (D / 8) * PITCH + i % (D / 8) * 8] =
        *(const int4 *)&Q[(first + i / (D / 8)) * D + i % (D / 8) * 8];
  float o[TQ][TD][8] = {}, m[TQ][2], d[TQ][2];
  for (int q = 0; q < TQ; ++q)
    for (int r = 0; r < 2; ++r)
      m[q][r] = -5e4f, d[q][r] = 1.f;
  for (int base = 0; base < keys; base += KEYS) {
    __syncthreads();
    for (int i = threadIdx.x; i < KEYS * D / 8; i += 64) {
      *(int4 *)&sK[i / (D / 8) * PITCH + i % (D / 8) * 8] =
          *(const int4 *)&K[(base + i / (D / 8)) * D + i % (D / 8) * 8];
      *(int4 *)&sV[i / (D / 8) * PITCH + i % (D / 8) * 8] =
          *(const int4 *)&V[(base + i / (D / 8)) * D + i % (D / 8) * 8];
    }
    __syncthreads();
    float s[TQ][TKV][8];
#pragma unroll
    for (int k = 0; k < TD; ++k) {
      uint32_t a[TQ][4], b[4];
#pragma unroll
      for (int q = 0; q < TQ; ++q)
        ldsm4(a[q], &sQ[((warp * TQ + q) * 16 + lane % 16) * PITCH + k * 16 + lane / 16 * 8]);
#pragma unroll
      for (int kv = 0; kv < TKV; ++kv) {
        ldsm4(b, &sK[(kv * 16 + lane / 16 * 8 + lane % 8) * PITCH + k * 16 + lane / 8 % 2 * 8]);
#pragma unroll
        for (int q = 0; q < TQ; ++q)
          if (k == 0)
            mma::m16n16k16<true>(s[q][kv], a[q], b);
          else
            mma::m16n16k16<false>(s[q][kv], a[q], b);
      }
    }
    half p[TQ][TKV][8];
#pragma unroll
    for (int q = 0; q < TQ; ++q)
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        const float before = m[q][r];
#pragma unroll
        for (int kv = 0; kv < TKV; ++kv)
          m[q][r] = fmaxf(m[q][r], fmaxf(fmaxf(s[q][kv][r * 2], s[q][kv][r * 2 + 1]),
                                         fmaxf(s[q][kv][r * 2 + 4], s[q][kv][r * 2 + 5])));
        m[q][r] = fmaxf(m[q][r], __shfl_xor_sync(0xffffffff, m[q][r], 2));
        m[q][r] = fmaxf(m[q][r], __shfl_xor_sync(0xffffffff, m[q][r], 1));
        const float shrink = exp2f((before - m[q][r]) * scale);
        d[q][r] *= shrink;
#pragma unroll
        for (int j = 0; j < TD; ++j) {
          o[q][j][r * 2] *= shrink, o[q][j][r * 2 + 1] *= shrink;
          o[q][j][r * 2 + 4] *= shrink, o[q][j][r * 2 + 5] *= shrink;
        }
#pragma unroll
        for (int kv = 0; kv < TKV; ++kv)
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            float &x = s[q][kv][r * 2 + e % 2 + e / 2 * 4];
            x = exp2f((x - m[q][r]) * scale);
          }
      }
#pragma unroll
    for (int q = 0; q < TQ; ++q)
#pragma unroll
      for (int kv = 0; kv < TKV; ++kv) {
#pragma unroll
        for (int e = 0; e < 8; ++e)
          p[q][kv][e] = __float2half(s[q][kv][e]);
        mma::rowsum(d[q], p[q][kv]);
      }
#pragma unroll
    for (int kv = 0; kv < TKV; ++kv)
#pragma unroll
      for (int j = 0; j < TD; ++j) {
        uint32_t b[4];
        ldsm4t(b, &sV[(kv * 16 + lane % 16) * PITCH + j * 16 + lane / 16 * 8]);
#pragma unroll
        for (int q = 0; q < TQ; ++q)
          mma::m16n16k16<false>(o[q][j], (uint32_t *)p[q][kv], b);
      }
  }
#pragma unroll
  for (int q = 0; q < TQ; ++q)
#pragma unroll
    for (int j = 0; j < TD; ++j)
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        half *row = O + (first + (warp * TQ + q) * 16 + lane / 4 + r * 8) * D + j * 16 + lane % 4 * 2;
        *(half2 *)row = __floats2half2_rn(o[q][j][r * 2] / d[q][r], o[q][j][r * 2 + 1] / d[q][r]);
        *(half2 *)(row + 8) =
            __floats2half2_rn(o[q][j][r * 2 + 4] / d[q][r], o[q][j][r * 2 + 5] / d[q][r]);
      }
}
template __global__ void prefill<2, 2, 2>(const half *, const half *, const half *, half *, float,
                                          int);

// In the kernel's own text, of bf16, with other constants: each quarter of k has its weight.
// CHECK-LABEL: weighted(
// CHECK: lp::add_row_sums<__bf16>(l[0], l[1], p[0], p[1], p[2], p[3], kLow, kHigh);
__global__ void __launch_bounds__(64)
    weighted(const __nv_bfloat16 *Q, const __nv_bfloat16 *K, const __nv_bfloat16 *V, float *O,
             float *L, int keys) {
  constexpr int PITCH = 24;
  constexpr unsigned kLow = 0x3f804000, kHigh = 0x3f000000;
  __shared__ __align__(16) __nv_bfloat16 sQ[32 * PITCH], sK[16 * PITCH], sV[16 * PITCH];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = threadIdx.x / 2,
            column = threadIdx.x % 2 * 8;
  *(int4 *)&sQ[row * PITCH + column] = *(const int4 *)&Q[row * 16 + column];
  float o[2][4] = {}, l[2] = {};
  for (int base = 0; base < keys; base += 16) {
    __syncthreads();
    if (threadIdx.x < 32) {
      *(int4 *)&sK[row * PITCH + column] = *(const int4 *)&K[(base + row) * 16 + column];
      *(int4 *)&sV[row * PITCH + column] = *(const int4 *)&V[(base + row) * 16 + column];
    }
    __syncthreads();
    uint32_t a[4], b[4], p[4];
    float s[2][4] = {};
    ldsm4(a, &sQ[(warp * 16 + lane % 16) * PITCH + lane / 16 * 8]);
    ldsm4(b, &sK[(lane / 16 * 8 + lane % 8) * PITCH + lane / 8 % 2 * 8]);
#pragma unroll
    for (int j = 0; j < 2; ++j)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, "
                   "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                   : "+f"(s[j][0]), "+f"(s[j][1]), "+f"(s[j][2]), "+f"(s[j][3])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[2 * j]), "r"(b[2 * j + 1]));
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const __nv_bfloat162 pair = __floats2bfloat162_rn(fmaxf(s[i / 2][i % 2 * 2], 0.f),
                                                        fmaxf(s[i / 2][i % 2 * 2 + 1], 0.f));
      p[i] = *(const uint32_t *)&pair;
    }
    asm volatile("{ .reg .f32 x, y;\n"
                 "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, x, %1, y}, "
                 "{%2, %3, %4, %5}, {%6, %7}, {%0, 0f00000000, %1, 0f00000000}; }"
                 : "+f"(l[0]), "+f"(l[1])
                 : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(kLow), "r"(kHigh));
    ldsm4t(b, &sV[lane % 16 * PITCH + lane / 16 * 8]);
#pragma unroll
    for (int j = 0; j < 2; ++j)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, "
                   "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                   : "+f"(o[j][0]), "+f"(o[j][1]), "+f"(o[j][2]), "+f"(o[j][3])
                   : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(b[2 * j]), "r"(b[2 * j + 1]));
  }
  for (int r = 0; r < 2; ++r) {
    const int at = warp * 16 + lane / 4 + r * 8;
    if (lane % 4 == 0)
      L[at] = l[r];
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 2; ++e)
        O[at * 16 + j * 8 + lane % 4 * 2 + e] = o[j][2 * r + e] / (1.f + l[r]);
  }
}
