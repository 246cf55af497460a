// Conversions around the tensor core.
// RUN: not %layout-port %s -o %t.hip 2>%t.err
// RUN: FileCheck %s < %t.hip
__device__ void conversions(unsigned *d, unsigned short *h, float *f, float a, float b) {
  // CHECK: d[0] = lp::cvt_f16x2(a, b);
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(d[0]) : "f"(a), "f"(b));
  // CHECK: d[1] = lp::cvt_bf16x2(a, b);
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(d[1]) : "f"(a), "f"(b));
  // CHECK: h[0] = lp::cvt_f16_f32(a);
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h[0]) : "f"(a));
  // CHECK: f[0] = lp::cvt_f32_f16(h[1]);
  asm("cvt.f32.f16 %0, %1;" : "=f"(f[0]) : "h"(h[1]));
  // Rounding towards zero is not what clang's conversion does.
  // CHECK: LP_MANUAL("no lowering for the rounding or clamping of cvt.rz.f16.f32");
  asm("cvt.rz.f16.f32 %0, %1;" : "=h"(h[2]) : "f"(a));
}
