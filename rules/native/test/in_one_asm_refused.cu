// Several instructions in one asm: what stands beside those of matrices may only make addresses,
// each register once, and of an address that is a pointer none is made. Macros may not declare the
// fragments that they fill, nor do something else between.
//
// RUN: %layout-port %s -o %t.hip 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

#define READ(type, made, p)                                                                        \
  asm volatile("{ .reg .u32 at; .reg .u64 wide; " made                                             \
               "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [at]; }"                         \
               : "=r"(b[0]), "=r"(b[1]) : type(p))
#define DECLARES(p)                                                                                \
  {                                                                                                \
    uint32_t own[2];                                                                               \
    ldsm2(own, p);                                                                                 \
    mma(c[j], a, own);                                                                             \
  }
#define COPIES(p)                                                                                  \
  {                                                                                                \
    ldsm2(b, p);                                                                                   \
    s[0] = A[0];                                                                                   \
    mma(c[j], a, b);                                                                               \
  }
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
__device__ void finish(float *C, const float (&c)[2][4]) {
  for (int e = 0; e < 8; e++)
    C[threadIdx.x * 8 + e] = c[e / 4][e % 4];
}
#define BEGIN                                                                                      \
  __shared__ half s[48 * 32];                                                                      \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  s[threadIdx.x] = A[threadIdx.x];                                                                 \
  __syncthreads();                                                                                 \
  float c[2][4] = {};                                                                              \
  uint32_t a[4], b[2];
#define B_AT (s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8)

__global__ void __launch_bounds__(64) multiplied(const half *A, float *C) {
  BEGIN
  ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  for (int j = 0; j < 2; j++) {
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(B_AT);
    // CHECK: note: multiplied is not native: a matrix instruction among others in one asm ({{.*}}:[[# @LINE + 1]])
    READ("r", "mul.lo.u32 at, %2, 1; ", at);
    mma(c[j], a, b);
  }
  finish(C, c);
}

__global__ void __launch_bounds__(64) writtenTwice(const half *A, float *C) {
  BEGIN
  ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  for (int j = 0; j < 2; j++) {
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(B_AT);
    // CHECK: note: writtenTwice is not native: an address of ldmatrix of another form than one register ({{.*}}:[[# @LINE + 1]])
    READ("r", "mov.u32 at, %2; add.u32 at, at, 16; ", at);
    mma(c[j], a, b);
  }
  finish(C, c);
}

__global__ void __launch_bounds__(64) pointer(const half *A, float *C) {
  BEGIN
  ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  for (int j = 0; j < 2; j++) {
    // CHECK: note: pointer is not native: an address of ldmatrix of another form than one register ({{.*}}:[[# @LINE + 1]])
    READ("l", "cvta.to.shared.u64 wide, %2; add.u64 wide, wide, 16; cvt.u32.u64 at, wide; ", B_AT);
    mma(c[j], a, b);
  }
  finish(C, c);
}

__global__ void __launch_bounds__(64) declares(const half *A, float *C) {
  BEGIN
  ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  for (int j = 0; j < 2; j++) {
    // CHECK: note: declares is not native: a macro writes matrix instructions and declares the fragments that they name ({{.*}}:[[# @LINE + 1]])
    DECLARES(B_AT)
  }
  finish(C, c);
}

__global__ void __launch_bounds__(64) copies(const half *A, float *C) {
  BEGIN
  ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  for (int j = 0; j < 2; j++) {
    // CHECK: note: copies is not native: a macro writes a matrix instruction together with something else ({{.*}}:[[# @LINE + 1]])
    COPIES(B_AT)
  }
  finish(C, c);
}

// Two in one asm of the kernel's own: no call stands for each.
// CHECK: note: ofItsOwn is not native: several matrix instructions in one asm that is no function's or macro's ({{.*}}:[[# @LINE + 9]])
__global__ void __launch_bounds__(64) ofItsOwn(const half *A, float *C) {
  __shared__ __align__(16) half s[64 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 64 * 16; i += 64)
    s[i] = A[i];
  __syncthreads();
  uint32_t a[4], b[4];
  const uint32_t at = (uint32_t)__cvta_generic_to_shared(s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%8];\n"
               "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%4,%5,%6,%7}, [%8+1024];"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]), "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3])
               : "r"(at));
  float c[4] = {};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[2]));
  for (int e = 0; e < 4; e++)
    C[threadIdx.x * 4 + e] = c[e];
}
