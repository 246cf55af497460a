// Pointers that an epilogue's loop over tiles moves on at the end of each turn, one for each row or
// one for both, with others made of them; and a column that is counted on beside the tile's number.
//
// RUN: %prove --launch %S/pointers_walk.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.one.hip --target gfx942
// RUN: %ported %t.one.hip | FileCheck %s
// CHECK: __global__ void oneForBoth(
// CHECK: auto p = C + (blockIdx.y * 32 + warp * 16 + lane / 4) * n + blockIdx.x * 32 + lane % 4 * 2;
// CHECK-NEXT: p += 8 * j;
// CHECK-NEXT: *(half2 *)(p + 8 * n * lower) = __floats2half2_rn(v[0], v[1]);
// CHECK-NEXT: });
// CHECK: __global__ void oneForEach(
// CHECK: auto upper = C + (row * n + blockIdx.x * 32 + lane % 4 * 2);
// CHECK: upper += 8 * j;
// CHECK: __global__ void __launch_bounds__(64) counted(
// CHECK: col += (blockDim.x / 8) * j;
// CHECK: __global__ void backwards(
// CHECK: p += (long long)(-STEP) * j;
// CHECK: q += (long long)by * j;
// CHECK-NOT: to_warp_
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int PITCH = 24;

__device__ __forceinline__ void products(float (&c)[4][4], const half *A, const half *B, int k) {
  __shared__ __align__(16) half as[32 * PITCH], bs[32 * PITCH];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int k0 = 0; k0 < k; k0 += 16) {
    __syncthreads();
    *(uint4 *)&as[threadIdx.x / 2 * PITCH + threadIdx.x % 2 * 8] =
        *(const uint4 *)&A[threadIdx.x / 2 * k + k0 + threadIdx.x % 2 * 8];
    *(uint4 *)&bs[threadIdx.x / 2 * PITCH + threadIdx.x % 2 * 8] =
        *(const uint4 *)&B[threadIdx.x / 2 * k + k0 + threadIdx.x % 2 * 8];
    __syncthreads();
    uint32_t a[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(
                     as + (warp * 16 + lane % 16) * PITCH + lane / 16 * 8)));
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      uint32_t b[2];
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                   : "=r"(b[0]), "=r"(b[1])
                   : "r"((uint32_t)__cvta_generic_to_shared(
                       bs + (j * 8 + lane % 8) * PITCH + lane / 8 % 2 * 8)));
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                   "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                   : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
  }
}

__global__ void oneForBoth(const half *A, const half *B, half *C, int n, int k) {
  float c[4][4] = {};
  products(c, A + blockIdx.y * 32 * k, B + blockIdx.x * 32 * k, k);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  half *p = C + (blockIdx.y * 32 + warp * 16 + lane / 4) * n + blockIdx.x * 32 + lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    *(half2 *)p = __floats2half2_rn(c[j][0], c[j][1]);
    *(half2 *)(p + 8 * n) = __floats2half2_rn(c[j][2], c[j][3]);
    p += 8;
  }
}

__global__ void oneForEach(const half *A, const half *B, const float *__restrict__ bias,
                           half *__restrict__ C, int n, int k) {
  float c[4][4] = {};
  products(c, A + blockIdx.y * 32 * k, B + blockIdx.x * 32 * k, k);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = blockIdx.y * 32 + warp * 16 + lane / 4;
  half *upper = C + (row * n + blockIdx.x * 32 + lane % 4 * 2);
  half *lower = upper + 8 * n;
  const float *add = bias + blockIdx.x * 32 + lane % 4 * 2;
  for (int j = 0; j < 4; ++j) {
    upper[0] = __float2half(c[j][0] + add[0]);
    upper[1] = __float2half(c[j][1] + add[1]);
    lower[0] = __float2half(c[j][2] + add[0]);
    lower[1] = __float2half(c[j][3] + add[1]);
    upper += 8;
    lower += 8;
    add += 8;
  }
}

__global__ void __launch_bounds__(64) counted(const half *A, const half *B, half *C, int n, int k,
                                              int columns) {
  float c[4][4] = {};
  products(c, A + blockIdx.y * 32 * k, B + blockIdx.x * 32 * k, k);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = blockIdx.y * 32 + warp * 16 + lane / 4;
  int col = blockIdx.x * 32 + lane % 4 * 2;
  for (int j = 0; j < 4; ++j) {
    if (col < columns) {
      *(half2 *)(C + row * n + col) = __floats2half2_rn(c[j][0], c[j][1]);
      *(half2 *)(C + (row + 8) * n + col) = __floats2half2_rn(c[j][2], c[j][3]);
    }
    col += blockDim.x / 8;
  }
}

// Tiles from the right to the left, with an unsigned counter: -8 of it would be large.
__global__ void backwards(const half *A, const half *B, half *C, int n, int k, int by) {
  float c[4][4] = {};
  products(c, A + blockIdx.y * 32 * k, B + blockIdx.x * 32 * k, k);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  enum { STEP = 8 };
  half *p = C + (blockIdx.y * 32 + warp * 16 + lane / 4) * n + blockIdx.x * 32 + 3 * STEP +
            lane % 4 * 2;
  half *q = p + 8 * n;
  for (unsigned j = 0; j < 4; ++j) {
    *(half2 *)p = __floats2half2_rn(c[j][0], c[j][1]);
    *(half2 *)q = __floats2half2_rn(c[j][2], c[j][3]);
    p += -STEP;
    q += by;
  }
}
