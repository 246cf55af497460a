// Addresses that are made in several statements, one of them under if constexpr: instantiations
// of one template differ in it, and still share one text.
//
// RUN: %prove --launch %S/steps.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int BK = 32, NT = 4;

__device__ __forceinline__ uint32_t s2u(const void *p) { return __cvta_generic_to_shared(p); }
__device__ __forceinline__ uint32_t swizzled(uint32_t at) { return at ^ (at >> 6 & 3) << 4; }

__device__ __forceinline__ void ldsm4(uint32_t *r, uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(at));
}
__device__ __forceinline__ void ldsm2(uint32_t *r, uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(at));
}
__device__ __forceinline__ void mma(float *d, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// C = A B^T: rows of 32 a block, 16 a warp, 32 columns.
template <int PITCH, bool SWIZZLE>
__global__ void __launch_bounds__(64) product(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(1024) half sA[32 * PITCH], sB[32 * PITCH];
  const int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
  float acc[NT][4] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = tid; i < 32 * BK / 8; i += 64) {
      const int row = i / 4, col = i % 4 * 8;
      int to = row * PITCH + col;
      if constexpr (SWIZZLE)
        to ^= (row & 3) * 8;
      *(int4 *)&sA[to] = *(const int4 *)&A[(blockIdx.x * 32 + row) * K + k0 + col];
      *(int4 *)&sB[to] = *(const int4 *)&B[row * K + k0 + col];
    }
    __syncthreads();
    for (int k = 0; k < BK; k += 16) {
      uint32_t a[4];
      uint32_t at = s2u(sA + (warp * 16 + lane % 16) * PITCH + k + lane / 16 * 8);
      if constexpr (SWIZZLE)
        at = swizzled(at);
      // CHECK: lp::load_a{{.*}}(a, [&](int lane, int warp) {
      // CHECK-NEXT: unsigned int at = s2u(sA + (warp * 16 + lane % 16) * PITCH + k + lane / 16 * 8);
      // CHECK-NEXT: if constexpr (SWIZZLE)
      // CHECK-NEXT: at = swizzled(at);
      // CHECK-NEXT: return at;
      ldsm4(a, at);
#pragma unroll
      for (int n = 0; n < NT; ++n) {
        uint32_t b[2];
        int row = n * 8;
        row += lane % 8;
        uint32_t from = s2u(sB + row * PITCH + k + lane / 8 % 2 * 8);
        if constexpr (SWIZZLE) {
          from = swizzled(from);
        }
        ldsm2(b, from);
        mma(acc[n], a, b);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int n = 0; n < NT; ++n) {
    float *to = C + (blockIdx.x * 32 + warp * 16 + lane / 4) * 32 + n * 8 + lane % 4 * 2;
    *(float2 *)to = make_float2(acc[n][0], acc[n][1]);
    *(float2 *)(to + 8 * 32) = make_float2(acc[n][2], acc[n][3]);
  }
}

void launch(const half *A, const half *B, float *C, float *D, int K) {
  product<40, false><<<2, 64>>>(A, B, C, K);
  product<32, true><<<2, 64>>>(A, B, D, K);
}
