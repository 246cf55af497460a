// A block that is padded has no layers that could be counted in its whole waves.
// RUN: %layout-port %s -o %t.hip --warp-blocks=pad --target gfx942 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

// CHECK: layered is not native: it reads threadIdx.z, and its blocks of 3 warps would be padded ({{.*}}odd_layers.cu:[[@LINE+1]])
__global__ void layered(const uint32_t *A, const uint32_t *B, float *C) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 + threadIdx.z;
  float c[4] = {};
  uint32_t a[4], b[2];
  for (int r = 0; r < 4; ++r)
    a[r] = A[(warp * 4 + r) * 32 + lane];
  for (int r = 0; r < 2; ++r)
    b[r] = B[r * 32 + lane];
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  for (int r = 0; r < 4; ++r)
    C[(warp * 4 + r) * 32 + lane] = c[r];
}
void run(uint32_t *A, uint32_t *B, float *C) { layered<<<1, 96>>>(A, B, C); }
