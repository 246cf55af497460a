// Chains through the carry flag, in one statement.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: not grep -E "^ *asm" %t.hip
// RUN: %layout-port verify %s %t.hip --launch %S/Inputs/carry.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}{{proved|tested}}: all outputs
__device__ void sums(unsigned *d, const unsigned *a, const unsigned *b, long long *w) {
  // CHECK: do { bool lp_carry = false; d[0] = lp::add_carry<unsigned>((unsigned)(a[0]), (unsigned)(b[0]), false, lp_carry); d[1] = lp::add_carry<unsigned>((unsigned)(a[1]), (unsigned)(b[1]), lp_carry, lp_carry); d[2] = (unsigned)(a[2]) + (unsigned)(b[2]) + lp_carry; } while (0);
  asm("add.cc.u32 %0, %3, %6;\n\taddc.cc.u32 %1, %4, %7;\n\taddc.u32 %2, %5, %8;"
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(b[0]), "r"(b[1]), "r"(b[2]));
  // CHECK: lp::sub_borrow<unsigned>((unsigned)(a[0]), (unsigned)(b[0]), false, lp_carry);
  // CHECK-SAME: = (unsigned)(a[1]) - (unsigned)(b[1]) - lp_carry;
  asm("{ sub.cc.u32 %0, %2, %4; subc.u32 %1, %3, %5; }"
      : "=r"(d[3]), "=r"(d[4]) : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
  // CHECK: lp::add_carry<unsigned>((unsigned)(a[0]) * (unsigned)(b[0]), (unsigned)(a[1]), false, lp_carry);
  // CHECK-SAME: = lp::mul_hi<unsigned>(a[0], b[0]) + 0u + lp_carry;
  asm("{ mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, 0; }"
      : "=r"(d[5]), "=r"(d[6]) : "r"(a[0]), "r"(b[0]), "r"(a[1]));
  // CHECK: w[0] = lp::add_carry<unsigned long long>(
  asm("{ add.cc.s64 %0, %2, %3; addc.s64 %1, 0, 0; }"
      : "=l"(w[0]), "=l"(w[1]) : "l"(w[2]), "l"(w[3]));
}
__global__ void chains(unsigned *D, long long *L, const unsigned *A, const unsigned *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned d[7];
  long long w[4] = {0, 0, (long long)A[t] << 32 | B[t], (long long)B[t + 1] << 32 | A[t + 1]};
  sums(d, A + t, B + t, w);
  for (int i = 0; i < 7; ++i)
    D[7 * t + i] = d[i];
  L[2 * t] = w[0];
  L[2 * t + 1] = w[1];
}
