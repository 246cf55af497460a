// No launch is in view, and no bound. Where the warps of a block have operands of their own, it has
// several: whole waves are taken for granted, and checked. Else a block may be one warp.
//
// RUN: %layout-port %s -o %t.hip 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=TEXT --input-file=%t.hip
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void ldsm2(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void mma(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// CHECK: native 1 native assumes blocks of one row, of a multiple of 64 threads; checked here
// TEXT-LABEL: severalWarps(
// TEXT-NEXT: lp::require_one_row();
__global__ void severalWarps(const half *A, float *C) {
  __shared__ half s[1024];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  s[threadIdx.x] = A[threadIdx.x];
  __syncthreads();
  float c[4] = {};
  uint32_t a[4], b[2];
  ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  ldsm2(b, s + lane % 16 * 16);
  mma(c, a, b);
  C[threadIdx.x] = c[0];
}

// CHECK: note: oneOrMore is not native: its block size is not known here; __launch_bounds__, a launch in this file or '// layout-port: assume whole waves' would tell
// TEXT-LABEL: oneOrMore(
// TEXT-NEXT: __shared__ half s[1024];
__global__ void oneOrMore(const half *A, float *C) {
  __shared__ half s[1024];
  const int lane = threadIdx.x % 32;
  s[threadIdx.x] = A[threadIdx.x];
  __syncthreads();
  float c[4] = {};
  uint32_t a[4], b[2];
  ldsm4(a, s + lane % 16 * 16 + lane / 16 * 8);
  ldsm2(b, s + lane % 16 * 16);
  mma(c, a, b);
  C[threadIdx.x] = c[0];
}
