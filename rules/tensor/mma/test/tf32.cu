// tf32: xf32 on gfx942, f32 elsewhere, without the 13 bits that tf32 lacks.
// Each is compiled for three chips and run against its source on the SIMT machine:
// whole waves, a block of one warp, and one of three.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip --json %t.json 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: not grep -E "^ *asm" %t.hip
// RUN: %layout-port verify %s %t.hip --target gfx942 --launch %S/Inputs/tf32.yaml | FileCheck %s --check-prefix=SAME
// RUN: %layout-port verify %s %t.hip --target gfx950 --launch %S/Inputs/tf32.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}proved: all outputs
__global__ void m16n8k4_f32_tf32(float *D, const unsigned *A, const unsigned *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned *a = A + 2 * t, *b = B + 1 * t;
  float *d = D + 4 * t;
  // CHECK: lp::mma_m16n8k4_f32_tf32(d[0], d[1], d[2], d[3], a[0], a[1], b[0], d[0], d[1], d[2], d[3]);
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}

__global__ void m16n8k8_f32_tf32(float *D, const unsigned *A, const unsigned *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned *a = A + 4 * t, *b = B + 2 * t;
  float *d = D + 4 * t;
  // CHECK: lp::mma_m16n8k8_f32_tf32(d[0], d[1], d[2], d[3], a[0], a[1], a[2], a[3], b[0], b[1], d[0], d[1], d[2], d[3]);
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Operands in float variables: their bits are what counts.
__device__ void floats(float *d, const float *a, const float *b) {
  // CHECK: lp::mma_m16n8k4_f32_tf32(d[0], d[1], d[2], d[3], lp::bits<unsigned>(a[0]), lp::bits<unsigned>(a[1]), lp::bits<unsigned>(b[0]), d[0], d[1], d[2], d[3]);
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "f"(a[0]), "f"(a[1]), "f"(b[0]));
}
