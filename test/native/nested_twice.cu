// Functions that handle fragments and call others that do: what loads, what multiplies, what does
// both for the second half. The first two are called by the kernel as well.
//
// RUN: %prove --launch %S/nested_twice.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kPitch = 40;

__device__ __forceinline__ uint32_t s2u(const void *p) { return __cvta_generic_to_shared(p); }
__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(s2u(p)));
}
__device__ __forceinline__ void ldsm2(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"(s2u(p)));
}
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ void load(uint32_t (&a)[2][4], uint32_t (&b)[4][2], const half *sA, const half *sB,
                     int wm, int wn, int lane, int k) {
  for (int i = 0; i < 2; ++i)
    ldsm4(a[i], sA + (wm + i * 16 + lane % 16) * kPitch + k + lane / 16 * 8);
  for (int j = 0; j < 4; ++j)
    ldsm2(b[j], sB + (wn + j * 8 + lane % 8) * kPitch + k + lane / 8 % 2 * 8);
}
__device__ void multiply(float (&acc)[2][4][4], const uint32_t (&a)[2][4],
                         const uint32_t (&b)[4][2]) {
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      mma(acc[i][j], a[i], b[j]);
}
__device__ void stage(half *s, const half *X, int K) {
  for (int i = threadIdx.x; i < 256; i += 128)
    *(uint4 *)&s[i / 4 * kPitch + i % 4 * 8] = *(const uint4 *)&X[i / 4 * K + i % 4 * 8];
}
__device__ void store(float (&acc)[2][4][4], float *C, int N, int lane) {
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) {
      float *c = C + (i * 16 + lane / 4) * N + j * 8 + lane % 4 * 2;
      *(float2 *)c = make_float2(acc[i][j][0], acc[i][j][1]);
      *(float2 *)(c + 8 * N) = make_float2(acc[i][j][2], acc[i][j][3]);
    }
}

__device__ void second(float (&acc)[2][4][4], uint32_t (&a)[2][4], uint32_t (&b)[4][2],
                       const half *sA, const half *sB, int wm, int wn, int lane) {
  load(a, b, sA, sB, wm, wn, lane, 16);
  multiply(acc, a, b);
}

// The first half itself.
__global__ void __launch_bounds__(128)
    twice(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[64 * kPitch], sB[64 * kPitch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 32, wn = warp % 2 * 32;
  float acc[2][4][4] = {};
  for (int k = 0; k < K; k += 32) {
    stage(sA, A + blockIdx.y * 64 * K + k, K);
    stage(sB, B + blockIdx.x * 64 * K + k, K);
    __syncthreads();
    uint32_t a[2][4], b[4][2];
    load(a, b, sA, sB, wm, wn, lane, 0);
    multiply(acc, a, b);
    second(acc, a, b, sA, sB, wm, wn, lane);
    __syncthreads();
  }
  store(acc, C + (blockIdx.y * 64 + wm) * N + blockIdx.x * 64 + wn, N, lane);
}
