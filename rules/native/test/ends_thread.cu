// asm that ends a thread is no return, and left to a person: what the person writes there must
// find CUDA's layout around it, so the kernel is not native.
// RUN: not %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
// CHECK-DAG: manual: exit: exit ends one thread, s_endpgm a whole wave: write return in the kernel
// CHECK-DAG: oneTile is not native: asm ends a thread in a kernel that handles fragments: write return (
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define WARP 32

__global__ void __launch_bounds__(64) oneTile(const half *A, const half *B, float *C, int M, int N, int K) {
  __shared__ half As[2][16][16];
  __shared__ half Bs[8][16]; // column-major B: [n][k]
  const int tid = threadIdx.x;
  const int warpId = tid / WARP, laneId = tid % WARP;
  const int tileM = (blockIdx.y * 2 + warpId) * 16, tileN = blockIdx.x * 8;

  if (tileM >= 48) asm volatile("exit;");
  float c[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int k = 0; k < K; k += 16) {
    for (int e = laneId; e < 256; e += WARP)
      As[warpId][e / 16][e % 16] = A[(tileM + e / 16) * K + k + e % 16];
    for (int e = tid; e < 128; e += 2 * WARP)
      Bs[e / 16][e % 16] = B[(tileN + e / 16) * K + k + e % 16];
    __syncthreads();

    uint32_t a[4], b[2];
    uint32_t pa = (uint32_t)__cvta_generic_to_shared(&As[warpId][laneId % 16][(laneId / 16) * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"(pa));
    uint32_t pb = (uint32_t)__cvta_generic_to_shared(&Bs[laneId % 8][(laneId / 8 % 2) * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(b[0]), "=r"(b[1])
                 : "r"(pb));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    __syncthreads();
  }

  const int group = laneId >> 2, inGroup = laneId & 3;
  C[(tileM + group) * N + tileN + inGroup * 2] = c[0];
  C[(tileM + group) * N + tileN + inGroup * 2 + 1] = c[1];
  C[(tileM + group + 8) * N + tileN + inGroup * 2] = c[2];
  C[(tileM + group + 8) * N + tileN + inGroup * 2 + 1] = c[3];
}
