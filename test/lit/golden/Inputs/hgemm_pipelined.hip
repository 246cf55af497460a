// Three stages of cp.async in flight, a padded ring of tiles, and the host part.
#include <cstdio>
#include <hip/hip_bf16.h>
#include <hip/hip_runtime.h>

#include "layout_port_runtime.h"

#define CUDA_CHECK(call)                                                                           \
  do {                                                                                             \
    hipError_t err = (call);                                                                      \
    if (err != hipSuccess)                                                                        \
      fprintf(stderr, "%s\n", hipGetErrorString(err));                                            \
  } while (0)

constexpr int BM = 32, BN = 32, BK = 16, PAD = 8, STAGES = 3;

#define CP_ASYNC_CG(dst, src, Bytes)                                                               \
  lp::cp_async<Bytes>(dst, src)
#define CP_ASYNC_COMMIT_GROUP() lp::cp_async_commit()
#define CP_ASYNC_WAIT_GROUP(N) lp::cp_async_wait(N)

struct Tiles {
  __hip_bfloat16 a[STAGES][BM][BK + PAD];
  __hip_bfloat16 b[STAGES][BN][BK + PAD];
};

__device__ unsigned smem(const void *p) { return (unsigned)lp::cvta_generic_to_shared(p); }

__global__ void gemmPipelined(const __hip_bfloat16 *A, const __hip_bfloat16 *B, float *C, int N,
                              int K) {
  extern __shared__ __align__(16) char storage[];
  Tiles &tiles = *reinterpret_cast<Tiles *>(storage);
  const int tid = threadIdx.x, lane = tid % 32 /* warpSize */, warp = tid / 32 /* warpSize */;
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
    lp::ldmatrix_x4(a[0], a[1], a[2], a[3], smem(&tiles.a[k % STAGES][wm + lane % 16][lane / 16 * 8]));
    for (int j = 0; j < 2; ++j) {
      lp::ldmatrix_x2(b[j][0], b[j][1], smem(&tiles.b[k % STAGES][wn + j * 8 + lane % 8][lane / 8 % 2 * 8]));
      lp::mma_m16n8k16_f32_bf16(acc[j][0], acc[j][1], acc[j][2], acc[j][3], a[0], a[1], a[2], a[3], b[j][0], b[j][1], acc[j][0], acc[j][1], acc[j][2], acc[j][3]);
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 4; ++i)
      C[(blockIdx.y * BM + wm + lane / 4 + i / 2 * 8) * N + blockIdx.x * BN + wn + j * 8 +
        lane % 4 * 2 + i % 2] = acc[j][i];
}

void run(const __hip_bfloat16 *A, const __hip_bfloat16 *B, float *C, int M, int N, int K,
         hipStream_t stream) {
  CUDA_CHECK(hipFuncSetAttribute(reinterpret_cast<const void *>(gemmPipelined), hipFuncAttributeMaxDynamicSharedMemorySize,
                                  sizeof(Tiles)));
  dim3 grid(N / BN, M / BM);
  gemmPipelined<<<grid, 128, sizeof(Tiles), stream>>>(A, B, C, N, K);
  CUDA_CHECK(hipGetLastError());
  CUDA_CHECK(hipStreamSynchronize(stream));
}
