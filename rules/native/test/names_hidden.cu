// What an address is made from has a name that means something else where it would be computed anew: a
// parameter that fragments have the name of, the counter that the registers of a fragment are
// numbered by. No lane's address is computed from those.
//
// RUN: %layout-port %s -o %t.hip --target gfx90a,gfx942,gfx950 --verify --launch %S/Inputs/names_hidden.yaml 2>&1 | FileCheck %s
//
// CHECK-DAG: parameterOfKernel keeps 'A' in CUDA's layout and moves it for each product: 'A' is another variable where it is used
// CHECK-DAG: parameterOfFunction keeps 'a' in CUDA's layout and moves it for each product: 'a' is another variable where it is used
// CHECK-DAG: counter keeps 'a' in CUDA's layout and moves it for each product: it uses two variables of the name 'K'
// CHECK-DAG: localCounter keeps 'a' in CUDA's layout and moves it for each product: it uses two variables of the name 'step'
// CHECK-NOT: {{refuted|otherCounter is not native}}
// CHECK: verify gfx90a: proved
// CHECK: verify gfx942: proved
// CHECK: verify gfx950: proved
#include <cuda_fp16.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t word(const half *p) { return *(const uint32_t *)p; }
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void readB(uint32_t (&b)[2], const half *p) {
  b[0] = word(p);
  b[1] = word(p + 8);
}

#define KERNEL(name) __global__ void __launch_bounds__(64) name(const half *A, const half *B, float *C, int K)
#define SETUP                                                                                      \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;          \
  const int row = (blockIdx.x * 2 + warp) * 16 + g;                                                \
  float acc[2][4] = {};
#define STORE                                                                                      \
  for (int j = 0; j < 2; ++j) {                                                                    \
    const int column = j * 8 + t * 2;                                                              \
    *(float2 *)&C[row * 16 + column] = make_float2(acc[j][0], acc[j][1]);                          \
    *(float2 *)&C[(row + 8) * 16 + column] = make_float2(acc[j][2], acc[j][3]);                    \
  }

KERNEL(parameterOfKernel) {
  SETUP
  const half *p = A + row * K + t * 2;
  for (int k = 0; k < K; k += 16) {
    uint32_t A[4], b[2];
    A[0] = word(p + k);
    A[1] = word(p + 8 * K + k);
    A[2] = word(p + 8 + k);
    A[3] = word(p + 8 * K + 8 + k);
    for (int j = 0; j < 2; ++j) {
      readB(b, B + (j * 8 + g) * K + k + t * 2);
      mma(acc[j], A, b);
    }
  }
  STORE
}

__device__ void multiply(const half *a, const half *b, float (&acc)[2][4], int K) {
  const int lane = threadIdx.x % 32;
  const half *pa = a + (threadIdx.x / 32 * 16 + lane / 4) * K + lane % 4 * 2;
  const half *pb = b + lane / 4 * K + lane % 4 * 2;
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    a[0] = word(pa + k);
    a[1] = word(pa + 8 * K + k);
    a[2] = word(pa + 8 + k);
    a[3] = word(pa + 8 * K + 8 + k);
    for (int j = 0; j < 2; ++j) {
      readB(b, pb + j * 8 * K + k);
      mma(acc[j], a, b);
    }
  }
}
KERNEL(parameterOfFunction) {
  SETUP
  multiply(A + blockIdx.x * 32 * K, B, acc, K);
  STORE
}

KERNEL(counter) {
  SETUP
  const int size = K, below = 8 * K;
  const half *p = A + row * K + t * 2;
  for (int k = 0; k < size; k += 16) {
    uint32_t a[4], b[2];
    for (int K = 0; K < 4; ++K)
      a[K] = word(p + (K & 1) * below + (K >> 1) * 8 + k);
    for (int j = 0; j < 2; ++j) {
      readB(b, B + (j * 8 + g) * size + k + t * 2);
      mma(acc[j], a, b);
    }
  }
  STORE
}
KERNEL(localCounter) {
  SETUP
  const int size = K, below = 8 * K, step = 2;
  const half *p = A + row * K + t * step;
  for (int k = 0; k < size; k += 16) {
    uint32_t a[4], b[2];
    for (int step = 0; step < 4; ++step)
      a[step] = word(p + (step & 1) * below + (step >> 1) * 8 + k);
    for (int j = 0; j < 2; ++j) {
      readB(b, B + (j * 8 + g) * size + k + t * 2);
      mma(acc[j], a, b);
    }
  }
  STORE
}
KERNEL(otherCounter) {
  SETUP
  const int size = K, below = 8 * K;
  const half *p = A + row * K + t * 2;
  for (int k = 0; k < size; k += 16) {
    uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(p + (r & 1) * below + (r >> 1) * 8 + k);
    for (int j = 0; j < 2; ++j) {
      readB(b, B + (j * 8 + g) * size + k + t * 2);
      mma(acc[j], a, b);
    }
  }
  STORE
}
