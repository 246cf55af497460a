// What asm does with its operands: inputs are read before outputs are written, each
// expression is evaluated once, an input tied by number is where the output starts.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: not grep -E "^ *asm" %t.hip
// RUN: %layout-port verify %s %t.hip --launch %S/Inputs/operands.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}tested: all outputs
struct Fragment { unsigned x, y; };
__device__ __forceinline__ void twice(unsigned &a) {
  // CHECK: a = (unsigned)a + (unsigned)a;
  asm volatile("add.u32 %0, %0, %0;" : "+r"(a));
}
__global__ void operands(unsigned *D, const unsigned *A) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = A[t], y = A[t + 128], d[12], i = 0;
  Fragment f = {x, y};
  // CHECK: do { d[0] = x; d[0] = (unsigned)(d[0]) + (unsigned)y; } while (0);
  asm("add.u32 %0, %0, %2;" : "=r"(d[0]) : "0"(x), "r"(y));
  // CHECK: do { const unsigned lp_in1 = (unsigned)(x); x = (unsigned)lp_in1 + 1u; x = (unsigned)x + (unsigned)lp_in1; } while (0);
  asm("{ add.u32 %0, %1, 1; add.u32 %0, %0, %1; }" : "=r"(x) : "r"(x));
  d[1] = x;
  // CHECK: do { const unsigned lp_in2 = (unsigned)(f.x); f.x = (unsigned)lp_in2 ^ (unsigned)(f.y); f.y = (unsigned)lp_in2 ^ 7u; } while (0);
  asm("{ xor.b32 %0, %2, %3; xor.b32 %1, %2, 7; }" : "=r"(f.x), "=r"(f.y) : "r"(f.x), "r"(f.y));
  d[2] = f.x, d[3] = f.y;
  // CHECK: do { const unsigned lp_in1 = (unsigned)(A[t + i++]); d[4] = (unsigned)lp_in1 * (unsigned)y; } while (0);
  asm("mul.lo.u32 %0, %1, %2;" : "=r"(d[4]) : "r"(A[t + i++]), "r"(y));
  d[5] = i;
  unsigned *p = d + 6;
  // CHECK: do { auto &lp_out0 = *p++; lp_out0 = (unsigned)y - 3u; } while (0);
  asm("sub.u32 %0, %1, 3;" : "=r"(*p++) : "r"(y));
  // CHECK: do { auto &lp_out0 = *p++; lp_out0 = (unsigned)y - 4u; } while (0);
  asm("sub.u32 %0, %1, 4;" : "=r"(*p++) : "r"(y));
  // CHECK: d[8] = (unsigned)y - 5u;
  asm("sub.u32 %[out], %[in], 5;" : [out] "=r"(d[8]) : [in] "r"(y));
  // CHECK: do { bool ptx_p; unsigned ptx_p2; ptx_p = (unsigned)(y & 1) != 0u; ptx_p2 = (unsigned)x; if (ptx_p) ptx_p2 = ptx_p2 + (unsigned)(y & 1); d[9] = ptx_p2; } while (0);
  asm("{ .reg .pred p; .reg .b32 p2; setp.ne.u32 p, %2, 0; mov.b32 p2, %1; @p add.u32 p2, p2, %2; mov.b32 %0, p2; }"
      : "=r"(d[9]) : "r"(x), "r"(y & 1));
  twice(y);
  d[10] = y;
  // CHECK: do { const unsigned lp_in2 = (unsigned)(y); const unsigned lp_in3 = (unsigned)(x); x = lp_in2; y = lp_in3; x = (unsigned)x + 5u; y = (unsigned)y ^ 9u; } while (0);
  asm("{ add.u32 %0, %0, 5; xor.b32 %1, %1, 9; }" : "=r"(x), "=r"(y) : "0"(y), "1"(x));
  d[11] = x * 3 + y;
  for (int k = 0; k < 12; ++k)
    D[12 * t + k] = d[k];
}
