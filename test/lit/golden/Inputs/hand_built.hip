// Fragments from plain loads; the m16n8k8 product in tf32 takes rounded floats.
#include <stdint.h>
#include <hip/hip_runtime.h>

#include "layout_port_runtime.h"

__device__ __forceinline__ uint32_t tf32(float x) {
  uint32_t r;
  r = lp::cvt_tf32_rna(x);
  return r;
}

__global__ void handBuilt(const float *A, const float *B, float *C, int K) {
  const int lane = threadIdx.x & 0x1f, warp = threadIdx.x >> 5;
  const int row = warp * 16 + (lane >> 2), quad = lane & 3;
  float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
  for (int k = 0; k < K; k += 8) {
    const uint32_t a0 = tf32(A[row * K + k + quad]), a1 = tf32(A[(row + 8) * K + k + quad]);
    const uint32_t a2 = tf32(A[row * K + k + quad + 4]), a3 = tf32(A[(row + 8) * K + k + quad + 4]);
    const uint32_t b0 = tf32(B[(k + quad) * 8 + (lane >> 2)]);
    const uint32_t b1 = tf32(B[(k + quad + 4) * 8 + (lane >> 2)]);
    do { unsigned ptx_unused; ptx_unused = (unsigned)b0; lp::mma_m16n8k8_f32_tf32(c0, c1, c2, c3, a0, a1, a2, a3, ptx_unused, b1, c0, c1, c2, c3); } while (0);
  }
  float2 *c = reinterpret_cast<float2 *>(C + row * 8 + quad * 2);
  c[0] = make_float2(c0, c1);
  c[8 * 8 / 2] = make_float2(c2, c3);
}
