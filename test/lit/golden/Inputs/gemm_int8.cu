// s8 products with saturation into s32, B loaded by hand, and a scale that is u8 by s8.
#include <cstdint>

static __device__ __forceinline__ void mmaS8(int32_t (&d)[4], uint32_t const (&a)[4],
                                             uint32_t const (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
static __device__ __forceinline__ void mmaMixed(int32_t (&d)[4], uint32_t const (&a)[4],
                                                uint32_t const (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
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
