// One template, three instantiations: tile shapes and the layout of the warps are template
// parameters, launched from host code.
//
// RUN: %prove --launch %S/template3.yaml 2>&1 | FileCheck %S/Inputs/native_halves_proved.txt
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s --check-prefix=TIER
// TIER-NOT: is not native
// TIER: native {{.*}} native
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

template <int WARPS_M, int WARPS_N, int TM, int TN> struct Config {
  static constexpr int kThreads = WARPS_M * WARPS_N * 32;
  static constexpr int kBM = WARPS_M * TM * 16;
  static constexpr int kBN = WARPS_N * TN * 8;
};

template <typename Cfg, int WARPS_N, int TM, int TN>
__global__ void __launch_bounds__(Cfg::kThreads)
    tiledGemm(const half *A, const half *B, float *C, int N, int K) {
  constexpr int LD = 16 + 8;
  __shared__ __align__(16) half sa[Cfg::kBM][LD], sb[Cfg::kBN][LD];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const int wm = warp / WARPS_N * TM * 16, wn = warp % WARPS_N * TN * 8;
  float acc[TM][TN][4];
#pragma unroll
  for (int i = 0; i < TM * TN * 4; i++)
    acc[i / (TN * 4)][i / 4 % TN][i % 4] = 0.f;
  for (int k = 0; k < K; k += 16) {
    for (int v = threadIdx.x; v < Cfg::kBM * 2; v += Cfg::kThreads)
      *(uint4 *)&sa[v / 2][v % 2 * 8] =
          *(const uint4 *)&A[(blockIdx.y * Cfg::kBM + v / 2) * K + k + v % 2 * 8];
    for (int v = threadIdx.x; v < Cfg::kBN * 2; v += Cfg::kThreads)
      *(uint4 *)&sb[v / 2][v % 2 * 8] =
          *(const uint4 *)&B[(blockIdx.x * Cfg::kBN + v / 2) * K + k + v % 2 * 8];
    __syncthreads();
    uint32_t a[TM][4], b[TN][2];
#pragma unroll
    for (int i = 0; i < TM; i++) {
      const uint32_t p = __cvta_generic_to_shared(&sa[wm + i * 16 + lane % 16][lane / 16 * 8]);
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(a[i][0]), "=r"(a[i][1]), "=r"(a[i][2]), "=r"(a[i][3]) : "r"(p));
    }
#pragma unroll
    for (int j = 0; j < TN; j++) {
      const uint32_t p = __cvta_generic_to_shared(&sb[wn + j * 8 + lane % 8][lane / 8 % 2 * 8]);
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                   : "=r"(b[j][0]), "=r"(b[j][1]) : "r"(p));
    }
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
      for (int j = 0; j < TN; j++)
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
            "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
            : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j][0]), "r"(b[j][1]));
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TM; i++)
#pragma unroll
    for (int j = 0; j < TN; j++) {
      float *c = C + (blockIdx.y * Cfg::kBM + wm + i * 16 + lane / 4) * N + blockIdx.x * Cfg::kBN +
                 wn + j * 8 + lane % 4 * 2;
      *(float2 *)c = make_float2(acc[i][j][0], acc[i][j][1]);
      *(float2 *)(c + 8 * N) = make_float2(acc[i][j][2], acc[i][j][3]);
    }
}

template <int WM, int WN, int TM, int TN>
void run(const half *A, const half *B, float *C, int M, int N, int K) {
  using Cfg = Config<WM, WN, TM, TN>;
  tiledGemm<Cfg, WN, TM, TN><<<dim3(N / Cfg::kBN, M / Cfg::kBM), Cfg::kThreads>>>(A, B, C, N, K);
}

void gemm(const half *A, const half *B, float *C, int M, int N, int K) {
  if (M % 64 == 0 && N % 32 == 0)
    run<2, 2, 2, 2>(A, B, C, M, N, K);
  else if (N % 32 == 0)
    run<1, 2, 1, 2>(A, B, C, M, N, K);
  else
    run<2, 1, 1, 3>(A, B, C, M, N, K);
}
