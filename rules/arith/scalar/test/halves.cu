// Floats, halves and pairs of halves.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: not grep -E "^ *asm" %t.hip
// RUN: %layout-port verify %s %t.hip --launch %S/Inputs/halves.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}proved: all outputs
__global__ void halves(unsigned *D, const unsigned *A, const unsigned *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = A[t], b = B[t];
  unsigned d[18];
  unsigned short h[4];
  // CHECK: d[0] = lp::add_as<lp::half2>(a, b);
  asm("add.f16x2 %0, %1, %2;" : "=r"(d[0]) : "r"(a), "r"(b));
  // CHECK: d[1] = lp::sub_as<lp::half2>(a, b);
  asm("sub.f16x2 %0, %1, %2;" : "=r"(d[1]) : "r"(a), "r"(b));
  // CHECK: d[2] = lp::mul_as<lp::half2>(a, b);
  asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(d[2]) : "r"(a), "r"(b));
  // CHECK: d[3] = lp::fma_as<lp::half2>(a, b, a);
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(d[3]) : "r"(a), "r"(b), "r"(a));
  // CHECK: d[4] = lp::relu_as<lp::half2>(lp::fma_as<lp::half2>(a, b, a));
  asm("fma.rn.relu.f16x2 %0, %1, %2, %3;" : "=r"(d[4]) : "r"(a), "r"(b), "r"(a));
  // CHECK: d[5] = lp::max_as<lp::half2>(a, b);
  asm("max.f16x2 %0, %1, %2;" : "=r"(d[5]) : "r"(a), "r"(b));
  // CHECK: d[6] = lp::min_nan_as<lp::half2>(a, b);
  asm("min.NaN.f16x2 %0, %1, %2;" : "=r"(d[6]) : "r"(a), "r"(b));
  // CHECK: d[7] = lp::abs_as<lp::half2>(a);
  asm("abs.f16x2 %0, %1;" : "=r"(d[7]) : "r"(a));
  // CHECK: d[8] = lp::neg_as<lp::half2>(a);
  asm("neg.f16x2 %0, %1;" : "=r"(d[8]) : "r"(a));
  // CHECK: d[9] = lp::add_as<lp::bfloat2>(a, b);
  asm("add.rn.bf16x2 %0, %1, %2;" : "=r"(d[9]) : "r"(a), "r"(b));
  // CHECK: d[10] = lp::fma_as<lp::bfloat2>(a, b, b);
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(d[10]) : "r"(a), "r"(b), "r"(b));
  // CHECK: d[11] = lp::mul_as<lp::bfloat2>(a, b);
  asm("mul.bf16x2 %0, %1, %2;" : "=r"(d[11]) : "r"(a), "r"(b));
  // CHECK: d[12] = lp::max_as<lp::bfloat2>(a, b);
  asm("max.bf16x2 %0, %1, %2;" : "=r"(d[12]) : "r"(a), "r"(b));
  // CHECK: d[13] = lp::ex2_as<lp::half2>(a);
  asm("ex2.approx.f16x2 %0, %1;" : "=r"(d[13]) : "r"(a));
  // CHECK: h[0] = lp::add_as<_Float16>((unsigned short)a, (unsigned short)b);
  asm("add.f16 %0, %1, %2;" : "=h"(h[0]) : "h"((unsigned short)a), "h"((unsigned short)b));
  // CHECK: h[1] = lp::add_as<_Float16>((unsigned short)a, (unsigned short)(b >> 16));
  asm("{ add.f16 %0, %1, %2; }" : "=h"(h[1]) : "h"((unsigned short)a), "h"((unsigned short)(b >> 16)));
  // CHECK: h[2] = lp::fma_as<__bf16>((unsigned short)a, (unsigned short)b, (unsigned short)b);
  asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(h[2]) : "h"((unsigned short)a), "h"((unsigned short)b), "h"((unsigned short)b));
  // CHECK: h[3] = lp::saturate_as<_Float16>(lp::fma_as<_Float16>((unsigned short)a, (unsigned short)b, (unsigned short)b));
  asm("fma.rn.sat.f16 %0, %1, %2, %3;" : "=h"(h[3]) : "h"((unsigned short)a), "h"((unsigned short)b), "h"((unsigned short)b));
  d[14] = h[0] | h[1] << 16;
  d[15] = h[2] | h[3] << 16;
  // CHECK: do { unsigned short ptx_low; unsigned short ptx_high; { const unsigned lp_v = (unsigned)a; ptx_low = (unsigned short)(lp_v >> 0); ptx_high = (unsigned short)(lp_v >> 16); } d[16] = lp::pack<unsigned>(ptx_high, ptx_low); } while (0);
  asm("{ .reg .f16 low, high; mov.b32 {low, high}, %1; mov.b32 %0, {high, low}; }" : "=r"(d[16]) : "r"(a));
  // CHECK: d[17] = lp::tanh_as<lp::half2>(a);
  asm("tanh.approx.f16x2 %0, %1;" : "=r"(d[17]) : "r"(a));
  for (int i = 0; i < 17; ++i)
    D[17 * t + i] = d[i];
}
__global__ void floats(float *D, const float *A, const float *B, const float *C) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const float a = A[t], b = B[t], c = C[t];
  float d[24];
  // CHECK: d[0] = a + b;
  asm("add.f32 %0, %1, %2;" : "=f"(d[0]) : "f"(a), "f"(b));
  // CHECK: d[1] = lp::add_rn(a, b);
  asm("add.rn.ftz.f32 %0, %1, %2;" : "=f"(d[1]) : "f"(a), "f"(b));
  // CHECK: d[2] = lp::mul_rn(a, b);
  asm("mul.rn.f32 %0, %1, %2;" : "=f"(d[2]) : "f"(a), "f"(b));
  // CHECK: d[3] = __builtin_fmaf(a, b, c);
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(d[3]) : "f"(a), "f"(b), "f"(c));
  // CHECK: d[4] = a - 1.0f;
  asm("sub.f32 %0, %1, 0f3F800000;" : "=f"(d[4]) : "f"(a));
  // CHECK: d[5] = __builtin_amdgcn_rcpf(a);
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(d[5]) : "f"(a));
  // CHECK: d[6] = __builtin_amdgcn_sqrtf(a);
  asm("sqrt.approx.f32 %0, %1;" : "=f"(d[6]) : "f"(a));
  // CHECK: d[7] = __builtin_amdgcn_rsqf(a);
  asm("rsqrt.approx.f32 %0, %1;" : "=f"(d[7]) : "f"(a));
  // CHECK: d[8] = __builtin_amdgcn_exp2f(a);
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(d[8]) : "f"(a));
  // CHECK: d[9] = __builtin_exp2f(a);
  asm("ex2.approx.f32 %0, %1;" : "=f"(d[9]) : "f"(a));
  // CHECK: d[10] = __builtin_log2f(a);
  asm("lg2.approx.f32 %0, %1;" : "=f"(d[10]) : "f"(a));
  // CHECK: d[11] = __builtin_fminf(a, b);
  asm("min.f32 %0, %1, %2;" : "=f"(d[11]) : "f"(a), "f"(b));
  // CHECK: d[12] = lp::max_nan(a, b);
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(d[12]) : "f"(a), "f"(b));
  // CHECK: d[13] = __builtin_fabsf(a);
  asm("abs.f32 %0, %1;" : "=f"(d[13]) : "f"(a));
  // CHECK: d[14] = -a;
  asm("neg.f32 %0, %1;" : "=f"(d[14]) : "f"(a));
  // CHECK: d[15] = a / b;
  asm("div.full.f32 %0, %1, %2;" : "=f"(d[15]) : "f"(a), "f"(b));
  // CHECK: d[16] = __builtin_sinf(a);
  asm("sin.approx.f32 %0, %1;" : "=f"(d[16]) : "f"(a));
  // CHECK: d[17] = __builtin_cosf(a);
  asm("cos.approx.f32 %0, %1;" : "=f"(d[17]) : "f"(a));
  // CHECK: d[18] = __builtin_copysignf(b, a);
  asm("copysign.f32 %0, %1, %2;" : "=f"(d[18]) : "f"(a), "f"(b));
  // CHECK: d[19] = __builtin_fmaf(a, b, c);
  asm("mad.rn.f32 %0, %1, %2, %3;" : "=f"(d[19]) : "f"(a), "f"(b), "f"(c));
  // CHECK: do { bool ptx_p; ptx_p = a > b; d[20] = ptx_p ? a : b; } while (0);
  asm("{ .reg .pred p; setp.gt.f32 p, %1, %2; selp.f32 %0, %1, %2, p; }" : "=f"(d[20]) : "f"(a), "f"(b));
  // CHECK: d[21] = lp::bits<float>((unsigned)(__float_as_uint(a)));
  asm("mov.b32 %0, %1;" : "=f"(d[21]) : "r"(__float_as_uint(a)));
  // CHECK: do { float ptx_x; ptx_x = a * b; d[22] = ptx_x + c; } while (0);
  asm("{ .reg .f32 x; mul.f32 x, %1, %2; add.f32 %0, x, %3; }" : "=f"(d[22]) : "f"(a), "f"(b), "f"(c));
  // CHECK: d[23] = (float)(int)t;
  asm("cvt.rn.f32.s32 %0, %1;" : "=f"(d[23]) : "r"(t));
  for (int i = 0; i < 24; ++i)
    D[24 * t + i] = d[i];
}
__global__ void tanhs(float *D, const float *A) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: D[t] = lp::tanh_approx(A[t]);
  asm("tanh.approx.f32 %0, %1;" : "=f"(D[t]) : "f"(A[t]));
}
