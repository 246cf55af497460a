// Fragments from plain loads; the m16n8k8 product in tf32 takes rounded floats.
#include <stdint.h>

__device__ __forceinline__ uint32_t tf32(float x) {
  uint32_t r;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
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
    asm volatile("{\n\t"
                 ".reg .b32 unused;\n\t"
                 "mov.b32 unused, %8;\n\t"
                 "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {unused, %9}, {%0, %1, %2, %3};\n\t"
                 "}"
                 : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  }
  float2 *c = reinterpret_cast<float2 *>(C + row * 8 + quad * 2);
  c[0] = make_float2(c0, c1);
  c[8 * 8 / 2] = make_float2(c2, c3);
}
