// A constant operand may be part of an instruction's name, as the compiler prints it; what is no
// constant, or not the same one everywhere, is left to a person.
// RUN: not %layout-port %s -o %t.hip 2>%t.err
// RUN: FileCheck --check-prefix=REPORT %s < %t.err
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_runtime.h>

// REPORT: name_operand.cu:[[#@LINE+11]]:3: manual: asm: PTX: an operand is part of the name of an instruction, and its value is not known here
// REPORT: name_operand.cu:[[#@LINE+15]]:3: manual: asm: PTX: an operand is part of the name of an instruction, and its value is not known here
// REPORT: compiled: gfx942 yes host yes (but for 3 manual sites, with -DLP_ALLOW_MANUAL)
__device__ int4 local(int4 a, int2 b, int4 c) {
  constexpr int K = 64;
  // CHECK: lp::mma_m16n8k64_s32_s4(a.x,
  asm("mma.sync.aligned.m16n8k%14.row.col.s32.s4.s4.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};" : "=r"(a.x), "=r"(a.y), "=r"(a.z), "=r"(a.w) : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y), "r"(c.x), "r"(c.y), "r"(c.z), "r"(c.w), "n"(K));
  return a;
}
template <int width> __device__ unsigned both(unsigned x) {
  // CHECK: /* asm({{.*}} */ LP_MANUAL("PTX: an operand is part
  asm("mov.b%2 %0, %1;" : "=r"(x) : "r"(x), "n"(width));
  return x;
}
__device__ unsigned runtime(unsigned x, int width) {
  // CHECK: /* asm({{.*}} */ LP_MANUAL("PTX: an operand is part
  asm("mov.b%2 %0, %1;" : "=r"(x) : "r"(x), "r"(width));
  return x;
}
template <int lanes> __device__ unsigned one(unsigned x) {
  // CHECK: static_assert((2 * lanes) == 32, "the PTX of this value was ported")
  asm("shl.b%[w] %0, %1, 2;" : "=r"(x) : "r"(x), [w] "n"(2 * lanes));
  return x;
}
template <bool half> struct Name { static constexpr const char value[] = "bf16"; };
template <bool half> __device__ unsigned text(unsigned x) {
  // CHECK: /* asm({{.*}} */ LP_MANUAL("nvcc puts the text 'Name<half>::value' into the PTX (\"C\"): write an asm statement for each text");
  asm("neg.%2x2 %0, %1;" : "=r"(x) : "r"(x), "C"(Name<half>::value));
  return x;
}
__global__ void k(unsigned *out, int4 *m, int2 *b) {
  out[0] = both<32>(out[0]) + both<16>(out[1]) + runtime(out[2], 32) + one<16>(out[3]);
  m[0] = local(m[0], b[0], m[1]);
}
