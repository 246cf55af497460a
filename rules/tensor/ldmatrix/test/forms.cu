// ldmatrix x1, x2, x4, plain and .trans, in the orders people write them.
// RUN: %layout-port %s -o %t.hip --json %t.json 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: %layout-port verify %s %t.hip --launch %S/Inputs/forms.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}{{proved|tested}}: all outputs
// JSON-COUNT-7: "rule": "tensor-ldmatrix"
__device__ void forms(unsigned *r, unsigned a, const void *generic) {
  // CHECK: lp::ldmatrix_x1(r[0], a);
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(a));
  // CHECK: lp::ldmatrix_x2(r[1], r[2], a);
  asm volatile("ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%0, %1}, [%2];\n" : "=r"(r[1]), "=r"(r[2]) : "r"(a));
  // CHECK: lp::ldmatrix_x4(r[3], r[4], r[5], r[6], (a) + 64);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16 {%0,%1,%2,%3}, [%4+64];" : "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]) : "r"(a));
  // CHECK: lp::ldmatrix_x1_trans(r[7], a);
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(r[7]) : "r"(a));
  // CHECK: lp::ldmatrix_x2_trans(r[8], r[9], a);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.trans.b16 {%0,%1}, [%2];" : "=r"(r[8]), "=r"(r[9]) : "r"(a));
  // CHECK: lp::ldmatrix_x4_trans(r[10], r[11], r[12], r[13], a);
  asm volatile("ldmatrix.sync.aligned.trans.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[10]), "=r"(r[11]), "=r"(r[12]), "=r"(r[13]) : "r"(a));
  // Without .shared the address is a generic pointer.
  // CHECK: lp::ldmatrix_x1(r[14], lp::cvta_generic_to_shared((const void *)(generic)));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.b16 {%0}, [%1];" : "=r"(r[14]) : "l"(generic));
}
__global__ void loads(unsigned *D, const uint4 *A) {
  __shared__ uint4 rows[2][36];
  const int t = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x / 32;
  rows[warp][threadIdx.x % 32] = A[t];
  if (threadIdx.x % 32 < 4)
    rows[warp][32 + threadIdx.x % 32] = A[t ^ 5];
  __syncwarp();
  unsigned r[15];
  const uint4 *row = &rows[warp][threadIdx.x % 32];
  forms(r, (unsigned)__cvta_generic_to_shared(row), row);
  for (int i = 0; i < 15; ++i)
    D[15 * t + i] = r[i];
}
