// m8n8k4 with f16: four small products, added up by each lane.
// Each is compiled for three chips and run against its source on the SIMT machine:
// whole waves, a block of one warp, and one of three.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip --json %t.json 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: not grep -E "^ *asm" %t.hip
// RUN: %layout-port verify %s %t.hip --target gfx942 --launch %S/Inputs/quad_pairs.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}{{proved|tested}}: all outputs
__global__ void m8n8k4_f32_f16_row_col(float *D, const unsigned *A, const unsigned *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned *a = A + 2 * t, *b = B + 2 * t;
  float *d = D + 8 * t;
  // CHECK: lp::mma_m8n8k4_f32_f16_row_col(d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7], a[0], a[1], b[0], b[1], d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7]);
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%0, %1, %2, %3, %4, %5, %6, %7};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
}

__global__ void m8n8k4_f16_f16_row_col(unsigned *D, const unsigned *A, const unsigned *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned *a = A + 2 * t, *b = B + 2 * t;
  unsigned *d = D + 4 * t;
  // CHECK: lp::mma_m8n8k4_f16_f16_row_col(d[0], d[1], d[2], d[3], a[0], a[1], b[0], b[1], d[0], d[1], d[2], d[3]);
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%0, %1, %2, %3};"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
}

__global__ void m8n8k4_f32_f16_row_row(float *D, const unsigned *A, const unsigned *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned *a = A + 2 * t, *b = B + 2 * t;
  float *d = D + 8 * t;
  // CHECK: lp::mma_m8n8k4_f32_f16_row_row(d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7], a[0], a[1], b[0], b[1], d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7]);
  asm volatile("mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%0, %1, %2, %3, %4, %5, %6, %7};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
}

__global__ void m8n8k4_f16_f16_row_row(unsigned *D, const unsigned *A, const unsigned *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned *a = A + 2 * t, *b = B + 2 * t;
  unsigned *d = D + 4 * t;
  // CHECK: lp::mma_m8n8k4_f16_f16_row_row(d[0], d[1], d[2], d[3], a[0], a[1], b[0], b[1], d[0], d[1], d[2], d[3]);
  asm volatile("mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16 {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%0, %1, %2, %3};"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
}

__global__ void m8n8k4_f32_f16_col_row(float *D, const unsigned *A, const unsigned *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned *a = A + 2 * t, *b = B + 2 * t;
  float *d = D + 8 * t;
  // CHECK: lp::mma_m8n8k4_f32_f16_col_row(d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7], a[0], a[1], b[0], b[1], d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7]);
  asm volatile("mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%0, %1, %2, %3, %4, %5, %6, %7};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
}

__global__ void m8n8k4_f16_f16_col_row(unsigned *D, const unsigned *A, const unsigned *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned *a = A + 2 * t, *b = B + 2 * t;
  unsigned *d = D + 4 * t;
  // CHECK: lp::mma_m8n8k4_f16_f16_col_row(d[0], d[1], d[2], d[3], a[0], a[1], b[0], b[1], d[0], d[1], d[2], d[3]);
  asm volatile("mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16 {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%0, %1, %2, %3};"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
}

__global__ void m8n8k4_f32_f16_col_col(float *D, const unsigned *A, const unsigned *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned *a = A + 2 * t, *b = B + 2 * t;
  float *d = D + 8 * t;
  // CHECK: lp::mma_m8n8k4_f32_f16_col_col(d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7], a[0], a[1], b[0], b[1], d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7]);
  asm volatile("mma.sync.aligned.m8n8k4.col.col.f32.f16.f16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%0, %1, %2, %3, %4, %5, %6, %7};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
}

__global__ void m8n8k4_f16_f16_col_col(unsigned *D, const unsigned *A, const unsigned *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned *a = A + 2 * t, *b = B + 2 * t;
  unsigned *d = D + 4 * t;
  // CHECK: lp::mma_m8n8k4_f16_f16_col_col(d[0], d[1], d[2], d[3], a[0], a[1], b[0], b[1], d[0], d[1], d[2], d[3]);
  asm volatile("mma.sync.aligned.m8n8k4.col.col.f16.f16.f16.f16 {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%0, %1, %2, %3};"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
}
