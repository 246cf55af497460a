// Warp-specialised: warp 0 copies, warps 1 and 2 multiply, warp 3 sums the rows of A. The
// warps of a wave do different things, so no wave is whole at the mma.
//
// RUN: %prove --launch %S/roles.yaml 2>&1 | FileCheck %s
// CHECK-NOT: {{refuted|: manual:|could not}}
// CHECK: tensor-mma {{.*}} bridged
// CHECK: verify gfx90a: proved:
// CHECK: verify gfx942: proved:
// CHECK: verify gfx950: proved:
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

enum Role { Producer = 0, RowSums = 3 };

__global__ void roles(const half *A, const half *B, float *C, float *sums, int N, int K) {
  __shared__ __align__(16) half sA[2][32][16], sB[2][8][16];
  const int warp = threadIdx.x / 32, lane = threadIdx.x & 31, steps = K / 16;
  float c[4] = {0.f, 0.f, 0.f, 0.f}, sum = 0.f;
  for (int s = 0; s <= steps; ++s) {
    const int to = s & 1, from = to ^ 1;
    if (warp == Producer) {
      if (s < steps) {
        for (int i = lane; i < 64; i += 32)
          *(int4 *)&sA[to][i / 2][i % 2 * 8] =
              *(const int4 *)&A[(blockIdx.y * 32 + i / 2) * K + s * 16 + i % 2 * 8];
        if (lane < 16)
          *(int4 *)&sB[to][lane / 2][lane % 2 * 8] =
              *(const int4 *)&B[(blockIdx.x * 8 + lane / 2) * K + s * 16 + lane % 2 * 8];
      }
    } else if (warp == RowSums) {
      if (s > 0)
        for (int k = 0; k < 16; ++k)
          sum += __half2float(sA[from][lane][k]);
    } else if (s > 0) {
      uint32_t a[4], b[2];
      const int m = (warp - 1) * 16;
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                   : "r"((uint32_t)__cvta_generic_to_shared(
                       &sA[from][m + lane % 16][lane / 16 * 8])));
      asm volatile(
          "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
          : "=r"(b[0]), "=r"(b[1])
          : "r"((uint32_t)__cvta_generic_to_shared(&sB[from][lane % 8][lane / 8 % 2 * 8])));
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                   "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                   : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
    __syncthreads();
  }
  if (warp == RowSums) {
    if (blockIdx.x == 0)
      sums[blockIdx.y * 32 + lane] = sum;
  } else if (warp != Producer) {
    float *p =
        C + (blockIdx.y * 32 + (warp - 1) * 16 + lane / 4) * N + blockIdx.x * 8 + lane % 4 * 2;
    p[0] = c[0];
    p[1] = c[1];
    p[8 * N] = c[2];
    p[8 * N + 1] = c[3];
  }
}
