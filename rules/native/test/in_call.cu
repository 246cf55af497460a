// Operands that are written into the product's call, and that other lanes cannot compute: what
// keeps such a kernel from being native.
// RUN: %layout-port %s -o %t.hip --target gfx942 > %t.log 2>&1
// RUN: FileCheck %s < %t.log
// RUN: %ported %t.hip | FileCheck %s --check-prefix=TEXT
#include <cuda_fp16.h>
#include <stdint.h>

__device__ uint32_t word(const half *p) { return *reinterpret_cast<const uint32_t *>(p); }
__device__ uint32_t counted(uint32_t *at) { return atomicAdd(at, 1); }
__device__ void mma(float (&d)[4], uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint32_t b0,
                    uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
// Sixteen bits of what it is given.
__device__ void mmaOfHalves(float (&d)[4], uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3,
                            unsigned short b0, unsigned short b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"((uint32_t)b0), "r"((uint32_t)b1));
}

#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(64) name(const half *A, const half *B, float *C, uint32_t *N)
#define SETUP                                                                                      \
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;                                   \
  float c[4] = {};                                                                                 \
  const half *p = A + (threadIdx.x / 32 * 16 + g) * 16 + t * 2;                                    \
  const half *q = B + g * 16 + t * 2;
#define A_OF(p) word(p), word(p + 128), word(p + 8), word(p + 136)
#define STORE(c) for (int n = 0; n < 4; ++n) C[threadIdx.x * 4 + n] = c[n];

// CHECK-DAG: counts is not native: an operand that is written into the call: its value calls 'atomicAdd' ({{.*}}in_call.cu:[[@LINE+3]])
KERNEL(counts) {
  SETUP
  mma(c, A_OF(p), counted(N), word(q + 8));
  STORE(c)
}

// CHECK-DAG: advances is not native: an operand that is written into the call: its value assigns on the way (
KERNEL(advances) {
  SETUP
  mma(c, A_OF(p), word(q), word(q += 8));
  STORE(c)
}

// CHECK-DAG: exchanges is not native: an operand that is written into the call: its value calls '__shfl_xor_sync' (
KERNEL(exchanges) {
  SETUP
  mma(c, A_OF(p), __shfl_xor_sync(~0u, word(q), 1), word(q + 8));
  STORE(c)
}

// CHECK-DAG: ofResults is not native: an operand that is written into the call: its value reads 'c', registers of the thread's own (
KERNEL(ofResults) {
  SETUP
  float e[4] = {};
  mma(c, A_OF(p), word(q), word(q + 8));
  mma(e, __float_as_uint(c[0]), word(p + 128), word(p + 8), word(p + 136), word(q), word(q + 8));
  STORE(e)
}

// CHECK-DAG: ofSum is not native: an operand that is written into the call is made from the fragment 'sum' (
KERNEL(ofSum) {
  SETUP
  float sum = 0;
  mma(c, A_OF(p), word(q), word(q + 8));
  sum = c[0];
  mma(c, A_OF(p), word(q) + (int)sum, word(q + 8));
  STORE(c)
}

// CHECK-DAG: ofFragment is not native: an operand that is written into the call is made from the fragment 'a3' (
KERNEL(ofFragment) {
  SETUP
  uint32_t a0 = word(p), a1 = word(p + 128), a2 = word(p + 8), a3 = word(p + 136);
  mma(c, a0, a1, a2, a3, word(q), word(q + 8));
  mma(c, word(p), word(p + 128), word(p + 8), a3 & 0xffff, word(q), word(q + 8));
  STORE(c)
}

// A lambda's call is the kernel's own text: the lanes are asked inside of it.
// TEXT-LABEL: KERNEL(inLambda)
// TEXT: const auto step = [&](int k) { lp::mma_m16n8k16_f32_f16_wave(c, lp::operand_a([&, p_ = p](
// TEXT: return r == 0 ? word(p + k)
// TEXT: return r == 0 ? word(q + k) : word(q + k + 8);
KERNEL(inLambda) {
  SETUP
  const auto step = [&](int k) { mma(c, A_OF(p + k), word(q + k), word(q + k + 8)); };
  step(0);
  STORE(c)
}

// TEXT-LABEL: KERNEL(narrowed)
// TEXT: const unsigned short b0 = word(q);
// TEXT: return r == 0 ? (uint32_t)b0 : (uint32_t)b1;
KERNEL(narrowed) {
  SETUP
  mmaOfHalves(c, A_OF(p), word(q), word(q + 8));
  STORE(c)
}
