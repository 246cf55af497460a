// A template's instances with four, eight and two n8 tiles a warp, whose B lies along n: all can
// read it in twos, and have one text so. Each for itself would take as many tiles as it has.
//
// RUN: %prove --launch %S/in_twos.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
// RUN: %layout-port %s --explain-plan 2>&1 | FileCheck %s --check-prefix=PLAN
//
// CHECK: lp::mma_m16n8k16_f32_f16{{.*}}_wave(sum[i][j], a[i], b
// CHECK-NOT: if constexpr
//
// PLAN-COUNT-3: {{^ +1 .*}} sum: the warps of a wave share A, B read along n in twos, 2 n8
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

template <int Rows, int Cols>
__device__ __forceinline__ void stage(half (*to)[Cols + 8], const half *from, int pitch) {
  for (int i = threadIdx.x; i < Rows * Cols / 8; i += blockDim.x)
    *(int4 *)&to[i / (Cols / 8)][i % (Cols / 8) * 8] =
        *(const int4 *)&from[i / (Cols / 8) * pitch + i % (Cols / 8) * 8];
}

// A block of two warps along n.
template <int TM, int TN>
__global__ void __launch_bounds__(64) gemm(const half *A, const half *B, half *C, int N, int K) {
  constexpr int BM = 16 * TM, BN = 2 * 8 * TN;
  __shared__ __align__(16) half sA[BM][16 + 8], sB[16][BN + 8];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
  float sum[TM][TN][4] = {};
  for (int k = 0; k < K; k += 16) {
    stage<BM, 16>(sA, A + m0 * K + k, K);
    stage<16, BN>(sB, B + k * N + n0, N);
    __syncthreads();
    uint32_t a[TM][4];
#pragma unroll
    for (int i = 0; i < TM; ++i) {
      const uint32_t p = __cvta_generic_to_shared(&sA[i * 16 + lane % 16][lane / 16 * 8]);
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(a[i][0]), "=r"(a[i][1]), "=r"(a[i][2]), "=r"(a[i][3])
                   : "r"(p));
    }
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      uint32_t b[2];
      const uint32_t p = __cvta_generic_to_shared(&sB[lane % 16][warp * TN * 8 + j * 8]);
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                   : "=r"(b[0]), "=r"(b[1])
                   : "r"(p));
#pragma unroll
      for (int i = 0; i < TM; ++i)
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
            "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]), "+f"(sum[i][j][3])
            : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[0]), "r"(b[1]));
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; ++j)
#pragma unroll
      for (int h = 0; h < 2; ++h)
        *(half2 *)&C[(m0 + i * 16 + h * 8 + lane / 4) * N + n0 + warp * TN * 8 + j * 8 +
                     lane % 4 * 2] = __floats2half2_rn(sum[i][j][2 * h], sum[i][j][2 * h + 1]);
}
template __global__ void gemm<2, 4>(const half *, const half *, half *, int, int);
template __global__ void gemm<1, 8>(const half *, const half *, half *, int, int);
template __global__ void gemm<4, 2>(const half *, const half *, half *, int, int);
