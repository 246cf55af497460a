// Three stages of cp.async in flight, a padded ring of tiles, and the host part.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#define CUDA_CHECK(call)                                                                           \
  do {                                                                                             \
    cudaError_t err = (call);                                                                      \
    if (err != cudaSuccess)                                                                        \
      fprintf(stderr, "%s\n", cudaGetErrorString(err));                                            \
  } while (0)

constexpr int BM = 32, BN = 32, BK = 16, PAD = 8, STAGES = 3;

#define CP_ASYNC_CG(dst, src, Bytes)                                                               \
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2;\n" ::"r"(dst), "l"(src),        \
               "n"(Bytes))
#define CP_ASYNC_COMMIT_GROUP() asm volatile("cp.async.commit_group;\n" ::)
#define CP_ASYNC_WAIT_GROUP(N) asm volatile("cp.async.wait_group %0;\n" ::"n"(N))

struct Tiles {
  __nv_bfloat16 a[STAGES][BM][BK + PAD];
  __nv_bfloat16 b[STAGES][BN][BK + PAD];
};

__device__ unsigned smem(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__global__ void gemmPipelined(const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C, int N,
                              int K) {
  extern __shared__ __align__(16) char storage[];
  Tiles &tiles = *reinterpret_cast<Tiles *>(storage);
  const int tid = threadIdx.x, lane = tid % warpSize, warp = tid / warpSize;
  const int wm = warp % 2 * 16, wn = warp / 2 * 16;
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN * K;
  auto fetch = [&](int stage, int k) {
    if (tid < 64)
      CP_ASYNC_CG(smem(&tiles.a[stage][tid / 2][tid % 2 * 8]), A + tid / 2 * K + k + tid % 2 * 8,
                  16);
    else
      CP_ASYNC_CG(smem(&tiles.b[stage][tid / 2 - 32][tid % 2 * 8]),
                  B + (tid / 2 - 32) * K + k + tid % 2 * 8, 16);
  };

  for (int s = 0; s < STAGES - 1; ++s) {
    fetch(s, s * BK);
    CP_ASYNC_COMMIT_GROUP();
  }
  float acc[2][4] = {};
  for (int k = 0; k < K / BK; ++k) {
    CP_ASYNC_WAIT_GROUP(STAGES - 2);
    __syncthreads();
    if (k + STAGES - 1 < K / BK)
      fetch((k + STAGES - 1) % STAGES, (k + STAGES - 1) * BK);
    CP_ASYNC_COMMIT_GROUP();
    unsigned a[4], b[2][2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"(smem(&tiles.a[k % STAGES][wm + lane % 16][lane / 16 * 8])));
    for (int j = 0; j < 2; ++j) {
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                   : "=r"(b[j][0]), "=r"(b[j][1])
                   : "r"(smem(&tiles.b[k % STAGES][wn + j * 8 + lane % 8][lane / 8 % 2 * 8])));
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, "
                   "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                   : "+f"(acc[j][0]), "+f"(acc[j][1]), "+f"(acc[j][2]), "+f"(acc[j][3])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[j][0]), "r"(b[j][1]));
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 4; ++i)
      C[(blockIdx.y * BM + wm + lane / 4 + i / 2 * 8) * N + blockIdx.x * BN + wn + j * 8 +
        lane % 4 * 2 + i % 2] = acc[j][i];
}

void run(const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C, int M, int N, int K,
         cudaStream_t stream) {
  CUDA_CHECK(cudaFuncSetAttribute(gemmPipelined, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  sizeof(Tiles)));
  dim3 grid(N / BN, M / BM);
  gemmPipelined<<<grid, 128, sizeof(Tiles), stream>>>(A, B, C, N, K);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaStreamSynchronize(stream));
}
