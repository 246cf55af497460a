// Functions that are handed all of a kernel's sums, and keep their text: the sums go back to CUDA's
// layout in front of the call. Those that another calls, too, have one text for both.
//
// RUN: %prove --launch %S/handed_on_whole_kept.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.kept.hip --target gfx942 2>&1 | FileCheck %s --check-prefix=NOTE
// RUN: %ported %t.hip | FileCheck %s
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
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(at));
}
__device__ __forceinline__ void mma(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// 64 x 64 of C, 32 x 32 a warp.
struct Tile {
  half a[64][40], b[64][40];
  __device__ void fill(const half *A, const half *B, int k, int K) {
    for (int i = threadIdx.x; i < 64 * 4; i += 128) {
      *(uint4 *)&a[i / 4][i % 4 * 8] = *(const uint4 *)&A[(blockIdx.y * 64 + i / 4) * K + k + i % 4 * 8];
      *(uint4 *)&b[i / 4][i % 4 * 8] = *(const uint4 *)&B[(blockIdx.x * 64 + i / 4) * K + k + i % 4 * 8];
    }
  }
};

// CHECK: __device__ void shared(float *C, const float (&c)[2][4][4], int wm, int wn, int lane, int N) {
// CHECK-NOT: lp::
// CHECK: = c[i][j][e];
__device__ void shared(float *C, const float (&c)[2][4][4], int wm, int wn, int lane, int N) {
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int e = 0; e < 4; ++e)
        C[(blockIdx.y * 64 + wm + i * 16 + lane / 4 + e / 2 * 8) * N + blockIdx.x * 64 + wn + j * 8 + lane % 4 * 2 + e % 2] = c[i][j][e];
}
// NOTE-DAG: one keeps its epilogue, behind a conversion of 'acc': 'acc' is handed on as a whole
// CHECK: lp::to_warp_layout{{[_0-9]*}}(acc[i][j]);
// CHECK: shared(C, acc, wm, wn, lane, N);
__global__ void __launch_bounds__(128) one(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) Tile t;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 32, wn = warp % 2 * 32;
  float acc[2][4][4] = {};
  for (int k = 0; k < K; k += 32) {
    t.fill(A, B, k, K);
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[2][4], b[2];
      for (int i = 0; i < 2; ++i)
        ldsm4(a[i], &t.a[wm + i * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < 4; ++j) {
        ldsm2(b, &t.b[wn + j * 8 + lane % 8][kk + lane / 8 % 2 * 8]);
        for (int i = 0; i < 2; ++i)
          mma(acc[i][j], a[i], b);
      }
    }
    __syncthreads();
  }
  shared(C, acc, wm, wn, lane, N);
}

// NOTE-DAG: other keeps its epilogue, behind a conversion of 'acc': 'acc' is handed on as a whole
// CHECK: lp::to_warp_layout{{[_0-9]*}}(acc[i][j]);
// CHECK: shared(C, acc, wm, wn, lane, N);
__global__ void __launch_bounds__(128) other(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) Tile t;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 32, wn = warp % 2 * 32;
  float acc[2][4][4] = {};
  for (int k = 0; k < K; k += 32) {
    t.fill(A, B, k, K);
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[2][4], b[2];
      for (int i = 0; i < 2; ++i)
        ldsm4(a[i], &t.a[wm + i * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < 4; ++j) {
        ldsm2(b, &t.b[wn + j * 8 + lane % 8][kk + lane / 8 % 2 * 8]);
        for (int i = 0; i < 2; ++i)
          mma(acc[i][j], a[i], b);
      }
    }
    __syncthreads();
  }
  shared(C, acc, wm, wn, lane, N);
}

__device__ void byOneLane(float *C, const float (&c)[2][4][4], int wm, int wn, int lane, int N) {
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int e = 0; e < 4; ++e)
        C[(blockIdx.y * 64 + wm + i * 16 + lane / 4 + e / 2 * 8) * N + blockIdx.x * 64 + wn + j * 8 + lane % 4 * 2 + e % 2] = c[i][j][e];
}
// NOTE-DAG: parted keeps its epilogue, behind a conversion of 'acc': 'acc' is handed on as a whole
// CHECK: lp::to_warp_layout{{[_0-9]*}}(acc[i][j]);
// CHECK: byOneLane(C, acc, wm, wn, lane, N);
__global__ void __launch_bounds__(128) parted(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) Tile t;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 32, wn = warp % 2 * 32;
  float acc[2][4][4] = {};
  for (int k = 0; k < K; k += 32) {
    t.fill(A, B, k, K);
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[2][4], b[2];
      for (int i = 0; i < 2; ++i)
        ldsm4(a[i], &t.a[wm + i * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < 4; ++j) {
        ldsm2(b, &t.b[wn + j * 8 + lane % 8][kk + lane / 8 % 2 * 8]);
        for (int i = 0; i < 2; ++i)
          mma(acc[i][j], a[i], b);
      }
    }
    __syncthreads();
  }
  if (lane % 4 < 3)
    byOneLane(C, acc, wm, wn, lane, N);
}

__device__ void turned(float *C, const float (&c)[2][4][4], int wm, int wn, int lane, int N) {
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int e = 0; e < 4; ++e)
        C[(blockIdx.y * 64 + wm + i * 16 + lane / 4 + e / 2 * 8) * N + blockIdx.x * 64 + wn + j * 8 + lane % 4 * 2 + e % 2] = __shfl_xor_sync(~0u, c[i][j][e], 1);
}
// NOTE-DAG: exchanged keeps its epilogue, behind a conversion of 'acc': 'acc' is handed on as a whole
// CHECK: lp::to_warp_layout{{[_0-9]*}}(acc[i][j]);
// CHECK: turned(C, acc, wm, wn, lane, N);
__global__ void __launch_bounds__(128) exchanged(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) Tile t;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 32, wn = warp % 2 * 32;
  float acc[2][4][4] = {};
  for (int k = 0; k < K; k += 32) {
    t.fill(A, B, k, K);
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[2][4], b[2];
      for (int i = 0; i < 2; ++i)
        ldsm4(a[i], &t.a[wm + i * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < 4; ++j) {
        ldsm2(b, &t.b[wn + j * 8 + lane % 8][kk + lane / 8 % 2 * 8]);
        for (int i = 0; i < 2; ++i)
          mma(acc[i][j], a[i], b);
      }
    }
    __syncthreads();
  }
  turned(C, acc, wm, wn, lane, N);
}

template <class F> __device__ void visit(const float (&c)[2][4][4], F f) {
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int e = 0; e < 4; ++e)
        f(i * 16 + e / 2 * 8, j * 8 + e % 2, c[i][j][e]);
}
// The lambda sees values of its thread.
// NOTE-DAG: ofThread keeps its epilogue, behind a conversion of 'acc': 'acc' is handed on as a whole
// CHECK: lp::to_warp_layout{{[_0-9]*}}(acc[i][j]);
// CHECK: visit(acc, [&](int r, int c, float x) {
__global__ void __launch_bounds__(128) ofThread(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) Tile t;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 32, wn = warp % 2 * 32;
  float acc[2][4][4] = {};
  for (int k = 0; k < K; k += 32) {
    t.fill(A, B, k, K);
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[2][4], b[2];
      for (int i = 0; i < 2; ++i)
        ldsm4(a[i], &t.a[wm + i * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < 4; ++j) {
        ldsm2(b, &t.b[wn + j * 8 + lane % 8][kk + lane / 8 % 2 * 8]);
        for (int i = 0; i < 2; ++i)
          mma(acc[i][j], a[i], b);
      }
    }
    __syncthreads();
  }
  float *out = C + (blockIdx.y * 64 + wm + lane / 4) * N + blockIdx.x * 64 + wn + lane % 4 * 2;
  visit(acc, [&](int r, int c, float x) { out[r * N + c] = x; });
}
