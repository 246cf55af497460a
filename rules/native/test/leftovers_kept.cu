// A name that the preprocessor puts together is no token of the text: in a file with such macros all
// declarations stay.
//
// RUN: %layout-port %s -o %t.hip --verify --launch %S/Inputs/leftovers.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: %ported %t.hip | FileCheck %s
//
// REPORT-NOT: {{is not native|refuted|unknown}}
// REPORT: verify gfx942: proved
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t *r, const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void ldsm2(uint32_t *r, const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void mma(float *d, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#define GET (ro##w)

// CHECK-LABEL: parts(const half
__global__ void __launch_bounds__(64) parts(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half sA[32 * 24], sB[32 * 24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = 0;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    __syncthreads();
    for (int i = threadIdx.x; i < 32 * 16; i += 64) {
      sA[i / 16 * 24 + i % 16] = A[i / 16 * K + k + i % 16];
      sB[i / 16 * 24 + i % 16] = B[i / 16 * K + k + i % 16];
    }
    __syncthreads();
    uint32_t a[4], b[2];
    // CHECK: const int row = lane % 16;
    // CHECK-NEXT: lp::load_a(
    const int row = lane % 16;
    ldsm4(a, sA + (warp * 16 + row) * 24 + lane / 16 * 8);
    for (int j = 0; j < 4; ++j) {
      ldsm2(b, sB + (j * 8 + lane % 8) * 24 + lane / 8 % 2 * 8);
      mma(c[j], a, b);
    }
    if (GET > 32)
      C[0] = 1;
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}
