// Pairs that are read into variables and make an operand: another lane reads them again where nothing
// was written in between, by any name; else they are asked of the lane that has them.
//
// RUN: %layout-port %s -o %t.hip --verify --launch %S/Inputs/read_again.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: %ported %t.hip | FileCheck %s
//
// REPORT-NOT: {{is not native|refuted|unknown}}
// REPORT: verify gfx942: proved
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
struct Place {
  half2 *at;
  __device__ void operator=(half2 v) { *at = v; }
};

// CHECK-LABEL: byReference(
__global__ void __launch_bounds__(64) byReference(const half *A, const half *B, float *C) {
  __shared__ half2 own[64][4];
  const int lane = threadIdx.x % 32;
  const half2 zero = __float2half2_rn(0.f);
  for (int i = 0; i < 4; ++i)
    own[threadIdx.x][i] = ((const half2 *)A)[threadIdx.x * 4 + i];
  __syncthreads();
  uint32_t a[4], b[2];
  float c[4] = {};
  b[0] = ((const uint32_t *)B)[lane * 2];
  b[1] = ((const uint32_t *)B)[lane * 2 + 1];
  half2 first = own[threadIdx.x][0], second = own[threadIdx.x][1];
  half2 &slot = own[threadIdx.x][0];
  slot = zero;
  // CHECK: lp::of_thread(first_
  a[0] = reinterpret_cast<uint32_t &>(first);
  a[1] = reinterpret_cast<uint32_t &>(second);
  a[2] = *(const uint32_t *)&own[threadIdx.x][2];
  a[3] = *(const uint32_t *)&own[threadIdx.x][3];
  mma(c, a, b);
  for (int e = 0; e < 4; ++e)
    C[threadIdx.x * 4 + e] = c[e];
}

// CHECK-LABEL: byOperator(
__global__ void __launch_bounds__(64) byOperator(const half *A, const half *B, float *C) {
  __shared__ half2 own[64][4];
  const int lane = threadIdx.x % 32;
  const half2 zero = __float2half2_rn(0.f);
  for (int i = 0; i < 4; ++i)
    own[threadIdx.x][i] = ((const half2 *)A)[threadIdx.x * 4 + i];
  __syncthreads();
  uint32_t a[4], b[2];
  float c[4] = {};
  b[0] = ((const uint32_t *)B)[lane * 2];
  b[1] = ((const uint32_t *)B)[lane * 2 + 1];
  half2 first = own[threadIdx.x][0], second = own[threadIdx.x][1];
  Place slot{&own[threadIdx.x][0]};
  slot = zero;
  // CHECK: lp::of_thread(first_
  a[0] = reinterpret_cast<uint32_t &>(first);
  a[1] = reinterpret_cast<uint32_t &>(second);
  a[2] = *(const uint32_t *)&own[threadIdx.x][2];
  a[3] = *(const uint32_t *)&own[threadIdx.x][3];
  mma(c, a, b);
  for (int e = 0; e < 4; ++e)
    C[threadIdx.x * 4 + e] = c[e];
}

// CHECK-LABEL: untouched(
__global__ void __launch_bounds__(64) untouched(const half *A, const half *B, float *C) {
  __shared__ half2 own[64][4];
  const int lane = threadIdx.x % 32;
  const half2 zero = __float2half2_rn(0.f);
  for (int i = 0; i < 4; ++i)
    own[threadIdx.x][i] = ((const half2 *)A)[threadIdx.x * 4 + i];
  __syncthreads();
  uint32_t a[4], b[2];
  float c[4] = {};
  b[0] = ((const uint32_t *)B)[lane * 2];
  b[1] = ((const uint32_t *)B)[lane * 2 + 1];
  half2 first = own[threadIdx.x][0], second = own[threadIdx.x][1];
  // CHECK: auto first = own[
  a[0] = reinterpret_cast<uint32_t &>(first);
  a[1] = reinterpret_cast<uint32_t &>(second);
  a[2] = *(const uint32_t *)&own[threadIdx.x][2];
  a[3] = *(const uint32_t *)&own[threadIdx.x][3];
  mma(c, a, b);
  for (int e = 0; e < 4; ++e)
    C[threadIdx.x * 4 + e] = c[e];
}
