// One ldmatrix.x4 that reads tile j and tile j + 2: the address knows j alone, so what is read for
// tile j + 2 must not be asked of it by the tile's number. By rows of B, by columns, and with the
// rows of both halves in a ring.
//
// RUN: %prove --launch %S/tiles_apart.yaml 2>&1 | FileCheck %S/Inputs/native_halves_proved.txt
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kPitch = 24, kPitchT = 40;

__device__ __forceinline__ uint32_t at(const half *p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void ldsm4(uint32_t &x, uint32_t &y, uint32_t &z, uint32_t &w,
                                      uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(address));
}
__device__ __forceinline__ void ldsm4t(uint32_t (&r)[4], uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address));
}
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ void copyA(half *s, const half *A, int K) {
  for (int i = threadIdx.x; i < 64; i += 64)
    *(uint4 *)&s[i / 2 * kPitch + i % 2 * 8] = *(const uint4 *)&A[i / 2 * K + i % 2 * 8];
}
__device__ void store(float (&acc)[4][4], float *C, int warp, int lane) {
  for (int j = 0; j < 4; ++j) {
    float *c = C + (warp * 16 + lane / 4) * 32 + j * 8 + lane % 4 * 2;
    *(float2 *)c = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)(c + 8 * 32) = make_float2(acc[j][2], acc[j][3]);
  }
}

// B^T, 32 rows of K.
__global__ void __launch_bounds__(64) byRows(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half sA[32 * kPitch], sB[32 * kPitch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    __syncthreads();
    copyA(sA, A + k, K);
    copyA(sB, B + k, K);
    __syncthreads();
    uint32_t a[4], b[4][2];
    ldsm4(a[0], a[1], a[2], a[3], at(&sA[(warp * 16 + lane % 16) * kPitch + lane / 16 * 8]));
    for (int j = 0; j < 2; ++j)
      ldsm4(b[j][0], b[j][1], b[j + 2][0], b[j + 2][1],
            at(&sB[(j * 8 + lane % 8 + lane / 16 * 16) * kPitch + lane / 8 % 2 * 8]));
    for (int j = 0; j < 4; ++j)
      mma(acc[j], a, b[j]);
  }
  store(acc, C, warp, lane);
}

// The other half begins where the first ends, all in bounds whatever is asked for.
__global__ void __launch_bounds__(64) inRing(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half sA[32 * kPitch], sB[32 * kPitch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    __syncthreads();
    copyA(sA, A + k, K);
    copyA(sB, B + k, K);
    __syncthreads();
    uint32_t a[4], b[4][2];
    ldsm4(a[0], a[1], a[2], a[3], at(&sA[(warp * 16 + lane % 16) * kPitch + lane / 16 * 8]));
    for (int j = 0; j < 2; ++j)
      ldsm4(b[j][0], b[j][1], b[j + 2][0], b[j + 2][1],
            at(&sB[((j * 8 + lane % 8 + lane / 16 * 8) & 31) * kPitch + lane / 8 % 2 * 8]));
    for (int j = 0; j < 4; ++j)
      mma(acc[j], a, b[j]);
  }
  store(acc, C, warp, lane);
}

// B, rows of 32 columns.
__global__ void __launch_bounds__(64) byColumns(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half sA[32 * kPitch], sB[16 * kPitchT];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    __syncthreads();
    copyA(sA, A + k, K);
    *(uint4 *)&sB[threadIdx.x / 4 * kPitchT + threadIdx.x % 4 * 8] =
        *(const uint4 *)&B[(k + threadIdx.x / 4) * 32 + threadIdx.x % 4 * 8];
    __syncthreads();
    uint32_t a[4], b[4][2];
    ldsm4(a[0], a[1], a[2], a[3], at(&sA[(warp * 16 + lane % 16) * kPitch + lane / 16 * 8]));
    for (int j = 0; j < 2; ++j) {
      uint32_t r[4];
      ldsm4t(r, at(&sB[lane % 16 * kPitchT + j * 8 + lane / 16 * 16]));
      b[j][0] = r[0];
      b[j][1] = r[1];
      b[j + 2][0] = r[2];
      b[j + 2][1] = r[3];
    }
    for (int j = 0; j < 4; ++j)
      mma(acc[j], a, b[j]);
  }
  store(acc, C, warp, lane);
}
