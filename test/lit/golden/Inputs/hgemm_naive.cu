// One warp a 16x8 tile of C = A B^T, fragments through ldmatrix from a plain tile.
#include <cuda_fp16.h>
#include <stdint.h>

#define LDMATRIX_X4(r, addr)                                                                       \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"                   \
               : "=r"((r)[0]), "=r"((r)[1]), "=r"((r)[2]), "=r"((r)[3])                            \
               : "r"(addr))
#define LDMATRIX_X2(r, addr)                                                                       \
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];\n"                         \
               : "=r"((r)[0]), "=r"((r)[1])                                                        \
               : "r"(addr))
#define HMMA16816(c, a, b)                                                                         \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, "        \
               "{%6,%7}, {%0,%1};\n"                                                               \
               : "+r"((c)[0]), "+r"((c)[1])                                                        \
               : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"((b)[0]), "r"((b)[1]))

__global__ void hgemmNaive(const half *__restrict__ A, const half *__restrict__ B,
                           half *__restrict__ C, int M, int N, int K) {
  __shared__ half tileA[16][16];
  __shared__ half tileB[8][16];
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.y * 16, col = blockIdx.x * 8;
  uint32_t c[2] = {0, 0};
  for (int k = 0; k < K; k += 16) {
    *(int4 *)&tileA[lane / 2][lane % 2 * 8] =
        *(const int4 *)&A[(row + lane / 2) * K + k + lane % 2 * 8];
    if (lane < 16)
      *(int4 *)&tileB[lane / 2][lane % 2 * 8] =
          *(const int4 *)&B[(col + lane / 2) * K + k + lane % 2 * 8];
    __syncthreads();
    uint32_t a[4], b[2];
    LDMATRIX_X4(a, (uint32_t)__cvta_generic_to_shared(&tileA[lane % 16][lane / 16 * 8]));
    LDMATRIX_X2(b, (uint32_t)__cvta_generic_to_shared(&tileB[lane % 8][lane / 8 % 2 * 8]));
    HMMA16816(c, a, b);
    __syncthreads();
  }
  *(uint32_t *)&C[(row + lane / 4) * N + col + lane % 4 * 2] = c[0];
  *(uint32_t *)&C[(row + lane / 4 + 8) * N + col + lane % 4 * 2] = c[1];
}
