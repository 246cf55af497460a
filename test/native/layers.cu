// Blocks of (32, Y, Z) threads: threadIdx.z and .y say which rows and columns a warp has.
//
// RUN: %prove --launch %S/layers.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.one.hip --target gfx942
// RUN: %ported %t.one.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  const uint32_t at = (uint32_t)__cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}
__device__ __forceinline__ void ldsm2(uint32_t (&r)[2], const half *p) {
  const uint32_t at = (uint32_t)__cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"(at));
}
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

constexpr int kPitch = 24;

// Two layers of 16 rows, and as many rows of threads in one as there are blocks of 16 columns.
// CHECK-LABEL: byLayer(
// CHECK: lp::require_warp_rows();
// CHECK: lp::load_a(a, [&](int tx, int warp) {
// CHECK-NEXT: const int tz = warp / blockDim.y;
// CHECK: lp::load_b(b, [&](int tx, int warp, int j) {
// CHECK-NEXT: const int ty = warp % blockDim.y;
// layout-port: assume whole waves
__global__ void byLayer(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[32 * kPitch], sB[64 * kPitch];
  const int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    for (int v = tx + 32 * (ty + blockDim.y * tz); v < 64; v += 32 * blockDim.y * blockDim.z)
      *(uint4 *)(sA + v / 2 * kPitch + v % 2 * 8) = *(const uint4 *)(A + v / 2 * K + k + v % 2 * 8);
    for (int v = tx + 32 * (ty + blockDim.y * tz); v < 2 * N; v += 32 * blockDim.y * blockDim.z)
      *(uint4 *)(sB + v / 2 * kPitch + v % 2 * 8) = *(const uint4 *)(B + v / 2 * K + k + v % 2 * 8);
    __syncthreads();
    uint32_t a[4], b[2];
    ldsm4(a, sA + (tz * 16 + tx % 16) * kPitch + tx / 16 * 8);
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, sB + (ty * 16 + j * 8 + tx % 8) * kPitch + tx / 8 % 2 * 8);
      mma(acc[j], a, b);
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    float *p = C + (tz * 16 + tx / 4) * N + ty * 16 + j * 8 + tx % 4 * 2;
    p[0] = acc[j][0];
    p[1] = acc[j][1];
    p[8 * N] = acc[j][2];
    p[8 * N + 1] = acc[j][3];
  }
}

// The same in the expressions themselves, and in a function that is told.
// CHECK: int rowOf(unsigned thread_z = threadIdx.z) { return thread_z * 16; }
// CHECK-LABEL: byFunction(
// CHECK: sA + (rowOf(warp / blockDim.y) + lane % 16) * kPitch
__device__ int rowOf() { return threadIdx.z * 16; }
// layout-port: assume whole waves
__global__ void byFunction(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[32 * kPitch], sB[64 * kPitch];
  const int lane = threadIdx.x, tid = lane + 32 * (threadIdx.y + blockDim.y * threadIdx.z);
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    for (int v = tid; v < 64; v += 32 * blockDim.y * blockDim.z)
      *(uint4 *)(sA + v / 2 * kPitch + v % 2 * 8) = *(const uint4 *)(A + v / 2 * K + k + v % 2 * 8);
    for (int v = tid; v < 2 * N; v += 32 * blockDim.y * blockDim.z)
      *(uint4 *)(sB + v / 2 * kPitch + v % 2 * 8) = *(const uint4 *)(B + v / 2 * K + k + v % 2 * 8);
    __syncthreads();
    uint32_t a[4], b[2];
    ldsm4(a, sA + (rowOf() + lane % 16) * kPitch + lane / 16 * 8);
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, sB + (threadIdx.y * 16 + j * 8 + lane % 8) * kPitch + lane / 8 % 2 * 8);
      mma(acc[j], a, b);
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 2; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e)
      C[(threadIdx.z * 16 + lane / 4 + e / 2 * 8) * N + threadIdx.y * 16 + j * 8 + lane % 4 * 2 + e % 2] = acc[j][e];
}
