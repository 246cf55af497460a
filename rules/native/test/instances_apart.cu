// Instances of one template whose epilogues differ: what one of them alone would have put in (its
// elements handed on by tiles, where the other shuffles them) must not stand beside what the other has.
// RUN: %layout-port %s -o %t.hip --target gfx942 --verify --launch %S/Inputs/instances_apart.yaml 2>&1 | FileCheck %s
// RUN: %ported %t.hip | FileCheck %s --check-prefix=OUT
// CHECK: verify gfx942: proved:
// OUT-NOT: each_pair(acc
// OUT: if constexpr (Rotates)
// OUT-NEXT: *lp::of_element<1>(r, [&](int lane, int warp, int r) {
// OUT: }) = lp::shfl_xor_wave(acc[j][r], 16);
// OUT-NEXT: else
// OUT-NEXT: *lp::of_element<1>(r, [&](int lane, int warp, int r) {
// OUT: }) = acc[j][r];
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void mma(float *d, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <int TilesN, bool Rotates>
__global__ void __launch_bounds__(64) product(const half *A, const half *B, float *C, int K) {
  constexpr int N = TilesN * 8;
  __shared__ __align__(16) half sA[32][24], sB[16][N + 8];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[TilesN][4] = {};
  for (int k = 0; k < K; k += 16) {
    *(uint4 *)&sA[threadIdx.x / 2][threadIdx.x % 2 * 8] =
        *(const uint4 *)&A[threadIdx.x / 2 * K + k + threadIdx.x % 2 * 8];
    for (int i = threadIdx.x; i < 16 * TilesN; i += 64)
      *(uint4 *)&sB[i / TilesN][i % TilesN * 8] =
          *(const uint4 *)&B[(k + i / TilesN) * N + i % TilesN * 8];
    __syncthreads();
    uint32_t a[4], b[TilesN][2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(
                     &sA[warp * 16 + lane % 16][lane / 16 * 8])));
    for (int j = 0; j < TilesN; ++j)
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                   : "=r"(b[j][0]), "=r"(b[j][1])
                   : "r"((uint32_t)__cvta_generic_to_shared(&sB[lane % 16][j * 8])));
    for (int j = 0; j < TilesN; ++j)
      mma(acc[j], a, b[j]);
    __syncthreads();
  }
  for (int j = 0; j < TilesN; ++j)
    for (int r = 0; r < 4; ++r) {
      const int row = warp * 16 + lane / 4 + r / 2 * 8, col = j * 8 + lane % 4 * 2 + r % 2;
      if constexpr (Rotates)
        C[row * N + col] = __shfl_xor_sync(0xffffffff, acc[j][r], 16);
      else
        C[row * N + col] = acc[j][r];
    }
}

template __global__ void product<2, true>(const half *, const half *, float *, int);
template __global__ void product<1, false>(const half *, const half *, float *, int);
template __global__ void product<2, false>(const half *, const half *, float *, int);
