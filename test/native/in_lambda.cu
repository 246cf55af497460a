// Loads and products in a lambda that is called in two loops: of the steady state, and of
// the tiles that are left; addresses are made in steps with a stage and an XOR.
//
// RUN: %prove --launch %S/in_lambda.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s --check-prefix=TIER
// TIER-NOT: is not native
// TIER: native {{.*}} native
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ inline void ldmatrix_x4(uint32_t r[4], uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}
__device__ inline void mma_m16n8k16(const uint32_t a[4], const uint32_t b[2], float d[4]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

constexpr int BM = 64, BN = 64, BK = 32, STAGES = 2, TILE = BM * BK * 2; // bytes

// Rows of 64 bytes: 16-byte chunk c of row r lies at c ^ (r / 2 % 4).
__device__ inline uint32_t swizzled(int row, int chunk) {
  return row * 64 + ((chunk ^ (row / 2 % 4)) * 16);
}

__global__ void __launch_bounds__(128)
    in_lambda(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(128) unsigned char shm[STAGES * 2 * TILE];
  const int tid = threadIdx.x, warp_id = tid / 32, lane_id = tid % 32;
  const int warp_m = warp_id / 2, warp_n = warp_id % 2;
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(shm);
  uint32_t A_regs[2][4], B_regs[4][2];
  float acc[2][4][4] = {};

  const uint32_t A_thread = base + swizzled(warp_m * 32 + lane_id % 16, lane_id / 16);
  const uint32_t B_thread =
      base + TILE + swizzled(warp_n * 32 + lane_id % 8 + lane_id / 16 * 8, lane_id % 16 / 8);

  auto load = [&](int it) {
    unsigned char *to = shm + it % STAGES * 2 * TILE;
    for (int v = tid; v < BM * 4; v += 128) {
      *(uint4 *)&to[swizzled(v / 4, v % 4)] =
          *(const uint4 *)&A[(blockIdx.y * BM + v / 4) * K + it * BK + v % 4 * 8];
      *(uint4 *)&to[TILE + swizzled(v / 4, v % 4)] =
          *(const uint4 *)&B[(blockIdx.x * BN + v / 4) * K + it * BK + v % 4 * 8];
    }
  };
  auto compute = [&](int it) {
    for (int k = 0; k < BK / 16; k++) {
      for (int m = 0; m < 2; m++) {
        uint32_t at = A_thread + it % STAGES * 2 * TILE;
        at += m * 16 * 64;
        ldmatrix_x4(A_regs[m], at ^ (k * 32));
      }
      for (int n = 0; n < 4; n += 2) {
        uint32_t at = B_thread + it % STAGES * 2 * TILE;
        at += n * 8 * 64;
        ldmatrix_x4(B_regs[n], at ^ (k * 32));
      }
      for (int m = 0; m < 2; m++)
        for (int n = 0; n < 4; n++)
          mma_m16n8k16(A_regs[m], B_regs[n], acc[m][n]);
    }
  };

  const int steps = K / BK;
  load(0);
  for (int it = 0; it < steps - 1; it++) {
    load(it + 1);
    __syncthreads();
    compute(it);
    __syncthreads();
  }
  for (int it = steps - 1; it < steps; it++) {
    __syncthreads();
    compute(it);
  }
  for (int m = 0; m < 2; m++)
    for (int n = 0; n < 4; n++)
      for (int e = 0; e < 4; e++)
        C[(blockIdx.y * BM + warp_m * 32 + m * 16 + lane_id / 4 + e / 2 * 8) * N + blockIdx.x * BN +
          warp_n * 32 + n * 8 + lane_id % 4 * 2 + e % 2] = acc[m][n][e];
}
