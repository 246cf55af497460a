// The trip count of the k loop depends on the warp, and some warps leave early: the two warps
// of a wave are not together at the mma.
//
// RUN: %prove --launch %S/divergent.yaml 2>&1 | FileCheck %s
// Trip counts that depend on data limit the claim: tested.
// CHECK-NOT: {{refuted|: manual:|could not}}
// CHECK: tensor-mma {{.*}} bridged
// CHECK: verify gfx90a: tested:
// CHECK: verify gfx942: tested:
// CHECK: verify gfx950: tested:
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// Block-sparse rows: warp w multiplies only the k tiles first[w] .. last[w].
__global__ void divergent(const half *A, const half *B, float *C, const int *first,
                          const int *last, int N, int K) {
  const int lane = threadIdx.x & 31, warp = blockIdx.x * 4 + (threadIdx.x >> 5);
  const int g = lane >> 2, q = (lane & 3) * 2;
  if (first[warp] >= last[warp])
    return;
  const half *a = A + (warp * 16 + g) * K + q, *b = B + g * K + q;
  float d[4] = {};
  for (int t = first[warp]; t < last[warp]; t++) {
    unsigned ra[4] = {*(const unsigned *)(a + t * 16), *(const unsigned *)(a + t * 16 + 8 * K),
                      *(const unsigned *)(a + t * 16 + 8),
                      *(const unsigned *)(a + t * 16 + 8 * K + 8)};
    unsigned rb[2] = {*(const unsigned *)(b + t * 16), *(const unsigned *)(b + t * 16 + 8)};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  }
  float *c = C + (warp * 16 + g) * N + q;
  c[0] = d[0], c[1] = d[1];
  c[8 * N] = d[2], c[8 * N + 1] = d[3];
}
