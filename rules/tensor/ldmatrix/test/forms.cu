// ldmatrix x1, x2, x4, plain and .trans, in the orders people write them.
// RUN: %layout-port %s -o %t.hip --json %t.json 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// JSON-COUNT-7: "rule": "tensor-ldmatrix"
__device__ void forms(unsigned *r, unsigned a, const void *generic) {
  // CHECK: lp::ldmatrix_x1(r[0], a);
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(a));
  // CHECK: lp::ldmatrix_x2(r[0], r[1], a);
  asm volatile("ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%0, %1}, [%2];\n" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
  // CHECK: lp::ldmatrix_x4(r[0], r[1], r[2], r[3], (a) + 64);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16 {%0,%1,%2,%3}, [%4+64];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
  // CHECK: lp::ldmatrix_x1_trans(r[0], a);
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(a));
  // CHECK: lp::ldmatrix_x2_trans(r[0], r[1], a);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.trans.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
  // CHECK: lp::ldmatrix_x4_trans(r[0], r[1], r[2], r[3], a);
  asm volatile("ldmatrix.sync.aligned.trans.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
  // Without .shared the address is a generic pointer.
  // CHECK: lp::ldmatrix_x1(r[0], lp::cvta_generic_to_shared((const void *)(generic)));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.b16 {%0}, [%1];" : "=r"(r[0]) : "l"(generic));
}
