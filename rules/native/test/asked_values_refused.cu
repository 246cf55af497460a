// Operands made of values that no other lane can be asked for, or that would be other numbers there:
// what keeps such a kernel from being native.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>
struct Words { uint32_t u[4]; };
struct Much { uint32_t u[8]; };
__device__ __forceinline__ uint32_t pack(float x, float y) {
  const half2 h = __floats2half2_rn(x, y);
  return *(const uint32_t *)&h;
}
__device__ __forceinline__ void mma(float (&d)[4], uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(64) name(const float *S, const half *V, float *C, int K)
#define SETUP                                                                                      \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;           \
  const float *p = S + (warp * 16 + g) * K + t * 2;                                                 \
  const uint32_t *q = (const uint32_t *)(V + g * K + t * 2);                                        \
  float c[4] = {};
#define A_OF(p)                                                                                    \
  pack(p[0], p[1]), pack(p[8 * K], p[8 * K + 1]), pack(p[8], p[9]), pack(p[8 * K + 8], p[8 * K + 9])
#define STORE for (int i = 0; i < 4; ++i) C[(warp * 16 + g + i / 2 * 8) * 8 + t * 2 + i % 2] = c[i];


// CHECK-DAG: onResult is not native: 'c' is used between the products: an operand that is read from memory is given results
KERNEL(onResult) {
  SETUP
  float x = p[0];
  mma(c, A_OF(p), q[0], q[4]);
  if (c[0] > 3.f)
    x = p[1];
  const uint32_t a0 = pack(x, x), a1 = pack(p[8 * K], x), a2 = pack(p[8], x), a3 = pack(x, p[9]);
  mma(c, a0, a1, a2, a3, q[0], q[4]);
  STORE
}

// CHECK-DAG: ofResult is not native: operand A of mma.m16n8k16.f16 is neither read by ldmatrix nor put together in one place: rows r and r + 8 of a tile are not treated alike in
KERNEL(ofResult) {
  SETUP
  mma(c, A_OF(p), q[0], q[4]);
  const float x = c[0] * p[0];
  const float y = x + p[1];
  const uint32_t a0 = pack(y, y), a1 = pack(p[8 * K], y), a2 = pack(p[8], y), a3 = pack(y, p[9]);
  mma(c, a0, a1, a2, a3, q[0], q[4]);
  STORE
}

// CHECK-DAG: ofOperand keeps 'b0' in CUDA's layout and moves it for each product: 'b0' is an operand and is used by other code
KERNEL(ofOperand) {
  SETUP
  const uint32_t b0 = q[0], b1 = q[4];
  mma(c, A_OF(p), b0, b1);
  const float y = __uint_as_float(b0) * p[3];
  const uint32_t a0 = pack(y, y), a1 = pack(p[8 * K], y), a2 = pack(p[8], y), a3 = pack(y, p[9]);
  mma(c, a0, a1, a2, a3, b0, b1);
  STORE
}

// CHECK-DAG: tooMuch is not native: 'y' is computed from 'memory', which changes before it is used
KERNEL(tooMuch) {
  SETUP
  const Much x = *(const Much *)p, y = *(const Much *)(p + 8 * K);
  mma(c, x.u[0], y.u[0], x.u[1], y.u[1], q[0], q[4]);
  STORE
}

// CHECK-DAG: changed keeps 'x.u' in CUDA's layout and moves it for each product: the registers of mma.m16n8k16.f16 are not one array in order
KERNEL(changed) {
  SETUP
  Words x = *(const Words *)p, y = *(const Words *)(p + 8 * K);
  x.u[1] ^= 1;
  mma(c, x.u[0], y.u[0], x.u[1], y.u[1], q[0], q[4]);
  STORE
}

// CHECK-DAG: ofResults is not native: an operand that is written into the call is made from the fragment 'x'
KERNEL(ofResults) {
  SETUP
  mma(c, A_OF(p), q[0], q[4]);
  const float f = c[1] * p[0];
  const Words x = {{pack(f, p[1])}}, y = {{pack(f, p[0])}};
  mma(c, x.u[0], y.u[0], x.u[1], y.u[1], q[0], q[4]);
  STORE
}

// CHECK-DAG: ofOne keeps 'b0' in CUDA's layout and moves it for each product: 'b0' is an operand and is used by other code
KERNEL(ofOne) {
  SETUP
  const uint32_t b0 = q[0], b1 = q[4];
  mma(c, A_OF(p), b0, b1);
  const Words x = *(const Words *)(p + b0 % 2), y = *(const Words *)(p + 8 * K);
  mma(c, x.u[0], y.u[0], x.u[1], y.u[1], b0, b1);
  STORE
}

// CHECK-DAG: onResultInCall is not native: 'c' is used between the products: rows r and r + 8 of a tile are not treated alike
KERNEL(onResultInCall) {
  SETUP
  float x = p[0];
  mma(c, A_OF(p), q[0], q[4]);
  if (c[0] > 3.f)
    x = p[1];
  mma(c, pack(x, x), pack(p[8 * K], x), pack(p[8], x), pack(x, p[9]), q[0], q[4]);
  STORE
}

// CHECK-DAG: ofStruct is not native: an operand that is written into the call is made from the fragment 'x'
KERNEL(ofStruct) {
  SETUP
  mma(c, A_OF(p), q[0], q[4]);
  const int at = c[1] > 0.f;
  const Words x = *(const Words *)(p + at * 4), y = *(const Words *)(p + 8 * K);
  mma(c, x.u[0], y.u[0], x.u[1], y.u[1], q[0], q[4]);
  STORE
}

// CHECK-DAG: volatileValue is not native: an operand that is written into the call: its value reads a volatile variable
KERNEL(volatileValue) {
  SETUP
  volatile float x = p[1];
  mma(c, pack(x, x), pack(p[8 * K], x), pack(p[8], x), pack(x, p[9]), q[0], q[4]);
  STORE
}

// CHECK-DAG: otherNumbers keeps 'a' in CUDA's layout and moves it for each product: 'a' is put together from other numbers
KERNEL(otherNumbers) {
  SETUP
  uint32_t a[4];
  a[0] = p[0];
  a[1] = p[8 * K];
  a[2] = p[8];
  a[3] = p[8 * K + 8];
  mma(c, a[0], a[1], a[2], a[3], q[0], q[4]);
  STORE
}
