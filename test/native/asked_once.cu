// Values of a column that several results meet by name: where both warps of a wave have the same,
// it is asked for where the variable is declared, or the one that it is made of. Where they have
// not, or the variable is used otherwise, each result asks for itself.
//
// RUN: %prove --launch %S/asked_once.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

struct Layer {
  const half *x, *w;
  const float *bias;
  half *y;
  int depth;
};
constexpr int kPitch = 40;

__device__ __forceinline__ uint32_t shared32(const void *p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void ldsm4(uint32_t *r, uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}
__device__ __forceinline__ void stsm4(uint32_t at, uint32_t r0, uint32_t r1, uint32_t r2,
                                      uint32_t r3) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};"
               :: "r"(at), "r"(r0), "r"(r1), "r"(r2), "r"(r3) : "memory");
}
__device__ __forceinline__ void mma(float *d, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ uint32_t relu(float low, float high, float b0, float b1) {
  const half2 both = __floats2half2_rn(fmaxf(low + b0, 0.f), fmaxf(high + b1, 0.f));
  return *(const uint32_t *)&both;
}
// 64 rows of x, 32 of w; every warp has 16 rows and all columns.
__device__ __forceinline__ void copyIn(const Layer &p, half *sx, half *sw, int k) {
  for (int i = threadIdx.x; i < 64 * 4; i += 128)
    *(int4 *)&sx[i / 4 * kPitch + i % 4 * 8] = *(const int4 *)&p.x[i / 4 * p.depth + k + i % 4 * 8];
  for (int i = threadIdx.x; i < 32 * 4; i += 128)
    *(int4 *)&sw[i / 4 * kPitch + i % 4 * 8] = *(const int4 *)&p.w[i / 4 * p.depth + k + i % 4 * 8];
}
__device__ __forceinline__ void copyOut(const Layer &p, const half *sy) {
  for (int i = threadIdx.x; i < 64 * 4; i += 128)
    *(int4 *)&p.y[i / 4 * 32 + i % 4 * 8] = *(const int4 *)&sy[i / 4 * kPitch + i % 4 * 8];
}
#define BEGIN                                                                                      \
  __shared__ __align__(16) half sx[64 * kPitch], sw[32 * kPitch];                                  \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const uint32_t to = shared32(sx);                                                                \
  float acc[4][4] = {};

// One of all four columns' biases: the column.
// CHECK-LABEL: ofColumn(
// CHECK: const int col = lp::of_element(0, [&](int lane, int, int) { return j * 8 + lane % 4 * 2; });
// CHECK-NEXT: const float b0 = p.bias[col], b1 = p.bias[col + 1], b2 = p.bias[col + 8], b3 = p.bias[col + 9];
// CHECK: lp::store_matrices<0>(
// CHECK: relu(acc[j][0], acc[j][1], b0, b1), relu(acc[j][2], acc[j][3], b0, b1),
__global__ void __launch_bounds__(128) ofColumn(Layer p) {
  BEGIN
  for (int k = 0; k < p.depth; k += 32) {
    copyIn(p, sx, sw, k);
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[2][4];
      ldsm4(a, to + ((warp * 16 + lane % 16) * kPitch + kk + lane / 16 * 8) * 2);
#pragma unroll
      for (int j = 0; j < 2; ++j)
        ldsm4(b[j], shared32(&sw[(j * 16 + lane / 16 * 8 + lane % 8) * kPitch + kk + lane / 8 % 2 * 8]));
#pragma unroll
      for (int j = 0; j < 4; ++j)
        mma(acc[j], a, &b[j / 2][j % 2 * 2]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 4; j += 2) {
    const int col = j * 8 + lane % 4 * 2;
    const float b0 = p.bias[col], b1 = p.bias[col + 1], b2 = p.bias[col + 8], b3 = p.bias[col + 9];
    stsm4(to + ((warp * 16 + lane % 16) * kPitch + j * 8 + lane / 16 * 8) * 2,
          relu(acc[j][0], acc[j][1], b0, b1), relu(acc[j][2], acc[j][3], b0, b1),
          relu(acc[j + 1][0], acc[j + 1][1], b2, b3), relu(acc[j + 1][2], acc[j + 1][3], b2, b3));
  }
  __syncthreads();
  copyOut(p, sx);
}

// The warps of a wave have other biases; and of the column somebody else speaks, too.
// CHECK-LABEL: ofWarp(
// CHECK: const int col = j * 8 + lane % 4 * 2;
// CHECK: const float b0 = lp::of_element(0, [&](int lane, int, int) {
// CHECK: b2 = p.bias[warp * 32 + col + 8]
// CHECK: lp::of_element(1, [&](int lane, int warp, int)
__global__ void __launch_bounds__(128) ofWarp(Layer p, int *seen) {
  BEGIN
  for (int k = 0; k < p.depth; k += 32) {
    copyIn(p, sx, sw, k);
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[2][4];
      ldsm4(a, to + ((warp * 16 + lane % 16) * kPitch + kk + lane / 16 * 8) * 2);
#pragma unroll
      for (int j = 0; j < 2; ++j)
        ldsm4(b[j], shared32(&sw[(j * 16 + lane / 16 * 8 + lane % 8) * kPitch + kk + lane / 8 % 2 * 8]));
#pragma unroll
      for (int j = 0; j < 4; ++j)
        mma(acc[j], a, &b[j / 2][j % 2 * 2]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 4; j += 2) {
    const int col = j * 8 + lane % 4 * 2;
    if (j == 2)
      seen[threadIdx.x] = col;
    const float b0 = p.bias[col], b1 = p.bias[col + 1], b2 = p.bias[warp * 32 + col + 8];
    stsm4(to + ((warp * 16 + lane % 16) * kPitch + j * 8 + lane / 16 * 8) * 2,
          relu(acc[j][0], acc[j][1], b0, b1), relu(acc[j][2], acc[j][3], b0, b1),
          relu(acc[j + 1][0], acc[j + 1][1], b2, b2), relu(acc[j + 1][2], acc[j + 1][3], b2, b2));
  }
  __syncthreads();
  copyOut(p, sx);
}
