// m16n8k8 with f16 and bf16: both warps share one MFMA of k = 16.
// Each is compiled for three chips and run against its source on the SIMT machine:
// whole waves, a block of one warp, and one of three.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip --json %t.json 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: not grep -E "^ *asm" %t.hip
// RUN: %layout-port verify %s %t.hip --target gfx942 --launch %S/Inputs/f16_k8.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}proved: all outputs
__global__ void m16n8k8_f32_f16(float *D, const unsigned *A, const unsigned *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned *a = A + 2 * t, *b = B + 1 * t;
  float *d = D + 4 * t;
  // CHECK: lp::mma_m16n8k8_f32_f16(d[0], d[1], d[2], d[3], a[0], a[1], b[0], d[0], d[1], d[2], d[3]);
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}

__global__ void m16n8k8_f16_f16(unsigned *D, const unsigned *A, const unsigned *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned *a = A + 2 * t, *b = B + 1 * t;
  unsigned *d = D + 2 * t;
  // CHECK: lp::mma_m16n8k8_f16_f16(d[0], d[1], a[0], a[1], b[0], d[0], d[1]);
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
               : "+r"(d[0]), "+r"(d[1])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}

__global__ void m16n8k8_f32_bf16(float *D, const unsigned *A, const unsigned *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned *a = A + 2 * t, *b = B + 1 * t;
  float *d = D + 4 * t;
  // CHECK: lp::mma_m16n8k8_f32_bf16(d[0], d[1], d[2], d[3], a[0], a[1], b[0], d[0], d[1], d[2], d[3]);
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}
