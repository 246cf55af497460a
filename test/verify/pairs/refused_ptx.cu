// Instructions that neither the port nor the machine does.
__global__ void refused(unsigned *out, float x, float y, unsigned long long p) {
  unsigned r;
  unsigned short h;
  asm volatile("{ .reg .b8 b; cvt.rn.satfinite.e2m1x2.f32 b, %1, %2; mov.b16 %0, {b, b}; }" : "=h"(h) : "f"(x), "f"(y));
  asm volatile("cvt.rn.satfinite.e2m3x2.f32 %0, %1, %2;" : "=h"(h) : "f"(x), "f"(y));
  asm volatile("cvt.rn.satfinite.e3m2x2.f32 %0, %1, %2;" : "=h"(h) : "f"(x), "f"(y));
  asm volatile("cvt.rz.satfinite.ue8m0x2.f32 %0, %1, %2;" : "=h"(h) : "f"(x), "f"(y));
  asm volatile("{ .reg .pred p; isspacep.const p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "l"(p));
  asm volatile("{ .reg .b128 q; ld.global.b128 q, [%0]; }" ::"l"(p));
  out[0] = r + h;
}
