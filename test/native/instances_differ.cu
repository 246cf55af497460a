// Instances of one template that multiply other types, in other numbers of tiles: what differs
// between them stands under the condition that tells them apart, and no others compile.
//
// RUN: %prove --launch %S/instances_differ.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.one.hip --target gfx942
// RUN: %ported %t.one.hip | FileCheck %s
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

template <typename T> struct MmaTraits;

template <> struct MmaTraits<__half> {
  static __device__ __forceinline__ void mma(float *d, const uint32_t *a, const uint32_t *b) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  static __device__ __forceinline__ __half from(float f) { return __float2half_rn(f); }
};
template <> struct MmaTraits<__nv_bfloat16> {
  static __device__ __forceinline__ void mma(float *d, const uint32_t *a, const uint32_t *b) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  static __device__ __forceinline__ __nv_bfloat16 from(float f) { return __float2bfloat16_rn(f); }
};

template <typename T, int WarpsM, int WarpsN, int TilesM, int TilesN>
__launch_bounds__(WarpsM *WarpsN * 32) __global__ void
    // CHECK-LABEL: matmul(
    // CHECK: static_assert((__is_same(T, __half) && WarpsM == 2
    // CHECK: if constexpr (__is_same(T, __half)){{$}}
    // CHECK-NEXT: lp::mma_m16n8k16_f32_f16_wave(acc[i][j],
    // CHECK-NEXT: else
    // CHECK-NEXT: lp::mma_m16n8k16_f32_bf16_wave(acc[i][j & ~1], acc[i][j | 1],
    // CHECK-NEXT: __syncthreads
    matmul(const T *__restrict__ A, const T *__restrict__ B, T *__restrict__ C, int N, int K) {
  using Traits = MmaTraits<T>;
  constexpr int BM = WarpsM * TilesM * 16, BN = WarpsN * TilesN * 8, BK = 16,
                NT = WarpsM * WarpsN * 32;
  __shared__ __align__(16) T As[BM][BK + 8];
  __shared__ __align__(16) T Bs[BK][BN + 8];

  int lane = threadIdx.x % 32;
  int warpM = threadIdx.x / 32 / WarpsN, warpN = threadIdx.x / 32 % WarpsN;
  float acc[TilesM][TilesN][4] = {};

  for (int k = 0; k < K; k += BK) {
    for (int i = threadIdx.x; i < BM * BK / 8; i += NT)
      reinterpret_cast<uint4 &>(As[i / 2][i % 2 * 8]) =
          reinterpret_cast<const uint4 &>(A[(blockIdx.y * BM + i / 2) * K + k + i % 2 * 8]);
    for (int i = threadIdx.x; i < BK * BN / 8; i += NT)
      reinterpret_cast<uint4 &>(Bs[i / (BN / 8)][i % (BN / 8) * 8]) =
          reinterpret_cast<const uint4 &>(
              B[(k + i / (BN / 8)) * N + blockIdx.x * BN + i % (BN / 8) * 8]);
    __syncthreads();

    uint32_t fragA[TilesM][4], fragB[TilesN][2];
#pragma unroll
    for (int i = 0; i < TilesM; ++i) {
      uint32_t addr =
          __cvta_generic_to_shared(&As[(warpM * TilesM + i) * 16 + (lane & 15)][(lane & 16) >> 1]);
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(fragA[i][0]), "=r"(fragA[i][1]), "=r"(fragA[i][2]), "=r"(fragA[i][3])
                   : "r"(addr));
    }
#pragma unroll
    for (int j = 0; j < TilesN; ++j) {
      uint32_t addr = __cvta_generic_to_shared(&Bs[lane & 15][(warpN * TilesN + j) * 8]);
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                   : "=r"(fragB[j][0]), "=r"(fragB[j][1])
                   : "r"(addr));
    }
#pragma unroll
    for (int i = 0; i < TilesM; ++i)
#pragma unroll
      for (int j = 0; j < TilesN; ++j)
        Traits::mma(acc[i][j], fragA[i], fragB[j]);
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < TilesM; ++i)
#pragma unroll
    for (int j = 0; j < TilesN; ++j)
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        int row = blockIdx.y * BM + (warpM * TilesM + i) * 16 + lane / 4 + (r / 2) * 8;
        int col = blockIdx.x * BN + (warpN * TilesN + j) * 8 + lane % 4 * 2 + r % 2;
        C[row * N + col] = Traits::from(acc[i][j][r]);
      }
}

template __global__ void matmul<__half, 2, 2, 1, 2>(const __half *, const __half *, __half *, int,
                                                    int);
template __global__ void matmul<__half, 1, 2, 3, 1>(const __half *, const __half *, __half *, int,
                                                    int);
template __global__ void matmul<__nv_bfloat16, 4, 1, 1, 4>(const __nv_bfloat16 *,
                                                           const __nv_bfloat16 *, __nv_bfloat16 *,
                                                           int, int);
