// An operand is a value, whatever expression gives it: it keeps its meaning beside the
// operators that the PTX becomes. Floats in integer registers, and integers in float
// registers, are bits.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: not grep -E "^ *asm" %t.hip
// RUN: %layout-port verify %s %t.hip --launch %S/Inputs/expressions.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}tested: all outputs
struct Row { float x[4]; };
__device__ float next(float *p) { return *p += 1; }
__device__ unsigned count(unsigned *n) { return ++*n; }
__global__ void expressions(float *O, const float *A, const double *B) {
  const int t = threadIdx.x;
  float x = A[t], y = A[t + 32], z = A[t + 64], d;
  double p = B[t], q = B[t + 32], e;
  const bool c = t & 1;
  float *o = O + 24 * t;
  // CHECK: d = (x + y) * z;
  asm("mul.f32 %0, %1, %2;" : "=f"(d) : "f"(x + y), "f"(z));
  o[0] = d;
  // CHECK: d = -(-x);
  asm("neg.f32 %0, %1;" : "=f"(d) : "f"(-x));
  o[1] = d;
  // CHECK: d = x / (y * z);
  asm("div.rn.f32 %0, %1, %2;" : "=f"(d) : "f"(x), "f"(y * z));
  o[2] = d;
  // CHECK: d = lp::mul_rn(c ? x : y, y - z);
  asm("mul.rn.f32 %0, %1, %2;" : "=f"(d) : "f"(c ? x : y), "f"(y - z));
  o[3] = d;
  // CHECK: e = p - (p - q);
  asm("sub.f64 %0, %1, %2;" : "=d"(e) : "d"(p), "d"(p - q));
  o[4] = (float)e;
  // CHECK: do { bool ptx_p; ptx_p = (c ? x : y) > (y - z); d = ptx_p ? (c ? x : y) : (y - z); } while (0);
  asm("{.reg .pred p; setp.gt.f32 p, %1, %2; selp.f32 %0, %1, %2, p;}" : "=f"(d) : "f"(c ? x : y), "f"(y - z));
  o[5] = d;
  // CHECK: (c ? d : o[7]) = 2.5f;
  asm("mov.f32 %0, %1;" : "=f"(c ? d : o[7]) : "f"(2.5f));
  o[6] = c ? d : o[7];
  // CHECK: d = (x+1) * (x+1);
  asm("mul.f32 %0, %1, %1;" : "=f"(d) : "f"(x+1));
  o[7] = d;
  // CHECK: d = A[t] * o[0];
  asm("mul.f32 %0, %1, %2;" : "=f"(d) : "f"(A[t]), "f"(o[0]));
  o[8] = d;
  // CHECK: d = *A * static_cast<float>(p);
  asm("mul.f32 %0, %1, %2;" : "=f"(d) : "f"(*A), "f"(static_cast<float>(p)));
  o[9] = d;
  // CHECK: *lp::global_at<float>(o + 10) = x - z;
  asm volatile("st.global.f32 [%0], %1;" ::"l"(o + 10), "f"(x - z) : "memory");
  // A float in an integer register, and an integer in a float register.
  unsigned bits;
  // CHECK: bits = lp::bits<unsigned>(x) & 0x7fffffffu;
  asm("and.b32 %0, %1, 0x7fffffff;" : "=r"(bits) : "r"(x));
  o[11] = __uint_as_float(bits);
  // CHECK: d = lp::bits<float>((unsigned)bits ^ 0x80000000u);
  asm("xor.b32 %0, %1, 0x80000000;" : "=r"(d) : "r"(bits));
  o[12] = d;
  // CHECK: d = lp::bits<float>((unsigned)bits) + z;
  asm("add.f32 %0, %1, %2;" : "=f"(d) : "f"(bits), "f"(z));
  o[13] = d;
  // A call is made once, however often the text reads the operand, and if it never does.
  float w = x;
  // CHECK: do { const float lp_in1 = (float)(next(&w)); d = lp_in1 * lp_in1; } while (0);
  asm("mul.f32 %0, %1, %1;" : "=f"(d) : "f"(next(&w)));
  o[14] = d + w;
  unsigned n = t;
  // CHECK: do { const unsigned lp_in2 = (unsigned)(count(&n)); d = x; } while (0);
  asm("mov.f32 %0, %1;" : "=f"(d) : "f"(x), "r"(count(&n)));
  o[15] = d + n;
  // CHECK: d = lp::bits<float>(lp::bits<unsigned>(x) + (unsigned)(n << 2));
  asm("add.u32 %0, %1, %2;" : "=f"(d) : "f"(x), "r"(n << 2));
  o[16] = d;
  Row r;
  // CHECK: r.x[t & 3] = (x + y) - r.x[0];
  r.x[0] = y;
  asm("sub.f32 %0, %1, %2;" : "=f"(r.x[t & 3]) : "f"(x + y), "f"(r.x[0]));
  o[17] = r.x[t & 3];
  // What is cast is the whole expression, on both sides.
  int m;
  // CHECK: m = (int)((int)n - 9) >> 1;
  asm("shr.s32 %0, %1, 1;" : "=r"(m) : "r"((int)n - 9));
  o[18] = (float)m;
  // A view of a variable is written before the variable is read.
  unsigned long long v = 0x100000002ull * (t + 1);
  // CHECK: do { const unsigned long long lp_in2 = (unsigned long long)(v);
  asm("{ add.u32 %0, %3, 1; cvt.u32.u64 %1, %2; }"
      : "=r"(((unsigned *)&v)[1]), "=r"(n) : "l"(v), "r"((unsigned)t));
  o[19] = (float)n;
  o[20] = (float)(unsigned)(v >> 32);
  o[21] = o[22] = o[23] = 0;
}
