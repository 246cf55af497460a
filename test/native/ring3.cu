// A cp.async ring of three stages; the fragments of the next k step are loaded into the
// other half of ping-pong registers while this one multiplies.
//
// RUN: %prove --launch %S/ring3.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define STAGES 3
#define BM 64
#define BN 32
#define BK 32

#define CP_ASYNC_CG(dst, src, bytes)                                                               \
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2;\n" ::"r"(dst), "l"(src),        \
               "n"(bytes))
#define CP_ASYNC_COMMIT_GROUP() asm volatile("cp.async.commit_group;\n" ::)
#define CP_ASYNC_WAIT_GROUP(n) asm volatile("cp.async.wait_group %0;\n" ::"n"(n))
#define LDMATRIX_X2(R0, R1, addr)                                                                  \
  asm volatile("ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%0, %1}, [%2];\n"                        \
               : "=r"(R0), "=r"(R1)                                                                \
               : "r"(addr))
#define LDMATRIX_X4(R0, R1, R2, R3, addr)                                           \
  asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\n" \
               : "=r"(R0), "=r"(R1), "=r"(R2), "=r"(R3) : "r"(addr))

__device__ __forceinline__ int swizzle(int row, int col) {
  return row * BK + (((col / 8) ^ (row / 2 & 3)) * 8) + col % 8;
}

__global__ void __launch_bounds__(64) ring3(const half *A, const half *B, float *C, int N, int K) {
  extern __shared__ __align__(16) half smem[];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  auto stageA = [&](int s) { return smem + s * (BM + BN) * BK; };
  auto stageB = [&](int s) { return smem + s * (BM + BN) * BK + BM * BK; };
  auto fetch = [&](int tile) {
    const int s = tile % STAGES;
    for (int i = 0; i < 4; ++i) {
      const int row = i * 16 + threadIdx.x / 4, col = threadIdx.x % 4 * 8;
      CP_ASYNC_CG((uint32_t)__cvta_generic_to_shared(stageA(s) + swizzle(row, col)),
                  &A[(blockIdx.y * BM + row) * K + tile * BK + col], 16);
    }
    for (int i = 0; i < 2; ++i) {
      const int row = i * 16 + threadIdx.x / 4, col = threadIdx.x % 4 * 8;
      CP_ASYNC_CG((uint32_t)__cvta_generic_to_shared(stageB(s) + swizzle(row, col)),
                  &B[(blockIdx.x * BN + row) * K + tile * BK + col], 16);
    }
  };

  uint32_t RA[2][2][4], RB[2][4][2]; // [ping-pong][tile][register]
  float RC[2][4][4] = {};
  auto load = [&](int reg, int s, int k) {
    for (int i = 0; i < 2; ++i) {
      uint32_t p = __cvta_generic_to_shared(
          stageA(s) + swizzle(warp * 32 + i * 16 + lane % 16, k + lane / 16 * 8));
      LDMATRIX_X4(RA[reg][i][0], RA[reg][i][1], RA[reg][i][2], RA[reg][i][3], p);
    }
    for (int j = 0; j < 4; ++j) {
      uint32_t p =
          __cvta_generic_to_shared(stageB(s) + swizzle(j * 8 + lane % 8, k + lane / 8 % 2 * 8));
      LDMATRIX_X2(RB[reg][j][0], RB[reg][j][1], p);
    }
  };

  const int tiles = K / BK;
  for (int t = 0; t < STAGES - 1; ++t) {
    if (t < tiles) fetch(t);
    CP_ASYNC_COMMIT_GROUP();
  }
  CP_ASYNC_WAIT_GROUP(1);
  __syncthreads();
  load(0, 0, 0);
  for (int t = 0; t < tiles; ++t) {
    if (t + STAGES - 1 < tiles) fetch(t + STAGES - 1);
    CP_ASYNC_COMMIT_GROUP();
#pragma unroll
    for (int step = 0; step < 2; ++step) {
      if (step == 1) {
        CP_ASYNC_WAIT_GROUP(1);
        __syncthreads();
      }
      if (step == 0)
        load(1, t % STAGES, 16);
      else if (t + 1 < tiles)
        load(0, (t + 1) % STAGES, 0);
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                       "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                       : "+f"(RC[i][j][0]), "+f"(RC[i][j][1]), "+f"(RC[i][j][2]), "+f"(RC[i][j][3])
                       : "r"(RA[step][i][0]), "r"(RA[step][i][1]), "r"(RA[step][i][2]),
                         "r"(RA[step][i][3]), "r"(RB[step][j][0]), "r"(RB[step][j][1]));
    }
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) {
      float *c = &C[(blockIdx.y * BM + warp * 32 + i * 16 + lane / 4) * N + blockIdx.x * BN +
                    j * 8 + lane % 4 * 2];
      *(float2 *)c = {RC[i][j][0], RC[i][j][1]};
      *(float2 *)(c + 8 * N) = {RC[i][j][2], RC[i][j][3]};
    }
}
