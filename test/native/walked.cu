// Addresses that walk: A's rises with the stage, B's goes to and fro between two halves, and the
// order of B's rows is read from a table. None can be computed anew where it is used.
//
// RUN: %prove --launch %S/walked.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s --check-prefix=TIER
// TIER-NOT: is not native
// TIER: native {{.*}} native
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void __launch_bounds__(128)
    walked(const half *A, const half *B, const int *order, float *C, int N, int K) {
  __shared__ __align__(16) half sA[4][64 * 16];
  __shared__ __align__(16) half sB[2][16 * 24];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const int row = order[lane & 7]; // B's rows lie in shared memory in this order
  float acc[2][4] = {};

  uint32_t pa = (uint32_t)__cvta_generic_to_shared(&sA[0][(warp * 16 + lane % 16) * 16 + lane / 16 * 8]);
  uint32_t pb = (uint32_t)__cvta_generic_to_shared(&sB[0][row * 24 + lane / 8 % 2 * 8]);
  for (int k = 0, stage = 0; k < K; k += 16, stage = (stage + 1) & 3) {
    half *toA = sA[stage], *toB = sB[k / 16 & 1];
    *(uint4 *)&toA[threadIdx.x * 8] =
        *(const uint4 *)&A[(blockIdx.y * 64 + threadIdx.x / 2) * K + k + threadIdx.x % 2 * 8];
    if (threadIdx.x < 32) {
      const int n = threadIdx.x / 2, to = order[n & 7] + (n & 8);
      *(uint4 *)&toB[to * 24 + threadIdx.x % 2 * 8] =
          *(const uint4 *)&B[(blockIdx.x * 16 + n) * K + k + threadIdx.x % 2 * 8];
    }
    __syncthreads();
    uint32_t a[4], b[2][2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(pa));
#pragma unroll
    for (int j = 0; j < 2; ++j)
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                   : "=r"(b[j][0]), "=r"(b[j][1]) : "r"(pb + j * 8 * 48));
#pragma unroll
    for (int j = 0; j < 2; ++j)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                   "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                   : "+f"(acc[j][0]), "+f"(acc[j][1]), "+f"(acc[j][2]), "+f"(acc[j][3])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[j][0]), "r"(b[j][1]));
    pa += stage == 3 ? -3 * 2048 : 2048;
    pb += k / 16 & 1 ? -768 : 768;
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 2; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.y * 64 + warp * 16 + lane / 4 + e / 2 * 8) * N + blockIdx.x * 16 + j * 8 +
        lane % 4 * 2 + e % 2] = acc[j][e];
}
