// Conversions around the tensor core.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
__device__ void conversions(unsigned *d, unsigned short *h, float *f, float a, float b) {
  // CHECK: d[0] = lp::cvt_f16x2(a, b);
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(d[0]) : "f"(a), "f"(b));
  // CHECK: d[1] = lp::cvt_bf16x2(a, b);
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(d[1]) : "f"(a), "f"(b));
  // CHECK: h[0] = lp::cvt_f16_f32(a);
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h[0]) : "f"(a));
  // CHECK: f[0] = lp::cvt_f32_f16(h[1]);
  asm("cvt.f32.f16 %0, %1;" : "=f"(f[0]) : "h"(h[1]));
  // CHECK: h[2] = lp::cvt_f16_f32_rz(a);
  asm("cvt.rz.f16.f32 %0, %1;" : "=h"(h[2]) : "f"(a));
  // CHECK: d[2] = lp::relu_as<lp::bfloat2>(lp::cvt_bf16x2(a, b));
  asm("cvt.rn.relu.bf16x2.f32 %0, %1, %2;" : "=r"(d[2]) : "f"(a), "f"(b));
  // CHECK: d[3] = lp::cvt_f16x2(lp::clamp_finite(a, 65504.0f), lp::clamp_finite(b, 65504.0f));
  asm("cvt.rn.satfinite.f16x2.f32 %0, %1, %2;" : "=r"(d[3]) : "f"(a), "f"(b));
  // CHECK: h[3] = lp::cvt_e4m3x2(lp::relu(a), lp::relu(b));
  asm("cvt.rn.satfinite.relu.e4m3x2.f32 %0, %1, %2;" : "=h"(h[3]) : "f"(a), "f"(b));
  // CHECK: h[4] = lp::cvt_e5m2x2_f16x2(d[4]);
  asm("cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;" : "=h"(h[4]) : "r"(d[4]));
  // CHECK: d[5] = lp::cvt_f16x2_e4m3x2(h[5]);
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(d[5]) : "h"(h[5]));
  // CHECK: d[6] = lp::cvt_tf32_rna(a);
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(d[6]) : "f"(a));
  // CHECK: f[1] = lp::bits<float>(lp::cvt_tf32_rna(a));
  asm("cvt.rna.tf32.f32 %0, %1;" : "=f"(f[1]) : "f"(a));
  // CHECK: f[2] = lp::saturate(a);
  asm("cvt.sat.f32.f32 %0, %1;" : "=f"(f[2]) : "f"(a));
  // CHECK: d[7] = lp::to_integer<signed char>(__builtin_rintf(a));
  asm("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(d[7]) : "f"(a));
  // CHECK: h[6] = lp::bits<unsigned short>((_Float16)(int)(d[0]));
  asm("cvt.rn.f16.s32 %0, %1;" : "=h"(h[6]) : "r"(d[0]));
}
