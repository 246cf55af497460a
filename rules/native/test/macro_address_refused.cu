// Addresses that a macro's own text goes on computing behind the conversion, or cuts off, are printed
// with the runtime's name for it; one that counts is refused.
//
// RUN: %layout-port %s -o %t.hip 2>&1 | FileCheck %s
// RUN: %ported %t.hip | FileCheck %s --check-prefix=PORT
//
// CHECK-NOT: {{behind|cut}} is not native
#include <cuda_fp16.h>
#include <stdint.h>

#define ROWS16(r, address)                                                                         \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"                     \
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address))
#define BEHIND(r, p) ROWS16(r, (uint32_t)__cvta_generic_to_shared(p) + 512)
#define CUT(r, p) ROWS16(r, (uint32_t)(uint16_t)__cvta_generic_to_shared(p))
#define COUNTED(r, p) ROWS16(r, (uint32_t)__cvta_generic_to_shared(p))

__device__ void rows8(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#define BEGIN                                                                                      \
  __shared__ half s[48 * 16];                                                                      \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  for (int i = threadIdx.x; i < 48 * 16; i += 64)                                                  \
    s[i] = A[i];                                                                                   \
  __syncthreads();                                                                                 \
  float c[2][4] = {};                                                                              \
  uint32_t a[4], b[2];
#define END                                                                                        \
  for (int e = 0; e < 8; e++)                                                                      \
    C[threadIdx.x * 8 + e] = c[e / 4][e % 4];

__global__ void __launch_bounds__(64) behind(const half *A, float *C) {
  BEGIN
  // PORT: return (uint32_t)lp::cvta_generic_to_shared(s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8 - 256) + 512;
  BEHIND(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8 - 256);
  for (int j = 0; j < 2; j++) {
    rows8(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    mma(c[j], a, b);
  }
  END
}

__global__ void __launch_bounds__(64) cut(const half *A, float *C) {
  BEGIN
  // PORT: return (uint32_t)(uint16_t)lp::cvta_generic_to_shared(s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  CUT(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  for (int j = 0; j < 2; j++) {
    rows8(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    mma(c[j], a, b);
  }
  END
}

__global__ void __launch_bounds__(64) counted(const half *A, float *C) {
  BEGIN
  int count = 0;
  // CHECK: note: counted keeps 'a' in CUDA's layout and moves it for each product: it changes something where it is computed, which other lanes cannot do again ({{.*}}:[[# @LINE + 1]])
  COUNTED(a, s + (warp * 16 + lane % 16 + 0 * count++) * 16 + lane / 16 * 8);
  for (int j = 0; j < 2; j++) {
    rows8(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    mma(c[j], a, b);
  }
  END
}
