// fp8: as it is on gfx950, FNUZ of half the value on gfx942 (e4m3), bf16 elsewhere.
// Each is compiled for three chips and run against its source on the SIMT machine:
// whole waves, a block of one warp, and one of three.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip --json %t.json 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: not grep -E "^ *asm" %t.hip
// RUN: %layout-port verify %s %t.hip --target gfx90a --launch %S/Inputs/fp8.yaml | FileCheck %s --check-prefix=SAME
// RUN: %layout-port verify %s %t.hip --target gfx942 --launch %S/Inputs/fp8.yaml | FileCheck %s --check-prefix=SAME
// RUN: %layout-port verify %s %t.hip --target gfx950 --launch %S/Inputs/fp8.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}{{proved|tested}}: all outputs
__global__ void m16n8k16_f32_e4m3(float *D, const unsigned *A, const unsigned *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned *a = A + 2 * t, *b = B + 1 * t;
  float *d = D + 4 * t;
  // CHECK: lp::mma_m16n8k16_f32_e4m3(d[0], d[1], d[2], d[3], a[0], a[1], b[0], d[0], d[1], d[2], d[3]);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}

__global__ void m16n8k16_f32_e4m3_e5m2(float *D, const unsigned *A, const unsigned *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned *a = A + 2 * t, *b = B + 1 * t;
  float *d = D + 4 * t;
  // CHECK: lp::mma_m16n8k16_f32_e4m3_e5m2(d[0], d[1], d[2], d[3], a[0], a[1], b[0], d[0], d[1], d[2], d[3]);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e5m2.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}

__global__ void m16n8k16_f32_e5m2(float *D, const unsigned *A, const unsigned *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned *a = A + 2 * t, *b = B + 1 * t;
  float *d = D + 4 * t;
  // CHECK: lp::mma_m16n8k16_f32_e5m2(d[0], d[1], d[2], d[3], a[0], a[1], b[0], d[0], d[1], d[2], d[3]);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e5m2.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}

__global__ void m16n8k32_f32_e4m3(float *D, const unsigned *A, const unsigned *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned *a = A + 4 * t, *b = B + 2 * t;
  float *d = D + 4 * t;
  // CHECK: lp::mma_m16n8k32_f32_e4m3(d[0], d[1], d[2], d[3], a[0], a[1], a[2], a[3], b[0], b[1], d[0], d[1], d[2], d[3]);
  asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__global__ void m16n8k32_f32_e4m3_e5m2(float *D, const unsigned *A, const unsigned *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned *a = A + 4 * t, *b = B + 2 * t;
  float *d = D + 4 * t;
  // CHECK: lp::mma_m16n8k32_f32_e4m3_e5m2(d[0], d[1], d[2], d[3], a[0], a[1], a[2], a[3], b[0], b[1], d[0], d[1], d[2], d[3]);
  asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__global__ void m16n8k32_f32_e5m2(float *D, const unsigned *A, const unsigned *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned *a = A + 4 * t, *b = B + 2 * t;
  float *d = D + 4 * t;
  // CHECK: lp::mma_m16n8k32_f32_e5m2(d[0], d[1], d[2], d[3], a[0], a[1], a[2], a[3], b[0], b[1], d[0], d[1], d[2], d[3]);
  asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__global__ void m16n8k32_f16_e4m3(unsigned *D, const unsigned *A, const unsigned *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned *a = A + 4 * t, *b = B + 2 * t;
  unsigned *d = D + 2 * t;
  // CHECK: lp::mma_m16n8k32_f16_e4m3(d[0], d[1], a[0], a[1], a[2], a[3], b[0], b[1], d[0], d[1]);
  asm volatile("mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
               : "+r"(d[0]), "+r"(d[1])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__global__ void m16n8k32_f16_e5m2_e4m3(unsigned *D, const unsigned *A, const unsigned *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned *a = A + 4 * t, *b = B + 2 * t;
  unsigned *d = D + 2 * t;
  // CHECK: lp::mma_m16n8k32_f16_e5m2_e4m3(d[0], d[1], a[0], a[1], a[2], a[3], b[0], b[1], d[0], d[1]);
  asm volatile("mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e4m3.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
               : "+r"(d[0]), "+r"(d[1])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// What the formats encode differently: -0, NaN, infinity, the least and the largest.
__global__ void special(float *D) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned values = t & 32 ? 0xfc7d01fe : 0x7f80ff7e;
  const unsigned a = t % 4 == 0 ? values >> (t & 24) & 0xff : 0, zero = 0, ones = 0x3838b801;
  float d[8] = {};
  asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %5, %5}, {%6, %6}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a), "r"(zero), "r"(ones));
  asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %5, %5}, {%6, %6}, {%0, %1, %2, %3};"
               : "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]) : "r"(a), "r"(zero), "r"(ones));
  for (int i = 0; i < 8; ++i)
    D[8 * t + i] = d[i];
}
