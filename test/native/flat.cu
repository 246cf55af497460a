// Fragments behind each other in one array, as generated code has them: halves seen as
// words through casts, two tiles along n an unrolled step, and word arrays whose tiles are
// passed by address.
//
// RUN: %prove --launch %S/flat.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s --check-prefix=TIER
// RUN: %ported %t.hip | FileCheck %s --check-prefix=TEXT
// TIER-NOT: is not native
// TIER: native {{.*}} native
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void mma(float *d, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// TEXT-LABEL: flat(
// TEXT: lp::load_a(lp::tile<unsigned int, 4>(A_warp, i),
// TEXT: lp::load_b_tiles(lp::tile<unsigned int, 2>(B_warp, j * 2), lp::tile<unsigned int, 2>(B_warp, j * 2 + 1),
// TEXT: lp::mma_m16n8k16_f32_f16_wave(lp::tile<float, 4>(C_warp, i * 4 + (j * 2)), lp::tile<unsigned int, 4>(A_warp, i), lp::tile<unsigned int, 2>(B_warp, j * 2), 0);
// TEXT: lp::each_pair(lp::tile<float, 4>(C_warp, i * 4 + j), j, [&](int lane, int warp, int j, int lower, const auto &pair) {
// TEXT: __float2half(pair[e & 1]);
__global__ void __launch_bounds__(64) flat(const half *A, const half *B, half *C, int N, int K) {
  __shared__ __align__(16) half sA[64 * 24], sB[32 * 24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  half A_warp[16], B_warp[16];
  float C_warp[32];
  for (int i = 0; i < 32; ++i)
    C_warp[i] = 0.0f;
  for (int k = 0; k < K; k += 16) {
    for (int v = threadIdx.x; v < 128; v += 64)
      *(uint4 *)&sA[v / 2 * 24 + v % 2 * 8] =
          *(const uint4 *)&A[(blockIdx.y * 64 + v / 2) * K + k + v % 2 * 8];
    *(uint4 *)&sB[threadIdx.x / 2 * 24 + threadIdx.x % 2 * 8] =
        *(const uint4 *)&B[(blockIdx.x * 32 + threadIdx.x / 2) * K + k + threadIdx.x % 2 * 8];
    __syncthreads();
    for (int i = 0; i < 2; ++i) {
      unsigned int addr;
      asm volatile("{ .reg .u64 addr; cvta.to.shared.u64 addr, %1; cvt.u32.u64 %0, addr; }\n"
                   : "=r"(addr)
                   : "l"((void *)(&sA[(warp * 2 + i) * 384] + lane % 16 * 24 + lane / 16 * 8)));
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                   : "=r"(((unsigned *)(A_warp + i * 8))[0]), "=r"(((unsigned *)(A_warp + i * 8))[1]),
                     "=r"(((unsigned *)(A_warp + i * 8))[2]), "=r"(((unsigned *)(A_warp + i * 8))[3])
                   : "r"(addr));
    }
    for (int j = 0; j < 2; ++j) {
      unsigned int addr;
      asm volatile("{ .reg .u64 addr; cvta.to.shared.u64 addr, %1; cvt.u32.u64 %0, addr; }\n"
                   : "=r"(addr)
                   : "l"((void *)(&sB[j * 384] + ((lane >> 4) * 8 + lane % 8) * 24 + (lane & 8))));
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                   : "=r"(((unsigned *)(B_warp + j * 8))[0]), "=r"(((unsigned *)(B_warp + j * 8))[1]),
                     "=r"(((unsigned *)(B_warp + j * 8))[2]), "=r"(((unsigned *)(B_warp + j * 8))[3])
                   : "r"(addr));
    }
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        mma(C_warp + i * 16 + j * 8, (unsigned *)(A_warp + i * 8), (unsigned *)(B_warp + j * 8));
        mma(C_warp + (i * 16 + j * 8 + 4), (unsigned *)(A_warp + i * 8),
            (unsigned *)(B_warp + j * 8 + 4));
      }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int e = 0; e < 4; ++e)
        C[(blockIdx.y * 64 + warp * 32 + i * 16 + lane / 4 + e / 2 * 8) * N + blockIdx.x * 32 +
          j * 8 + lane % 4 * 2 + e % 2] = __float2half(C_warp[i * 16 + j * 4 + e]);
}
