// C[M,N] = A[M,K] * B[N,K]^T in f16, f16 accumulators: PTX in macros, fragments in
// plain uint32_t arrays, two warps a block, results written by lane/4 and lane%4.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define WARP_SIZE 32
#define TILE_M 32
#define TILE_N 8
#define TILE_K 16

#define LDMATRIX_X4(R0, R1, R2, R3, addr)                                             \
  asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\n"   \
               : "=r"(R0), "=r"(R1), "=r"(R2), "=r"(R3)                               \
               : "r"(addr))

#define LDMATRIX_X2(R0, R1, addr)                                           \
  asm volatile("ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%0, %1}, [%2];\n" \
               : "=r"(R0), "=r"(R1)                                         \
               : "r"(addr))

#define HMMA16816(D0, D1, A0, A1, A2, A3, B0, B1, C0, C1)                     \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, " \
               "{%2, %3, %4, %5}, {%6, %7}, {%8, %9};\n"                      \
               : "=r"(D0), "=r"(D1)                                           \
               : "r"(A0), "r"(A1), "r"(A2), "r"(A3), "r"(B0), "r"(B1), "r"(C0), "r"(C1))

__global__ void hgemmMacros(const half *__restrict__ A, const half *__restrict__ B,
                            half *__restrict__ C, int M, int N, int K) {
  __shared__ __align__(16) half tileA[TILE_M][TILE_K];
  __shared__ __align__(16) half tileB[TILE_N][TILE_K];

  const int lane = threadIdx.x % WARP_SIZE;
  const int warp = threadIdx.x / WARP_SIZE;
  const int row0 = blockIdx.y * TILE_M;
  const int col0 = blockIdx.x * TILE_N;

  uint32_t RC[2] = {0, 0};

  for (int k0 = 0; k0 < K; k0 += TILE_K) {
    // 64 threads copy 16 bytes of A each; 16 of them copy B as well.
    *(int4 *)&tileA[threadIdx.x / 2][threadIdx.x % 2 * 8] =
        *(const int4 *)&A[(row0 + threadIdx.x / 2) * K + k0 + threadIdx.x % 2 * 8];
    if (threadIdx.x < TILE_N * 2)
      *(int4 *)&tileB[threadIdx.x / 2][threadIdx.x % 2 * 8] =
          *(const int4 *)&B[(col0 + threadIdx.x / 2) * K + k0 + threadIdx.x % 2 * 8];
    __syncthreads();

    uint32_t RA[4], RB[2];
    uint32_t addrA = __cvta_generic_to_shared(&tileA[warp * 16 + lane % 16][lane / 16 * 8]);
    LDMATRIX_X4(RA[0], RA[1], RA[2], RA[3], addrA);
    uint32_t addrB = __cvta_generic_to_shared(&tileB[lane % 8][lane / 8 % 2 * 8]);
    LDMATRIX_X2(RB[0], RB[1], addrB);
    HMMA16816(RC[0], RC[1], RA[0], RA[1], RA[2], RA[3], RB[0], RB[1], RC[0], RC[1]);
    __syncthreads();
  }

  const int row = row0 + warp * 16 + lane / 4;
  const int col = col0 + lane % 4 * 2;
  *(uint32_t *)&C[row * N + col] = RC[0];
  *(uint32_t *)&C[(row + 8) * N + col] = RC[1];
}

void hgemm(const half *A, const half *B, half *C, int M, int N, int K, cudaStream_t stream) {
  const dim3 grid(N / TILE_N, M / TILE_M);
  hgemmMacros<<<grid, 2 * WARP_SIZE, 0, stream>>>(A, B, C, M, N, K);
  if (cudaGetLastError() != cudaSuccess)
    cudaDeviceSynchronize();
}
