// Two mma sites in one kernel, A * B and A * B': what is said of one is not said of
// the other.
#include <cuda_runtime.h>

__global__ void products(const unsigned *a, const unsigned *b, const unsigned *c, float *first,
                         float *second, int k) {
  const int lane = threadIdx.x % 32, tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int row = lane / 4, pair = lane % 4;
  float x[4] = {}, y[4] = {};
  for (int step = 0; step < k; step += 8) { // in pairs of halves
    const unsigned *at = a + (tile * 16 + row) * k + step + pair;
    const unsigned *bt = b + row * k + step + pair, *ct = c + row * k + step + pair;
    const unsigned f[4] = {at[0], at[8 * k], at[4], at[8 * k + 4]};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3])
                 : "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3]), "r"(bt[0]), "r"(bt[4]));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(y[0]), "+f"(y[1]), "+f"(y[2]), "+f"(y[3])
                 : "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3]), "r"(ct[0]), "r"(ct[4]));
  }
  for (int i = 0; i < 4; ++i) {
    const int at = (tile * 16 + row + i / 2 * 8) * 8 + pair * 2 + i % 2;
    first[at] = x[i];
    second[at] = y[i];
  }
}
