// Two floats in a 64-bit register, sums of mixed precision, products of 24 bits, and minima of
// magnitudes.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: not grep -E "^ *asm" %t.hip
// RUN: %layout-port verify %s %t.hip --launch %S/Inputs/pairs.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}tested: all outputs
__global__ void pairs(unsigned long long *D, const unsigned long long *A,
                      const unsigned long long *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned long long a = A[t], b = B[t];
  unsigned long long d[6];
  // CHECK: d[0] = lp::each_f32((unsigned long long)a, (unsigned long long)b, [](float x, float y) { return x + y; });
  asm("add.f32x2 %0, %1, %2;" : "=l"(d[0]) : "l"(a), "l"(b));
  // CHECK: d[1] = lp::each_f32((unsigned long long)a, (unsigned long long)b, [](float x, float y) { return lp::sub_rn(x, y); });
  asm("sub.rn.f32x2 %0, %1, %2;" : "=l"(d[1]) : "l"(a), "l"(b));
  asm("mul.f32x2 %0, %1, %2;" : "=l"(d[2]) : "l"(a), "l"(b));
  // CHECK: d[3] = lp::each_f32((unsigned long long)a, (unsigned long long)b, (unsigned long long)a, [](float x, float y, float z) { return __builtin_fmaf(x, y, z); });
  asm("fma.rn.f32x2 %0, %1, %2, %1;" : "=l"(d[3]) : "l"(a), "l"(b));
  // CHECK: d[4] = lp::each_f32((unsigned long long)a, (unsigned long long)b, [](float x, float y) { return lp::add_directed<lp::toward_zero>(x, y); });
  asm("add.rz.f32x2 %0, %1, %2;" : "=l"(d[4]) : "l"(a), "l"(b));
  asm("fma.rp.ftz.f32x2 %0, %1, %2, %2;" : "=l"(d[5]) : "l"(a), "l"(b));
  for (int i = 0; i < 6; ++i)
    D[t * 6 + i] = d[i];
}
__global__ void mixed(float *D, const unsigned short *A, const float *F) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned short a = A[2 * t], b = A[2 * t + 1];
  const float f = F[t];
  float d[4];
  // CHECK: d[0] = lp::cvt_f32_f16(a) + f;
  asm("add.f32.f16 %0, %1, %2;" : "=f"(d[0]) : "h"(a), "f"(f));
  // CHECK: d[1] = lp::sub_rn(lp::cvt_f32_bf16(a), f);
  asm("sub.rn.f32.bf16 %0, %1, %2;" : "=f"(d[1]) : "h"(a), "f"(f));
  // CHECK: d[2] = __builtin_fmaf(lp::cvt_f32_f16(a), lp::cvt_f32_f16(b), f);
  asm("fma.rn.f32.f16 %0, %1, %2, %3;" : "=f"(d[2]) : "h"(a), "h"(b), "f"(f));
  // CHECK: d[3] = lp::saturate(
  asm("add.sat.f32.f16 %0, %1, %2;" : "=f"(d[3]) : "h"(a), "f"(f));
  for (int i = 0; i < 4; ++i)
    D[t * 4 + i] = d[i];
}
__global__ void products(int *D, const int *A, const int *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const int a = A[t], b = B[t];
  int d[5];
  // CHECK: d[0] = lp::mul24_hi<int>(a, b);
  asm("mul24.hi.s32 %0, %1, %2;" : "=r"(d[0]) : "r"(a), "r"(b));
  asm("mul24.hi.u32 %0, %1, %2;" : "=r"(d[1]) : "r"(a), "r"(b));
  asm("mul24.lo.s32 %0, %1, %2;" : "=r"(d[2]) : "r"(a), "r"(b));
  asm("mad24.hi.s32 %0, %1, %2, %2;" : "=r"(d[3]) : "r"(a), "r"(b));
  // CHECK: d[4] = __builtin_elementwise_add_sat(lp::mul24_hi<int>(a, b), (int)a);
  asm("mad24.hi.sat.s32 %0, %1, %2, %1;" : "=r"(d[4]) : "r"(a), "r"(b));
  for (int i = 0; i < 5; ++i)
    D[t * 5 + i] = d[i];
}
__global__ void magnitudes(unsigned *D, const unsigned *A, const unsigned *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = A[t], b = B[t];
  unsigned d[4];
  // CHECK: d[0] = lp::min_xorsign_as<lp::half2>(a, b, false);
  asm("min.xorsign.abs.f16x2 %0, %1, %2;" : "=r"(d[0]) : "r"(a), "r"(b));
  asm("max.NaN.xorsign.abs.f16x2 %0, %1, %2;" : "=r"(d[1]) : "r"(a), "r"(b));
  asm("max.xorsign.abs.bf16x2 %0, %1, %2;" : "=r"(d[2]) : "r"(a), "r"(b));
  // CHECK: d[3] = ((lp::cvt_f32_f16((unsigned short)((unsigned)a)) > {{.*}}) ? 0x3c00u : 0u) |{{.*}} << 16;
  asm("set.gt.f16x2.f16x2 %0, %1, %2;" : "=r"(d[3]) : "r"(a), "r"(b));
  for (int i = 0; i < 4; ++i)
    D[t * 4 + i] = d[i];
}
__global__ void predicates(unsigned *D, const unsigned *A, const unsigned *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x, y, u;
  unsigned short w;
  // CHECK: const bool lp_v = {{.*}}, lp_q = {{.*}} >> 16)
  asm("{ .reg .pred p, q; setp.le.f16x2 p|q, %2, %3; selp.u32 %0, 1, 0, p; selp.u32 %1, 1, 0, q; }"
      : "=r"(x), "=r"(y) : "r"(A[t]), "r"(B[t]));
  // CHECK: const unsigned lp_v0 = (unsigned)x, lp_v1 = (unsigned)y; y = lp_v0; x = lp_v1;
  asm("mov.v2.u32 {%0, %1}, {%2, %3};" : "=r"(y), "=r"(x) : "r"(x), "r"(y));
  asm("set.ltu.u32.f16x2 %0, %1, %2;" : "=r"(u) : "r"(A[t]), "r"(B[t]));
  asm("set.eq.bf16.s32 %0, %1, %2;" : "=h"(w) : "r"(A[t] & 1), "r"(B[t] & 1));
  D[t * 4] = x;
  D[t * 4 + 1] = y;
  D[t * 4 + 2] = u;
  D[t * 4 + 3] = w;
}
