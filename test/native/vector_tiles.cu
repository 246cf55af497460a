// Operands whose registers are members of a vector, with several tiles in one: the two of an
// ldmatrix.x4 in either order, four of one register, arrays of vectors, and pieces that are made for
// the call.
//
// RUN: %prove --launch %S/vector_tiles.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kLd = 40; // halves

__device__ __forceinline__ uint4 ldsm4(const half *p) {
  uint4 v;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
  return v;
}
__device__ __forceinline__ uint4 ldsm4t(const half *p) {
  uint4 v;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
  return v;
}
__device__ __forceinline__ uint2 ldsm2(const half *p) {
  uint2 v;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(v.x), "=r"(v.y)
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
  return v;
}
__device__ __forceinline__ void mma(float4 &c, const uint4 &a, uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c.x), "+f"(c.y), "+f"(c.z), "+f"(c.w)
               : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void mmaOf(float4 &c, uint4 a, uint2 b) { mma(c, a, b.x, b.y); }
__device__ __forceinline__ void mma8(float4 &c, const uint2 &a, uint32_t b) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
               : "+f"(c.x), "+f"(c.y), "+f"(c.z), "+f"(c.w)
               : "r"(a.x), "r"(a.y), "r"(b));
}

// A is [m][k], B is [n][k] or [k][n], 32 by 32 each.
#define STAGE                                                  \
  __shared__ half sA[32 * kLd], sB[32 * kLd];                  \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;  \
  for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x) {    \
    sA[i / 32 * kLd + i % 32] = A[i];                          \
    sB[i / 32 * kLd + i % 32] = B[i];                          \
  }                                                            \
  __syncthreads();                                             \
  float4 c[4];                                                 \
  for (int n = 0; n < 4; ++n)                                  \
    c[n] = make_float4(0.f, 0.f, 0.f, 0.f)

__device__ __forceinline__ void store(float *C, const float4 &c, int n, int lane, int warp) {
  float *out = C + (warp * 16 + lane / 4) * 32 + n * 8 + lane % 4 * 2;
  *reinterpret_cast<float2 *>(out) = make_float2(c.x, c.y);
  *reinterpret_cast<float2 *>(out + 8 * 32) = make_float2(c.z, c.w);
}

// CHECK-LABEL: two(const half
// CHECK: lp::load_b_tiles(lp::tile<unsigned int, 2>(&b, 0), lp::tile<unsigned int, 2>(&b, 1), {{.*}}, n, n + 1);
// CHECK: lp::mma_m16n8k16_f32_f16_wave(lp::regs<float>(c[n & ~1]), lp::regs<float>(c[n | 1]), {{.*}}, lp::tile<unsigned int, 2>(&b, 0), n & 1);
__global__ void __launch_bounds__(64) two(const half *A, const half *B, float *C) {
  STAGE;
#pragma unroll
  for (int k = 0; k < 32; k += 16) {
    const uint4 a = ldsm4(sA + (warp * 16 + lane % 16) * kLd + k + lane / 16 * 8);
#pragma unroll
    for (int n = 0; n < 4; n += 2) {
      const uint4 b = ldsm4(sB + (n * 8 + lane / 16 * 8 + lane % 8) * kLd + k + lane / 8 % 2 * 8);
      mma(c[n], a, b.x, b.y);
      mma(c[n + 1], a, b.z, b.w);
    }
  }
  for (int n = 0; n < 4; ++n)
    store(C, c[n], n, lane, warp);
}

// CHECK-LABEL: halves(const half
// CHECK: lp::tile<unsigned int, 2>(&b, 1)
__global__ void __launch_bounds__(64) halves(const half *A, const half *B, float *C) {
  STAGE;
#pragma unroll
  for (int k = 0; k < 32; k += 16) {
    const uint4 a = ldsm4(sA + (warp * 16 + lane % 16) * kLd + k + lane / 16 * 8);
#pragma unroll
    for (int n = 0; n < 4; n += 2) {
      const uint4 b = ldsm4(sB + (n * 8 + lane % 16) * kLd + k + lane / 16 * 8);
      mma(c[n], a, b.x, b.z);
      mma(c[n + 1], a, b.y, b.w);
    }
  }
  for (int n = 0; n < 4; ++n)
    store(C, c[n], n, lane, warp);
}

// CHECK-LABEL: four(const half
// CHECK: lp::tile<unsigned int, 1>(&b, 3)
__global__ void __launch_bounds__(64) four(const half *A, const half *B, float *C) {
  STAGE;
#pragma unroll
  for (int k = 0; k < 32; k += 8) {
    const uint2 a = ldsm2(sA + (warp * 16 + lane % 16) * kLd + k);
    const uint4 b = ldsm4t(sB + (k + lane % 8) * kLd + lane / 8 * 8);
    mma8(c[0], a, b.x);
    mma8(c[1], a, b.y);
    mma8(c[2], a, b.z);
    mma8(c[3], a, b.w);
  }
  for (int n = 0; n < 4; ++n)
    store(C, c[n], n, lane, warp);
}

// CHECK-LABEL: pieces(const half
// CHECK: lp::tile<unsigned int, 2>(&b[n / 2], 1)
__global__ void __launch_bounds__(64) pieces(const half *A, const half *B, float *C) {
  STAGE;
#pragma unroll
  for (int k = 0; k < 32; k += 16) {
    const uint4 a = ldsm4(sA + (warp * 16 + lane % 16) * kLd + k + lane / 16 * 8);
    uint4 b[2];
#pragma unroll
    for (int n = 0; n < 4; n += 2)
      b[n / 2] = ldsm4(sB + (n * 8 + lane / 16 * 8 + lane % 8) * kLd + k + lane / 8 % 2 * 8);
    mmaOf(c[0], a, make_uint2(b[0].x, b[0].y));
    mmaOf(c[1], a, make_uint2(b[0].z, b[0].w));
    mmaOf(c[2], a, make_uint2(b[1].x, b[1].y));
    mmaOf(c[3], a, {b[1].z, b[1].w});
  }
  for (int n = 0; n < 4; ++n)
    store(C, c[n], n, lane, warp);
}
