// Operands that are taken out of vectors just read: bridged, and the report says why.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip --verify --launch %S/Inputs/vectors_kept.yaml 2>&1 | FileCheck %s
// CHECK: note: products keeps 'a' in CUDA's layout and moves it for each product: operand A of mma.m16n8k16.f16 is neither read by ldmatrix nor put together in one place
// CHECK: compiled: gfx90a yes gfx942 yes gfx950 yes host yes
// CHECK: verify gfx90a: proved
// CHECK: verify gfx942: proved
// CHECK: verify gfx950: proved
__device__ void mma(float (&c)[4], const unsigned *a, const unsigned *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
               "{%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__global__ void products(float *out, const uint4 *x, const uint2 *y, int n) {
  float c[4] = {};
  for (int k = 0; k < n; k++) {
    const uint4 p = x[k * 64 + threadIdx.x];
    const uint2 q = y[k * 64 + threadIdx.x];
    unsigned a[4] = {p.x, p.y, p.z, p.w}, b[2] = {q.x, q.y};
    mma(c, a, b);
  }
  for (int i = 0; i < 4; i++)
    out[(blockIdx.x * 64 + threadIdx.x) * 4 + i] = c[i];
}
