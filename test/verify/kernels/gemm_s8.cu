// int8 GEMM with mma.m16n8k32 on fragments built by plain loads, then a requantised
// store: shift, clamp, pack four bytes.
#include <cuda_runtime.h>

__global__ void gemmInt8(const signed char *a, const signed char *bt, int *c,
                         unsigned char *packedOut, int n, int k) {
  const int lane = threadIdx.x & 31, group = lane >> 2, quad = lane & 3;
  const int row = blockIdx.y * 16 + group, col = blockIdx.x * 16 + (threadIdx.x >> 5) * 8;
  int acc[4] = {0, 0, 0, 0};
  for (int k0 = 0; k0 < k; k0 += 32) {
    unsigned fa[4], fb[2];
    for (int i = 0; i < 4; ++i)
      fa[i] = *reinterpret_cast<const unsigned *>(a + (row + (i & 1) * 8) * k + k0 + quad * 4 +
                                                  (i >> 1) * 16);
    for (int i = 0; i < 2; ++i)
      fb[i] = *reinterpret_cast<const unsigned *>(bt + (col + group) * k + k0 + quad * 4 + i * 16);
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(acc[0]), "+r"(acc[1]), "+r"(acc[2]), "+r"(acc[3])
                 : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
  }
  for (int r = 0; r < 4; ++r) {
    const int at = (row + (r >> 1) * 8) * n + col + quad * 2 + (r & 1);
    c[at] = acc[r];
    packedOut[at] = static_cast<unsigned char>(min(max((acc[r] >> 7) + 128, 0), 255));
  }
}
