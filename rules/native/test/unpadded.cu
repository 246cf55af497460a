// Blocks of one warp that --warp-blocks=pad cannot fill: the report says why, and asks for no more.
// RUN: %layout-port %s -o %t.hip --warp-blocks=pad --target gfx942 2>&1 | FileCheck %s --implicit-check-not=--warp-blocks
// CHECK-DAG: note: added is not native: it is launched with 32 threads a block, which leaves half a wave, and that is not filled: an atomic would be done twice ({{.*}}unpadded.cu:
// CHECK-DAG: note: added is launched with 32 threads a block ({{.*}}): its last half wave multiplies without MFMA; whole waves need a multiple of 64
#include <cuda_fp16.h>
#include <stdint.h>

__global__ void __launch_bounds__(32) added(const half *A, const half *B, float *C) {
  const int lane = threadIdx.x;
  const half *p = A + lane / 4 * 16 + lane % 4 * 2, *q = B + lane / 4 * 16 + lane % 4 * 2;
  const uint32_t a[4] = {*(const uint32_t *)p, *(const uint32_t *)(p + 128), *(const uint32_t *)(p + 8),
                         *(const uint32_t *)(p + 136)};
  const uint32_t b[2] = {*(const uint32_t *)q, *(const uint32_t *)(q + 8)};
  float c[4] = {};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  for (int e = 0; e < 4; ++e)
    atomicAdd(&C[(lane / 4 + e / 2 * 8) * 8 + lane % 4 * 2 + e % 2], c[e]);
}

void launch(const half *A, const half *B, float *C) { added<<<1, 32>>>(A, B, C); }
