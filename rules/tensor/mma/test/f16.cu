// One mma site a spelling: f32 and f16 sums, bf16, tied and split accumulators,
// accumulators held in uint32_t. Each becomes one call with the author's registers.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip --json %t.json 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: not grep -E "^ *asm" %t.hip
#include <cuda_fp16.h>
#include <cuda_bf16.h>

__device__ void tied(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  // CHECK: lp::mma_m16n8k16_f32_f16(d[0], d[1], d[2], d[3], a[0], a[1], a[2], a[3], b[0], b[1], d[0], d[1], d[2], d[3]);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void bf16(float *d, const unsigned *a, unsigned b0, unsigned b1, const float *c) {
  // CHECK: lp::mma_m16n8k16_f32_bf16(d[0], d[1], d[2], d[3], a[0], a[1], a[2], a[3], b0, b1, c[0], c[1], c[2], c[3]);
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
}
__device__ void f16Sums(unsigned (&d)[2], const unsigned (&a)[4], const unsigned (&b)[2]) {
  // CHECK: lp::mma_m16n8k16_f16_f16(d[0], d[1], a[0], a[1], a[2], a[3], b[0], b[1], d[0], d[1]);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};\n"
               : "=r"(d[0]), "=r"(d[1])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(d[0]), "r"(d[1]));
}
__device__ void sumsAsBits(unsigned (&d)[4], const uint4 a, const uint2 b) {
  // CHECK: lp::mma_m16n8k16_f32_f16(d[0], d[1], d[2], d[3], a.x, a.y, a.z, a.w, b.x, b.y, d[0], d[1], d[2], d[3]);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y), "r"(d[0]), "r"(d[1]), "r"(d[2]), "r"(d[3]));
}
// JSON-COUNT-4: "tier": "bridged"
