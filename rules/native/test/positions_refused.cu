// Structs of numbers that a function cannot tell of another lane: one that it may change, and one
// with members that are no words.
//
// RUN: %layout-port %s -o %t.hip 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

struct Position {
  int lane, row;
};
struct Flagged {
  int lane, row;
  bool isLast;
};

__device__ void multiply(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}

__device__ void walked(uint32_t (&a)[2][4], const half *s, Position &at) {
  for (int i = 0; i < 2; ++i) {
    // CHECK-DAG: note: walks keeps 'a' in CUDA's layout and moves it for each product: 'at' is an array or struct of the thread's own ({{.*}}positions_refused.cu:[[#@LINE+1]])
    ldsm4(a[i], s + (at.row + at.lane % 16) * 16 + at.lane / 16 * 8);
    at.row += 16;
  }
}
__global__ void __launch_bounds__(64) walks(const half *A, float *C) {
  __shared__ half s[64 * 16];
  Position at = {(int)threadIdx.x % 32, (int)threadIdx.x / 32 * 32};
  for (int i = threadIdx.x; i < 64 * 16; i += 64)
    s[i] = A[i];
  __syncthreads();
  uint32_t a[2][4], b[2];
  float c[2][4] = {};
  walked(a, s, at);
  for (int i = 0; i < 2; ++i) {
    b[0] = *(const uint32_t *)&s[threadIdx.x % 32 / 4 * 16 + threadIdx.x % 4 * 2];
    b[1] = *(const uint32_t *)&s[threadIdx.x % 32 / 4 * 16 + threadIdx.x % 4 * 2 + 8];
    multiply(c[i], a[i], b);
  }
  C[threadIdx.x] = c[0][0] + c[1][0];
}

__device__ void flagged(uint32_t (&a)[2][4], const half *s, const Flagged &at) {
  for (int i = 0; i < 2; ++i)
    // CHECK-DAG: note: flags keeps 'a' in CUDA's layout and moves it for each product: 'at' is an array or struct of the thread's own ({{.*}}positions_refused.cu:[[#@LINE+1]])
    ldsm4(a[i], s + (at.row + i * (at.isLast ? 0 : 16) + at.lane % 16) * 16 + at.lane / 16 * 8);
}
__global__ void __launch_bounds__(64) flags(const half *A, float *C) {
  __shared__ half s[64 * 16];
  const Flagged at = {(int)threadIdx.x % 32, (int)threadIdx.x / 32 * 32, threadIdx.x >= 32};
  for (int i = threadIdx.x; i < 64 * 16; i += 64)
    s[i] = A[i];
  __syncthreads();
  uint32_t a[2][4], b[2];
  float c[2][4] = {};
  flagged(a, s, at);
  for (int i = 0; i < 2; ++i) {
    b[0] = *(const uint32_t *)&s[at.lane / 4 * 16 + at.lane % 4 * 2];
    b[1] = *(const uint32_t *)&s[at.lane / 4 * 16 + at.lane % 4 * 2 + 8];
    multiply(c[i], a[i], b);
  }
  C[threadIdx.x] = c[0][0] + c[1][0];
}
