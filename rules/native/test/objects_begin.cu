// Sums in objects: two members of the structs in an array, and objects that begin with numbers of
// their own, by a member's default, by a constructor, by braces.
//
// RUN: %layout-port %s -o %t.hip 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t *r, const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void ldsm2(uint32_t *r, const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void mma(float *c, const uint32_t *a, uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
#define BEGIN                                                                                      \
  __shared__ half s[64 * 16];                                                                      \
  const int lane = threadIdx.x % 32;                                                               \
  s[threadIdx.x] = A[threadIdx.x];                                                                 \
  __syncthreads();
struct Both {
  float x[4], y[4];
};
// CHECK-DAG: note: twoMembers is not native: the sums in 'c' lie in structs that have other members, too
__global__ void __launch_bounds__(64) twoMembers(const half *A, float *C, int n) {
  BEGIN
  Both c[2] = {};
  for (int k = 0; k < n; ++k) {
    uint32_t a[4], b[2];
    ldsm4(a, s + (threadIdx.x / 32 * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
      mma(c[j].x, a, b[0], b[1]);
      mma(c[j].y, a, b[1], b[0]);
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[threadIdx.x * 8 + j * 4 + e] = c[j].x[e] - c[j].y[e];
}

struct Counted {
  float x[4] = {1, 2, 3, 4};
};
// CHECK-DAG: note: byDefault is not native: the registers of 'c' begin with different values
__global__ void __launch_bounds__(64) byDefault(const half *A, float *C, int n) {
  BEGIN
  Counted c[2];
  for (int k = 0; k < n; ++k) {
    uint32_t a[4], b[2];
    ldsm4(a, s + (threadIdx.x / 32 * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
      mma(c[j].x, a, b[0], b[1]);
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[threadIdx.x * 8 + j * 4 + e] = c[j].x[e];
}
// CHECK-DAG: note: byBraces is not native: the registers of 'c' begin with different values
__global__ void __launch_bounds__(64) byBraces(const half *A, float *C, int n) {
  BEGIN
  Counted c[2] = {};
  for (int k = 0; k < n; ++k) {
    uint32_t a[4], b[2];
    ldsm4(a, s + (threadIdx.x / 32 * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
      mma(c[j].x, a, b[0], b[1]);
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[threadIdx.x * 8 + j * 4 + e] = c[j].x[e];
}

struct Numbered {
  float x[2][4];
  __device__ Numbered() {
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        x[j][e] = float(threadIdx.x + e);
  }
};
struct Holder {
  Numbered sums;
};
// CHECK-DAG: note: byMember is not native: the registers of 'c.sums' begin with different values
__global__ void __launch_bounds__(64) byMember(const half *A, float *C, int n) {
  BEGIN
  Holder c;
  for (int k = 0; k < n; ++k) {
    uint32_t a[4], b[2];
    ldsm4(a, s + (threadIdx.x / 32 * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
      mma(c.sums.x[j], a, b[0], b[1]);
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[threadIdx.x * 8 + j * 4 + e] = c.sums.x[j][e];
}

struct Zeros {
  float x[4] = {};
};
// Objects that begin alike are as good as arrays.
// CHECK-NOT: alike is not native
// RUN: %ported %t.hip | FileCheck %s --check-prefix=TEXT
// TEXT-LABEL: void __launch_bounds__(64) alike(
// TEXT: lp::mma_m16n8k16_f32_f16_wave
__global__ void __launch_bounds__(64) alike(const half *A, float *C, int n) {
  BEGIN
  Zeros c[2] = {};
  for (int k = 0; k < n; ++k) {
    uint32_t a[4], b[2];
    ldsm4(a, s + (threadIdx.x / 32 * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
      mma(c[j].x, a, b[0], b[1]);
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[threadIdx.x * 8 + j * 4 + e] = c[j].x[e];
}
