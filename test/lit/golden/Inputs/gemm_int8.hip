// s8 products with saturation into s32, B loaded by hand, and a scale that is u8 by s8.
#include <cstdint>
#include <hip/hip_runtime.h>

#include "layout_port_runtime.h"

static __device__ __forceinline__ void mmaS8(int32_t (&d)[4], uint32_t const (&a)[4],
                                             uint32_t const (&b)[2]) {
  lp::mma_m16n8k32_s32_s8_satfinite(d[0], d[1], d[2], d[3], a[0], a[1], a[2], a[3], b[0], b[1], d[0], d[1], d[2], d[3]);
}
static __device__ __forceinline__ void mmaMixed(int32_t (&d)[4], uint32_t const (&a)[4],
                                                uint32_t const (&b)[2]) {
  lp::mma_m16n8k32_s32_u8_s8(d[0], d[1], d[2], d[3], a[0], a[1], a[2], a[3], b[0], b[1], d[0], d[1], d[2], d[3]);
}

__global__ void gemmInt8(const int8_t *A, const int8_t *B, int32_t *C, int32_t *D, int N, int K) {
  const int lane = threadIdx.x, group = lane >> 2, quad = lane & 3;
  const int8_t *a = A + (blockIdx.y * blockDim.y + threadIdx.y) * 16 * K;
  const int8_t *b = B + blockIdx.x * 8 * K;
  int32_t acc[4] = {0, 0, 0, 0}, mixed[4] = {0, 0, 0, 0};
  for (int k = 0; k < K; k += 32) {
    uint32_t fa[4], fb[2];
    for (int i = 0; i < 4; ++i)
      fa[i] = *(const uint32_t *)(a + (group + i % 2 * 8) * K + k + quad * 4 + i / 2 * 16);
    for (int i = 0; i < 2; ++i)
      fb[i] = *(const uint32_t *)(b + group * K + k + quad * 4 + i * 16);
    mmaS8(acc, fa, fb);
    mmaMixed(mixed, fa, fb);
  }
  const int row = (blockIdx.y * blockDim.y + threadIdx.y) * 16 + group;
  for (int i = 0; i < 4; ++i) {
    const int at = (row + i / 2 * 8) * N + blockIdx.x * 8 + quad * 2 + i % 2;
    C[at] = acc[i];
    D[at] = mixed[i];
  }
}
