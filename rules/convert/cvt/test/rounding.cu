// Sums, products, quotients, roots and conversions rounded in one direction: exact, by way
// of double.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: not grep -E "^ *asm" %t.hip
// RUN: %layout-port verify %s %t.hip --launch %S/Inputs/rounding.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}tested: all outputs
__global__ void rounding(float *O, unsigned short *H, const float *A, const double *B, const long long *L) {
  const int t = threadIdx.x;
  const float x = A[t], y = A[t + 32], z = A[t + 64];
  float *o = O + 16 * t, d;
  unsigned short *h = H + 4 * t, s;
  // CHECK: d = lp::add_directed<lp::toward_zero>(x, y);
  asm("add.rz.f32 %0, %1, %2;" : "=f"(d) : "f"(x), "f"(y));
  o[0] = d;
  // CHECK: d = lp::sub_directed<lp::down>(x, y);
  asm("sub.rm.f32 %0, %1, %2;" : "=f"(d) : "f"(x), "f"(y));
  o[1] = d;
  // CHECK: d = lp::mul_directed<lp::up>(x, y);
  asm("mul.rp.ftz.f32 %0, %1, %2;" : "=f"(d) : "f"(x), "f"(y));
  o[2] = d;
  // CHECK: d = lp::fma_directed<lp::toward_zero>(x, y, z);
  asm("fma.rz.f32 %0, %1, %2, %3;" : "=f"(d) : "f"(x), "f"(y), "f"(z));
  o[3] = d;
  // CHECK: d = lp::div_directed<lp::down>(x, y);
  asm("div.rm.f32 %0, %1, %2;" : "=f"(d) : "f"(x), "f"(y));
  o[4] = d;
  // CHECK: d = lp::div_directed<lp::up>(1.0f, x);
  asm("rcp.rp.f32 %0, %1;" : "=f"(d) : "f"(x));
  o[5] = d;
  // CHECK: d = lp::sqrt_directed<lp::toward_zero>(__builtin_fabsf(x));
  asm("sqrt.rz.f32 %0, %1;" : "=f"(d) : "f"(__builtin_fabsf(x)));
  o[6] = d;
  // CHECK: d = lp::saturate(lp::add_directed<lp::up>(x, y));
  asm("add.rp.sat.f32 %0, %1, %2;" : "=f"(d) : "f"(x), "f"(y));
  o[7] = d;
  // CHECK: d = lp::directed<float, lp::toward_zero>(B[t], 0);
  asm("cvt.rz.f32.f64 %0, %1;" : "=f"(d) : "d"(B[t]));
  o[8] = d;
  // CHECK: s = lp::bits<unsigned short>(lp::directed<_Float16, lp::down>(x, 0));
  asm("cvt.rm.f16.f32 %0, %1;" : "=h"(s) : "f"(x));
  h[0] = s;
  // CHECK: s = lp::bits<unsigned short>(lp::directed<_Float16, lp::up>(x, 0));
  asm("cvt.rp.f16.f32 %0, %1;" : "=h"(s) : "f"(x));
  h[1] = s;
  // CHECK: s = lp::cvt_bf16_f32_rz(x);
  asm("cvt.rz.bf16.f32 %0, %1;" : "=h"(s) : "f"(x));
  h[2] = s;
}
// Of whole numbers: test/lit/tool/directed.test has the functions.
__global__ void wholeNumbers(float *o, unsigned short *h, const long long *L) {
  const int t = threadIdx.x;
  float d;
  unsigned short s;
  // CHECK: d = lp::directed<float, lp::down>({{.*}}, 0);
  asm("cvt.rm.f32.s32 %0, %1;" : "=f"(d) : "r"((int)L[t]));
  o[2] = d;
  // CHECK: d = lp::directed_integer<float, lp::up>((long long)(L[t]));
  asm("cvt.rp.f32.s64 %0, %1;" : "=f"(d) : "l"(L[t]));
  o[0] = d;
  // CHECK: d = lp::directed_integer<float, lp::toward_zero>((unsigned long long)(L[t]));
  asm("cvt.rz.f32.u64 %0, %1;" : "=f"(d) : "l"(L[t]));
  o[1] = d;
  // CHECK: s = lp::bits<unsigned short>(lp::directed<_Float16, lp::toward_zero>({{.*}}, 0));
  asm("cvt.rz.f16.s32 %0, %1;" : "=h"(s) : "r"((int)L[t] & 0x7fff));
  h[0] = s;
}
// 64-bit integers that are no doubles: one rounding, not two.
__global__ void longs(float *P, const long long *L) {
  const int t = threadIdx.x;
  const long long x = L[t] * 0x123456789abcdll;
  float d;
  asm("cvt.rp.f32.s64 %0, %1;" : "=f"(d) : "l"(x));
  P[4 * t] = d;
  asm("cvt.rm.f32.s64 %0, %1;" : "=f"(d) : "l"(x));
  P[4 * t + 1] = d;
  asm("cvt.rz.f32.u64 %0, %1;" : "=f"(d) : "l"(x));
  P[4 * t + 2] = d;
  // A float and one bit far below it.
  asm("cvt.rp.f32.s64 %0, %1;" : "=f"(d) : "l"((0x4000000000000000ll >> (t & 7)) + 1));
  P[4 * t + 3] = d;
}
