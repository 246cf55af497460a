// Operands that a kernel puts together itself: register by register, in a loop over the
// registers, in a declaration; and what keeps such a kernel from being native.
// RUN: %layout-port %s -o %t.hip --target gfx942 > %t.log 2>&1
// RUN: FileCheck %s < %t.log
// RUN: %ported %t.hip | FileCheck %s --check-prefix=TEXT
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ uint32_t counted(uint32_t *at) { return atomicAdd(at, 1); }

#define SETUP                                                                                      \
  __shared__ uint32_t s[2][32][8];                                                                 \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;          \
  float c[4] = {};                                                                                 \
  uint32_t a[4], b[2];

// TEXT-LABEL: inOrder(
// TEXT: lp::gather_a(a, [&](int lane, int warp, int i) {
// TEXT: return s[warp][g + i % 2 * 8][t + i / 2 * 4];
// TEXT: uint32_t e[2];
// TEXT-NEXT: lp::gather_b
// TEXT: return r == 0 ? s[0][g][t] : s[0][g][t + 4];
// TEXT: lp::mma_m16n8k16_f32_f16_wave(c, a, e);
__global__ void __launch_bounds__(64) inOrder(float *C) {
  SETUP
#pragma unroll
  for (int i = 0; i < 4; ++i)
    a[i] = s[warp][g + i % 2 * 8][t + i / 2 * 4];
  uint32_t e[2] = {s[0][g][t], s[0][g][t + 4]};
  mma(c, a, e);
  C[threadIdx.x] = c[0];
}

// CHECK-DAG: ownRegisters keeps 'a' in CUDA's layout and moves it for each product: 'a': its value reads 'tmp', registers of the thread's own ({{.*}}gathered.cu:[[@LINE+5]])
__global__ void __launch_bounds__(64) ownRegisters(float *C) {
  SETUP
  uint32_t tmp[2];
  tmp[0] = s[warp][g][t], tmp[1] = s[warp][g + 8][t];
  a[0] = tmp[0]; a[1] = tmp[1];
  a[2] = s[warp][g][t + 4]; a[3] = s[warp][g + 8][t + 4];
  b[0] = s[0][g][t];
  b[1] = s[0][g][t + 4];
  mma(c, a, b);
  C[threadIdx.x] = c[0];
}

// CHECK-DAG: effects keeps 'b' in CUDA's layout and moves it for each product: 'b': its value calls 'atomicAdd' ({{.*}}gathered.cu:[[@LINE+5]])
__global__ void __launch_bounds__(64) effects(float *C) {
  SETUP
  a[0] = s[warp][g][t]; a[1] = s[warp][g + 8][t];
  a[2] = s[warp][g][t + 4]; a[3] = s[warp][g + 8][t + 4];
  b[0] = counted(&s[0][g][t]);
  b[1] = s[0][g][t + 4];
  mma(c, a, b);
  C[threadIdx.x] = c[0];
}

// CHECK-DAG: partly keeps 'b' in CUDA's layout and moves it for each product: 'b' is an operand and is used by other code
__global__ void __launch_bounds__(64) partly(float *C) {
  SETUP
  for (int k = 0; k < 2; ++k) {
    b[1] = 0;
    a[0] = s[warp][g][t]; a[1] = s[warp][g + 8][t];
    a[2] = s[warp][g][t + 4]; a[3] = s[warp][g + 8][t + 4];
    b[0] = s[0][g][t];
    mma(c, a, b);
  }
  C[threadIdx.x] = c[0];
}

// CHECK-DAG: unequal is not native: the registers of 'd' begin with different values
__global__ void __launch_bounds__(64) unequal(float *C) {
  SETUP
  float d[4] = {1, 1, 2, 2};
  a[0] = s[warp][g][t]; a[1] = s[warp][g + 8][t];
  a[2] = s[warp][g][t + 4]; a[3] = s[warp][g + 8][t + 4];
  b[0] = s[0][g][t];
  b[1] = s[0][g][t + 4];
  mma(d, a, b);
  C[threadIdx.x] = d[0];
}

// CHECK-DAG: guarded keeps 'b' in CUDA's layout and moves it for each product: fragments are loaded under a condition on the thread: g < n ({{.*}}gathered.cu:[[@LINE+6]])
__global__ void __launch_bounds__(64) guarded(float *C, int n) {
  SETUP
  a[0] = s[warp][g][t]; a[1] = s[warp][g + 8][t];
  a[2] = s[warp][g][t + 4]; a[3] = s[warp][g + 8][t + 4];
  if (g < n) {
    b[0] = s[0][g][t];
    b[1] = s[0][g][t + 4];
  }
  mma(c, a, b);
  C[threadIdx.x] = c[0];
}

// Names for parts of the address go with the loop.
// TEXT-LABEL: withNames(
// TEXT: lp::gather_a(a, [&](int lane, int warp, int r) {
// TEXT-DAG: const int upper = r % 2;
// TEXT-DAG: const int row = g + upper * 8;
// TEXT: return s[warp][row][t + r / 2 * 4];
// TEXT-NEXT: });
// TEXT: lp::gather_b(
__global__ void __launch_bounds__(64) withNames(float *C) {
  SETUP
  for (int r = 0; r < 4; ++r) {
    const int upper = r % 2, row = g + upper * 8;
    a[r] = s[warp][row][t + r / 2 * 4];
  }
  for (int r = 0; r < 2; ++r)
    b[r] = s[0][g][t + r * 4];
  mma(c, a, b);
  C[threadIdx.x] = c[0];
}

// CHECK-DAG: withACount keeps 'a' in CUDA's layout and moves it for each product: 'a': its value assigns on the way ({{.*}}gathered.cu:[[@LINE+4]])
__global__ void __launch_bounds__(64) withACount(float *C) {
  SETUP
  int n = 0;
  for (int r = 0; r < 4; ++r) {
    const int i = n++;
    a[r] = s[warp][g + i % 2 * 8][t + i / 2 * 4];
  }
  for (int r = 0; r < 2; ++r)
    b[r] = s[0][g][t + r * 4];
  mma(c, a, b);
  C[threadIdx.x] = c[0] + n;
}

// CHECK-DAG: withAStep keeps 'a' in CUDA's layout and moves it for each product: 'a': its value is made from 'i', which changes ({{.*}}gathered.cu:[[@LINE+3]])
__global__ void __launch_bounds__(64) withAStep(float *C) {
  SETUP
  for (int r = 0; r < 4; ++r) {
    int i = r, j = i++;
    a[r] = s[warp][g + j % 2 * 8][t + i / 2 * 4];
  }
  for (int r = 0; r < 2; ++r)
    b[r] = s[0][g][t + r * 4];
  mma(c, a, b);
  C[threadIdx.x] = c[0];
}
