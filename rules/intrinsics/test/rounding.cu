// Floats rounded in a direction, and to nearest without being fused with their neighbours.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
__global__ void rounding(float *o, int *n, double d, float a, float b, float c, int i, long long l) {
  // CHECK: o[0] = lp::fadd_rz(a, b) + lp::fsub_ru(a, b) + lp::fmul_rd(a, b);
  o[0] = __fadd_rz(a, b) + __fsub_ru(a, b) + __fmul_rd(a, b);
  // CHECK: o[1] = lp::fmaf_rz(a, b, c) + lp::fdiv_ru(a, b) + lp::frcp_rd(a) + lp::fsqrt_rz(a);
  o[1] = __fmaf_rz(a, b, c) + __fdiv_ru(a, b) + __frcp_rd(a) + __fsqrt_rz(a);
  // A product and a sum that stay two roundings.
  // CHECK: o[2] = lp::fadd_rn(lp::fmul_rn(a, b), c);
  o[2] = __fadd_rn(__fmul_rn(a, b), c);
  // CHECK: o[3] = lp::fsqrt_rn(a) + lp::frsqrt_rn(b);
  o[3] = __fsqrt_rn(a) + __frsqrt_rn(b);
  // HIP has these.
  // CHECK: o[4] = __int2float_rz(i) + __ll2float_ru(l) + __double2float_rd(d) + __fmaf_rn(a, b, c);
  o[4] = __int2float_rz(i) + __ll2float_ru(l) + __double2float_rd(d) + __fmaf_rn(a, b, c);
  // CHECK: n[0] = __float2int_rd(a);
  n[0] = __float2int_rd(a);
}
