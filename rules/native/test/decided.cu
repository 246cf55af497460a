// Which of two tiles a warp reads is decided with a number that the launch gives: for most such
// numbers both warps of a wave read the same, and for some they do not.
//
// RUN: %layout-port %s -o %t.hip --target gfx90a,gfx942,gfx950 --verify --launch %S/Inputs/decided.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: %ported %t.hip | FileCheck %s
//
// REPORT-NOT: {{is not native|refuted|unknown}}
// REPORT: verify gfx90a: proved
// REPORT: verify gfx942: proved
// REPORT: verify gfx950: proved
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t *r, uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
}
__device__ void ldsm2(uint32_t *r, uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
}
__device__ void mma(float *d, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ uint32_t at(const half *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ void fetch(half *tile, const half *from, int count) {
  for (int i = threadIdx.x; i < count; i += 128)
    tile[i] = from[i];
}
__device__ int pick(int a, int b) { return a > b ? 1 : 0; }

// CHECK-LABEL: below(
__global__ void __launch_bounds__(128) below(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[64 * 16], sB[2][16 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fetch(sA, A + blockIdx.x * 64 * 16, 64 * 16);
  fetch(sB[0], B, 2 * 16 * 16);
  __syncthreads();
  float d[2][4] = {};
  uint32_t a[4], b[2][2];
  ldsm4(a, at(sA + (warp * 16 + lane % 16) * 16 + lane / 16 * 8));
  const half *tile = warp < n ? sB[0] : sB[1];
  for (int j = 0; j < 2; ++j)
    // CHECK: lp::load_b(b[j], [&](int lane, int warp
    ldsm2(b[j], at(tile + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8));
  for (int j = 0; j < 2; ++j)
    mma(d[j], a, b[j]);
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.x * 64 + warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = d[j][e];
}

// CHECK-LABEL: oneOfThem(
__global__ void __launch_bounds__(128) oneOfThem(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[64 * 16], sB[2][16 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fetch(sA, A + blockIdx.x * 64 * 16, 64 * 16);
  fetch(sB[0], B, 2 * 16 * 16);
  __syncthreads();
  float d[2][4] = {};
  uint32_t a[4], b[2][2];
  ldsm4(a, at(sA + (warp * 16 + lane % 16) * 16 + lane / 16 * 8));
  const half *tile = sB[warp == n];
  for (int j = 0; j < 2; ++j)
    // CHECK: lp::load_b(b[j], [&](int lane, int warp
    ldsm2(b[j], at(tile + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8));
  for (int j = 0; j < 2; ++j)
    mma(d[j], a, b[j]);
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.x * 64 + warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = d[j][e];
}

// CHECK-LABEL: forOneNumber(
__global__ void __launch_bounds__(128) forOneNumber(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[64 * 16], sB[2][16 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fetch(sA, A + blockIdx.x * 64 * 16, 64 * 16);
  fetch(sB[0], B, 2 * 16 * 16);
  __syncthreads();
  float d[2][4] = {};
  uint32_t a[4], b[2][2];
  ldsm4(a, at(sA + (warp * 16 + lane % 16) * 16 + lane / 16 * 8));
  const half *tile = n == 77 ? sB[warp % 2] : sB[0];
  for (int j = 0; j < 2; ++j)
    // CHECK: lp::load_b(b[j], [&](int lane, int warp
    ldsm2(b[j], at(tile + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8));
  for (int j = 0; j < 2; ++j)
    mma(d[j], a, b[j]);
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.x * 64 + warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = d[j][e];
}

// CHECK-LABEL: whenLarge(
__global__ void __launch_bounds__(128) whenLarge(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[64 * 16], sB[2][16 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fetch(sA, A + blockIdx.x * 64 * 16, 64 * 16);
  fetch(sB[0], B, 2 * 16 * 16);
  __syncthreads();
  float d[2][4] = {};
  uint32_t a[4], b[2][2];
  ldsm4(a, at(sA + (warp * 16 + lane % 16) * 16 + lane / 16 * 8));
  const half *tile = sB[(n >> 20) * (warp % 2)];
  for (int j = 0; j < 2; ++j)
    // CHECK: lp::load_b(b[j], [&](int lane, int warp
    ldsm2(b[j], at(tile + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8));
  for (int j = 0; j < 2; ++j)
    mma(d[j], a, b[j]);
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.x * 64 + warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = d[j][e];
}

// CHECK-LABEL: byFunction(
__global__ void __launch_bounds__(128) byFunction(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[64 * 16], sB[2][16 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fetch(sA, A + blockIdx.x * 64 * 16, 64 * 16);
  fetch(sB[0], B, 2 * 16 * 16);
  __syncthreads();
  float d[2][4] = {};
  uint32_t a[4], b[2][2];
  ldsm4(a, at(sA + (warp * 16 + lane % 16) * 16 + lane / 16 * 8));
  const half *tile = sB[pick(warp, n)];
  for (int j = 0; j < 2; ++j)
    // CHECK: lp::load_b(b[j], [&](int lane, int warp
    ldsm2(b[j], at(tile + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8));
  for (int j = 0; j < 2; ++j)
    mma(d[j], a, b[j]);
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.x * 64 + warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = d[j][e];
}

// CHECK-LABEL: atLeast(
__global__ void __launch_bounds__(128) atLeast(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[64 * 16], sB[2][16 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fetch(sA, A + blockIdx.x * 64 * 16, 64 * 16);
  fetch(sB[0], B, 2 * 16 * 16);
  __syncthreads();
  float d[2][4] = {};
  uint32_t a[4], b[2][2];
  ldsm4(a, at(sA + (warp * 16 + lane % 16) * 16 + lane / 16 * 8));
  const half *tile = &sB[0][0] + min(max(warp - n, 0), 1) * 256;
  for (int j = 0; j < 2; ++j)
    // CHECK: lp::load_b(b[j], [&](int lane, int warp
    ldsm2(b[j], at(tile + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8));
  for (int j = 0; j < 2; ++j)
    mma(d[j], a, b[j]);
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.x * 64 + warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = d[j][e];
}

// A quotient is the same for most sums.
// CHECK-LABEL: cutOff(
__global__ void __launch_bounds__(128) cutOff(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[64 * 16], sB[2][16 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fetch(sA, A + blockIdx.x * 64 * 16, 64 * 16);
  fetch(sB[0], B, 2 * 16 * 16);
  __syncthreads();
  float d[2][4] = {};
  uint32_t a[4], b[2][2];
  ldsm4(a, at(sA + (warp * 16 + lane % 16) * 16 + lane / 16 * 8));
  const half *tile = sB[(warp + n) / 1001 % 2];
  for (int j = 0; j < 2; ++j)
    // CHECK: lp::load_b(b[j], [&](int lane, int warp
    ldsm2(b[j], at(tile + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8));
  for (int j = 0; j < 2; ++j)
    mma(d[j], a, b[j]);
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.x * 64 + warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = d[j][e];
}

// ... and a high bit of them.
// CHECK-LABEL: oneBit(
__global__ void __launch_bounds__(128) oneBit(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[64 * 16], sB[2][16 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fetch(sA, A + blockIdx.x * 64 * 16, 64 * 16);
  fetch(sB[0], B, 2 * 16 * 16);
  __syncthreads();
  float d[2][4] = {};
  uint32_t a[4], b[2][2];
  ldsm4(a, at(sA + (warp * 16 + lane % 16) * 16 + lane / 16 * 8));
  const half *tile = sB[((warp + n) & 1024) / 1024];
  for (int j = 0; j < 2; ++j)
    // CHECK: lp::load_b(b[j], [&](int lane, int warp
    ldsm2(b[j], at(tile + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8));
  for (int j = 0; j < 2; ++j)
    mma(d[j], a, b[j]);
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.x * 64 + warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = d[j][e];
}

// The product's upper half is zero for most numbers.
// CHECK-LABEL: highHalf(
__global__ void __launch_bounds__(128) highHalf(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[64 * 16], sB[2][16 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fetch(sA, A + blockIdx.x * 64 * 16, 64 * 16);
  fetch(sB[0], B, 2 * 16 * 16);
  __syncthreads();
  float d[2][4] = {};
  uint32_t a[4], b[2][2];
  ldsm4(a, at(sA + (warp * 16 + lane % 16) * 16 + lane / 16 * 8));
  const half *tile = sB[__umulhi(warp, n) & 1];
  for (int j = 0; j < 2; ++j)
    // CHECK: lp::load_b(b[j], [&](int lane, int warp
    ldsm2(b[j], at(tile + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8));
  for (int j = 0; j < 2; ++j)
    mma(d[j], a, b[j]);
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.x * 64 + warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = d[j][e];
}

// ... asked whether it is zero.
// CHECK-LABEL: isNull(
__global__ void __launch_bounds__(128) isNull(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[64 * 16], sB[2][16 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fetch(sA, A + blockIdx.x * 64 * 16, 64 * 16);
  fetch(sB[0], B, 2 * 16 * 16);
  __syncthreads();
  float d[2][4] = {};
  uint32_t a[4], b[2][2];
  ldsm4(a, at(sA + (warp * 16 + lane % 16) * 16 + lane / 16 * 8));
  const half *tile = sB[!(warp - n)];
  for (int j = 0; j < 2; ++j)
    // CHECK: lp::load_b(b[j], [&](int lane, int warp
    ldsm2(b[j], at(tile + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8));
  for (int j = 0; j < 2; ++j)
    mma(d[j], a, b[j]);
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.x * 64 + warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = d[j][e];
}

// CHECK-LABEL: isTrue(
__global__ void __launch_bounds__(128) isTrue(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[64 * 16], sB[2][16 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fetch(sA, A + blockIdx.x * 64 * 16, 64 * 16);
  fetch(sB[0], B, 2 * 16 * 16);
  __syncthreads();
  float d[2][4] = {};
  uint32_t a[4], b[2][2];
  ldsm4(a, at(sA + (warp * 16 + lane % 16) * 16 + lane / 16 * 8));
  const bool other = warp ^ n;
  const half *tile = other ? sB[0] : sB[1];
  for (int j = 0; j < 2; ++j)
    // CHECK: lp::load_b(b[j], [&](int lane, int warp
    ldsm2(b[j], at(tile + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8));
  for (int j = 0; j < 2; ++j)
    mma(d[j], a, b[j]);
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.x * 64 + warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = d[j][e];
}

// ... made in steps.
// CHECK-LABEL: inSteps(
__global__ void __launch_bounds__(128) inSteps(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[64 * 16], sB[2][16 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fetch(sA, A + blockIdx.x * 64 * 16, 64 * 16);
  fetch(sB[0], B, 2 * 16 * 16);
  __syncthreads();
  float d[2][4] = {};
  uint32_t a[4], b[2][2];
  ldsm4(a, at(sA + (warp * 16 + lane % 16) * 16 + lane / 16 * 8));
  int third = warp + n;
  third /= 1001;
  const half *tile = sB[third & 1];
  for (int j = 0; j < 2; ++j)
    // CHECK: lp::load_b(b[j], [&](int lane, int warp
    ldsm2(b[j], at(tile + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8));
  for (int j = 0; j < 2; ++j)
    mma(d[j], a, b[j]);
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.x * 64 + warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = d[j][e];
}
