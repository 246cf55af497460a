// Macros that build PTX from their parameters: a parameter that stands as an operand is
// one; a parameter in the instruction makes one macro for each text.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERR < %t.err
// RUN: not grep -E "^[^/]*asm *(volatile)? *\(" %t.hip
// RUN: %layout-port verify %s %t.hip --launch %S/Inputs/macros.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}tested: all outputs
// ERR: one macro for each of the 2 texts

// CHECK: #define LUT(d, a, b, c, lut)
// CHECK-NEXT: d = lp::lop3<lut>(a, b, c)
#define LUT(d, a, b, c, lut) \
  asm("lop3.b32 %0, %1, %2, %3, " #lut ";" : "=r"(d) : "r"(a), "r"(b), "r"(c))
// CHECK: #define AT(d, p, off) d = *lp::global_at<unsigned>((unsigned long long)(p) + (off))
#define AT(d, p, off) asm volatile("ld.global.u32 %0, [%1+" #off "];" : "=r"(d) : "l"(p))
// CHECK: #define SHIFT_shl(op, d, a, n) d = lp::shl<unsigned>(a, n)
// CHECK-NEXT: #define SHIFT_shr(op, d, a, n) d = lp::shr<unsigned>(a, n)
#define SHIFT(op, d, a, n) asm(#op ".b32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(n))
// The same C++ for all of them: one macro stays one.
// CHECK: #define LOAD(how, d, p) d = *lp::global_at<unsigned>(p)
#define LOAD(how, d, p) asm volatile("ld.global" how ".u32 %0, [%1];" : "=r"(d) : "l"(p))
// Used in another macro: the name changes there.
// CHECK: #define BIT_and(op, d, a, b) do { d = (unsigned)(a) & (unsigned)(b); (d) ^= 1; } while (0)
// CHECK-NEXT: #define BIT_or(op, d, a, b) do { d = (unsigned)(a) | (unsigned)(b); (d) ^= 1; } while (0)
#define BIT(op, d, a, b) do { asm(op ".b32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); (d) ^= 1; } while (0)
// CHECK: #define MASK(d, a) BIT_and("and", d, a, 0xff)
#define MASK(d, a) BIT("and", d, a, 0xff)
// Arguments are whole expressions.
// CHECK: #define TWICE(d, a) d = (unsigned)(a) * 2u
#define TWICE(d, a) asm("mul.lo.u32 %0, %1, 2;" : "=r"(d) : "r"(a))
// An argument with a side effect has it once.
// CHECK: #define SQUARE(d, a) do { const unsigned lp_in1 = (unsigned)(a); auto &lp_out0 = d; lp_out0 = (unsigned)lp_in1 * (unsigned)lp_in1; } while (0)
#define SQUARE(d, a) asm("mul.lo.u32 %0, %1, %1;" : "=r"(d) : "r"(a))

// The constraint is what a use passes.
// CHECK: #define GET_f32(T, letter, d, p) d = *lp::global_at<float>(p)
// CHECK-NEXT: #define GET_b32(T, letter, d, p) d = *lp::global_at<unsigned>(p)
// CHECK-NEXT: #define GET_b32_2(T, letter, d, p) d = lp::bits<float>(*lp::global_at<unsigned>(p))
#define GET(T, letter, d, p) asm volatile("ld.global." #T " %0, [%1];" : "=" #letter(d) : "l"(p))
// CHECK-NEXT: #define PUT_1(how, p, x) *lp::global_at<unsigned>(p) = lp::bits<unsigned>((x))
// CHECK-NEXT: #define PUT_2(how, p, x) *lp::global_at<unsigned>(p) = (unsigned)(x)
#define PUT(how, p, x) asm volatile("st.global.b32 [%0], %1;" ::"l"(p), how(x) : "memory")
// Names that are pasted are operands like others.
// CHECK: {{^}}#define TRIPLE(d, i) d##i = (unsigned)(d##i) * 3u
#define TRIPLE(d, i) asm("mul.lo.u32 %0, %0, 3;" : "+r"(d##i))

__global__ void macros(unsigned *D, const unsigned *A) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = A[t], y = A[t + 1], z = A[t + 2], d[16], i = 3;
  // CHECK: LUT(d[0], x, y, z, 0xea);
  LUT(d[0], x, y, z, 0xea);
  LUT(d[1], x, y, z, (0xf0 & 0xcc) | 0xaa);
  AT(d[2], A + t, 4);
  AT(d[3], A + t, 2 * 4);
  // CHECK: SHIFT_shl(shl, d[4], x, y & 31);
  SHIFT(shl, d[4], x, y & 31);
  // CHECK: SHIFT_shr(shr, d[5], x, y & 31);
  SHIFT(shr, d[5], x, y & 31);
  LOAD(".ca", d[6], A + t);
  LOAD(".cg.L2::128B", d[7], A + t);
  // CHECK: BIT_or("or", d[8], x, y);
  BIT("or", d[8], x, y);
  // CHECK: MASK(d[9], x);
  MASK(d[9], x);
  TWICE(d[10], x + y);
  TWICE(d[11], x ? y : z);
  SQUARE(d[12], i++);
  d[13] = i;
  float f;
  unsigned d0 = A[t + 3], d1 = A[t + 4];
  GET(f32, f, f, A + t);
  GET(b32, r, d[14], A + t);
  GET(b32, f, f, A + t + 1);
  TRIPLE(d, 0);
  TRIPLE(d, 1);
  d[12] += d0 + d1;
  for (int k = 0; k < 16; ++k)
    D[16 * t + k] = d[k];
  PUT("f", D + 16 * t + 15, f);
  PUT("r", D + 16 * t + 14, d[14] + 1);
}
