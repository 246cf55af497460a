// Registers under conditions that are no choices between values: what they hold where the condition
// does not is not known, or more is done than to set them.
//
// RUN: %layout-port %s -o %t.hip 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ uint32_t word(const half *p) { return *(const uint32_t *)p; }
__device__ __forceinline__ void store(float *C, const float (&c)[4]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int e = 0; e < 4; ++e)
    C[(warp * 16 + lane / 4 + e / 2 * 8) * 8 + lane % 4 * 2 + e % 2] = c[e];
}
#define SETUP                                                                              \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;  \
  const int r0 = warp * 16 + g, r1 = r0 + 8;                                               \
  float c[4] = {};
#define B_OF(k)                                                                            \
  uint32_t b[2] = {word(B + g * K + (k) + t * 2), word(B + g * K + (k) + t * 2 + 8)};

// What they hold in rows beyond M nobody knows.
// CHECK-DAG: unset keeps 'a' in CUDA's layout and moves it for each product: fragments are loaded under a condition on the thread: r0 < M
__global__ void __launch_bounds__(64)
unset(const half *A, const half *B, float *C, int M, int K, int *counter) {
  SETUP
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4];
    if (r0 < M) {
      a[0] = word(A + r0 * K + k + t * 2);
      a[2] = word(A + r0 * K + k + t * 2 + 8);
    }
    a[1] = word(A + r1 * K + k + t * 2);
    a[3] = word(A + r1 * K + k + t * 2 + 8);
    B_OF(k)
    mma(c, a, b);
  }
  store(C, c);
}

// What they hold there is of the turn before.
// CHECK-DAG: lastTurns keeps 'a' in CUDA's layout and moves it for each product: fragments are loaded under a condition on the thread: r0 < k
__global__ void __launch_bounds__(64)
lastTurns(const half *A, const half *B, float *C, int M, int K, int *counter) {
  SETUP
  uint32_t a[4] = {0, 0, 0, 0};
  for (int k = 0; k < K; k += 16) {
    if (r0 < k) {
      a[0] = word(A + r0 * K + k + t * 2);
      a[2] = word(A + r0 * K + k + t * 2 + 8);
    }
    a[1] = word(A + r1 * K + k + t * 2);
    a[3] = word(A + r1 * K + k + t * 2 + 8);
    B_OF(k)
    mma(c, a, b);
  }
  store(C, c);
}

// A condition does more.
// CHECK-DAG: counts keeps 'a' in CUDA's layout and moves it for each product: fragments are loaded under a condition on the thread: r0 < M
__global__ void __launch_bounds__(64)
counts(const half *A, const half *B, float *C, int M, int K, int *counter) {
  SETUP
  int rows = 0;
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4] = {0, 0, 0, 0};
    if (r0 < M) {
      a[0] = word(A + r0 * K + k + t * 2);
      a[2] = word(A + r0 * K + k + t * 2 + 8);
      ++rows;
    }
    a[1] = word(A + r1 * K + k + t * 2);
    a[3] = word(A + r1 * K + k + t * 2 + 8);
    B_OF(k)
    mma(c, a, b);
  }
  store(C, c);
  if (rows) counter[threadIdx.x] = rows;
}

// A register decides about another.
// CHECK-DAG: asksRegister keeps 'a' in CUDA's layout and moves it for each product: 'a' is an array or struct of the thread's own
__global__ void __launch_bounds__(64)
asksRegister(const half *A, const half *B, float *C, int M, int K, int *counter) {
  SETUP
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4];
    a[0] = word(A + r0 * K + k + t * 2);
    a[1] = word(A + r1 * K + k + t * 2);
    a[2] = a[3] = 0;
    if (a[0] != 0) {
      a[2] = word(A + r0 * K + k + t * 2 + 8);
      a[3] = word(A + r1 * K + k + t * 2 + 8);
    }
    B_OF(k)
    mma(c, a, b);
  }
  store(C, c);
}

// What is read under a condition alone may not be read elsewhere.
// CHECK-DAG: readsFirst keeps 'a' in CUDA's layout and moves it for each product: fragments are loaded under a condition on the thread: r0 < M
__global__ void __launch_bounds__(64)
readsFirst(const half *A, const half *B, float *C, int M, int K, int *counter) {
  SETUP
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4] = {0, 0, 0, 0};
    if (r0 < M) {
      const uint32_t first = word(A + r0 * K + k + t * 2);
      a[0] = first;
      a[2] = first;
    }
    a[1] = word(A + r1 * K + k + t * 2);
    a[3] = word(A + r1 * K + k + t * 2 + 8);
    B_OF(k)
    mma(c, a, b);
  }
  store(C, c);
}

// A condition counts.
// CHECK-DAG: counted keeps 'a' in CUDA's layout and moves it for each product: fragments are loaded under a condition on the thread: atomicAdd(counter, 1) < M
__global__ void __launch_bounds__(64)
counted(const half *A, const half *B, float *C, int M, int K, int *counter) {
  SETUP
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4] = {0, 0, 0, 0};
    if (atomicAdd(counter, 1) < M) {
      a[0] = word(A + r0 * K + k + t * 2);
      a[2] = word(A + r0 * K + k + t * 2 + 8);
    }
    a[1] = word(A + r1 * K + k + t * 2);
    a[3] = word(A + r1 * K + k + t * 2 + 8);
    B_OF(k)
    mma(c, a, b);
  }
  store(C, c);
}

// What a branch declares is made from a register that it has just set.
// CHECK-DAG: ofAnother keeps 'a0' in CUDA's layout and moves it for each product: fragments are loaded under a condition on the thread: r0 < M
__global__ void __launch_bounds__(64)
ofAnother(const half *A, const half *B, float *C, int M, int K, int *counter) {
  SETUP
  for (int k = 0; k < K; k += 16) {
    uint32_t a0 = 0, a1 = 0, a2 = 0, a3 = 0;
    if (r0 < M) {
      a0 = word(A + r0 * K + k + t * 2);
      const uint32_t turned = a0 ^ 0x80008000u;
      a2 = turned;
    }
    if (r1 < M) {
      a1 = word(A + r1 * K + k + t * 2);
      a3 = word(A + r1 * K + k + t * 2 + 8);
    }
    B_OF(k)
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b[0]), "r"(b[1]));
  }
  store(C, c);
}
