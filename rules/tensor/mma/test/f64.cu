// f64 of all four shapes.
// Each is compiled for three chips and run against its source on the SIMT machine:
// whole waves, a block of one warp, and one of three.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip --json %t.json 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: not grep -E "^ *asm" %t.hip
// RUN: %layout-port verify %s %t.hip --target gfx942 --launch %S/Inputs/f64.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}proved: all outputs
__global__ void m8n8k4_f64_f64(double *D, const double *A, const double *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const double *a = A + 1 * t, *b = B + 1 * t;
  double *d = D + 2 * t;
  // CHECK: lp::mma_m8n8k4_f64_f64(d[0], d[1], a[0], b[0], d[0], d[1]);
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(d[0]), "+d"(d[1])
               : "d"(a[0]), "d"(b[0]));
}

__global__ void m16n8k4_f64_f64(double *D, const double *A, const double *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const double *a = A + 2 * t, *b = B + 1 * t;
  double *d = D + 4 * t;
  // CHECK: lp::mma_m16n8k4_f64_f64(d[0], d[1], d[2], d[3], a[0], a[1], b[0], d[0], d[1], d[2], d[3]);
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
               : "d"(a[0]), "d"(a[1]), "d"(b[0]));
}

__global__ void m16n8k8_f64_f64(double *D, const double *A, const double *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const double *a = A + 4 * t, *b = B + 2 * t;
  double *d = D + 4 * t;
  // CHECK: lp::mma_m16n8k8_f64_f64(d[0], d[1], d[2], d[3], a[0], a[1], a[2], a[3], b[0], b[1], d[0], d[1], d[2], d[3]);
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
               : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

__global__ void m16n8k16_f64_f64(double *D, const double *A, const double *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const double *a = A + 8 * t, *b = B + 4 * t;
  double *d = D + 4 * t;
  // CHECK: lp::mma_m16n8k16_f64_f64(d[0], d[1], d[2], d[3], a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], b[0], b[1], b[2], b[3], d[0], d[1], d[2], d[3]);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
               : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
               : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
}
