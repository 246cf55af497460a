// Attention forward in other words: lists that say only the first zero, counters without a sign, key
// scales that are multiplied in in a loop of such a counter, and V in global memory, of which two rows
// make a word.
//
// RUN: %prove --launch %S/spelled_attention.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr uint32_t D = 32, KEYS = 32, PITCH = D + 8;

__device__ __forceinline__ uint32_t s2u(const void *p) { return __cvta_generic_to_shared(p); }

__device__ __forceinline__ void gemm16816(float *d, const uint32_t *a, uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ uint32_t pack(float lo, float hi) {
  half2 h = __floats2half2_rn(lo, hi);
  return *reinterpret_cast<uint32_t *>(&h);
}

// CHECK-LABEL: forward(const half
__global__ void __launch_bounds__(64) forward(const half *Q, const half *K, const half *V,
                                              const float *scales, half *O, uint32_t seq) {
  __shared__ __align__(16) half sQ[32 * PITCH], sK[KEYS * PITCH];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, t = threadIdx.x;
  for (uint32_t i = t; i < 32 * D / 8; i += 64)
    *(int4 *)&sQ[i / 4 * PITCH + i % 4 * 8] =
        *(const int4 *)&Q[(blockIdx.x * 32 + i / 4) * D + i % 4 * 8];

  float o[D / 8][4] = {{0.f}}, rowMax[2] = {-1e30f, -1e30f}, rowSum[2] = {0.f};
  for (uint32_t base = 0; base < seq; base += KEYS) {
    __syncthreads();
    for (uint32_t i = t; i < KEYS * D / 8; i += 64)
      *(int4 *)&sK[i / 4 * PITCH + i % 4 * 8] = *(const int4 *)&K[(base + i / 4) * D + i % 4 * 8];
    __syncthreads();
    float s[KEYS / 8][4] = {0};
#pragma unroll
    for (uint32_t k = 0; k < D; k += 16) {
      uint32_t a[4], b[2];
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                   : "r"(s2u(sQ + (warp * 16 + lane % 16) * PITCH + k + lane / 16 * 8)));
#pragma unroll
      for (uint32_t j = 0; j < KEYS / 8; ++j) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                     : "=r"(b[0]), "=r"(b[1])
                     : "r"(s2u(sK + (j * 8 + lane % 8) * PITCH + k + lane / 8 % 2 * 8)));
        gemm16816(s[j], a, b[0], b[1]);
      }
    }
    // CHECK: s[j][e] *= lp::of_element<1>(e, [&](int lane, int, unsigned e) {
#pragma unroll
    for (uint32_t j = 0; j < KEYS / 8; ++j)
      for (uint32_t e = 0; e < 4; e++)
        s[j][e] *= scales[base + j * 8 + lane % 4 * 2 + (e & 1)];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float top = rowMax[r];
#pragma unroll
      for (int j = 0; j < KEYS / 8; ++j)
        top = fmaxf(top, fmaxf(s[j][2 * r], s[j][2 * r + 1]));
      top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, 2));
      top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, 1));
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
#pragma unroll
    for (uint32_t k = 0; k < KEYS / 16; ++k) {
      const uint32_t p[4] = {pack(s[2 * k][0], s[2 * k][1]), pack(s[2 * k][2], s[2 * k][3]),
                             pack(s[2 * k + 1][0], s[2 * k + 1][1]),
                             pack(s[2 * k + 1][2], s[2 * k + 1][3])};
#pragma unroll
      for (uint32_t j = 0; j < D / 8; ++j) {
        uint32_t b[2];
        const half *v = V + (base + k * 16 + lane % 4 * 2) * D + j * 8 + lane / 4;
        half2 lower = __halves2half2(v[0], v[D]);
        half2 upper = __halves2half2(v[8 * D], v[9 * D]);
        // CHECK: lp::gather_b(b, [&](int lane, int, unsigned j, int reg) {
        // CHECK: auto lower = __halves2half2(v[0], v[D]);
        // CHECK-NOT: of_thread
        b[0] = reinterpret_cast<uint32_t &>(lower);
        b[1] = reinterpret_cast<uint32_t &>(upper);
        gemm16816(o[j], p, b[0], b[1]);
      }
    }
  }
  // CHECK: lp::each_row([&](int lane, int warp, unsigned r, int {{[a-z]+}}) {
#pragma unroll
  for (uint32_t r = 0; r < 2; ++r) {
    rowSum[r] += __shfl_xor_sync(0xffffffff, rowSum[r], 2);
    rowSum[r] += __shfl_xor_sync(0xffffffff, rowSum[r], 1);
    half *row = O + (blockIdx.x * 32 + warp * 16 + lane / 4 + r * 8) * D + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < D / 8; ++j)
      *(half2 *)(row + j * 8) =
          __floats2half2_rn(o[j][2 * r] / rowSum[r], o[j][2 * r + 1] / rowSum[r]);
  }
}
