// The kernel's pointers are moved to the block's and the warp's tile first, as blogs write it: of
// another warp, they are what the launch gave and that warp's step. Elements of C are read and
// written back; sums in halves are read by a cast's first element.
//
// RUN: %prove --launch %S/given_pointer.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.one.hip --target gfx942
// RUN: %ported %t.one.hip | FileCheck %s
// CHECK: A += blockIdx.y * BM * K;
// CHECK: const auto givenC = C;
// CHECK-NEXT: C += (blockIdx.y * BM + warpRow * WM) * N + blockIdx.x * BN + warpCol * WN;
// CHECK: [&](int lane, int warp, int n, int lower, const auto &v) {
// CHECK-NEXT: const int warpRow = warp / (BN / WN);
// CHECK-NEXT: const int warpCol = warp % (BN / WN);
// CHECK-NEXT: const auto C = givenC + ((blockIdx.y * BM + warpRow * WM) * N + blockIdx.x * BN + warpCol * WN);
// CHECK: tmp.x = alpha * v[0] + beta * tmp.x;
// CHECK: inHalves(int N, int K,
// CHECK: const auto givenC2 = C;
// CHECK: float2 v = __half22float2(reinterpret_cast<half2 *>(&pair)[0]);
// CHECK-NOT: to_warp_
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

template <int BM, int BN, int BK>
__device__ void load(half *As, half *Bs, const half *A, const half *B, int N, int K) {
  for (int i = threadIdx.x; i < BM * BK / 8; i += 128)
    *(uint4 *)&As[i / (BK / 8) * (BK + 8) + i % (BK / 8) * 8] =
        *(const uint4 *)&A[i / (BK / 8) * K + i % (BK / 8) * 8];
  for (int i = threadIdx.x; i < BK * BN / 8; i += 128)
    *(uint4 *)&Bs[i / (BN / 8) * (BN + 8) + i % (BN / 8) * 8] =
        *(const uint4 *)&B[i / (BN / 8) * N + i % (BN / 8) * 8];
}

template <int BM, int BN, int BK, int WM, int WN> __global__ void __launch_bounds__(128)
warptiled(int N, int K, float alpha, const half *A, const half *B, float beta, half *C) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int warpRow = warp / (BN / WN), warpCol = warp % (BN / WN);
  __shared__ __align__(16) half As[BM * (BK + 8)], Bs[BK * (BN + 8)];
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += (blockIdx.y * BM + warpRow * WM) * N + blockIdx.x * BN + warpCol * WN;
  float results[WM / 16][WN / 8][4] = {};
  uint32_t a[WM / 16][4], b[WN / 8][2];
  for (int k0 = 0; k0 < K; k0 += BK) {
    load<BM, BN, BK>(As, Bs, A, B, N, K);
    __syncthreads();
    for (int k = 0; k < BK; k += 16) {
      for (int m = 0; m < WM / 16; ++m)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a[m][0]), "=r"(a[m][1]), "=r"(a[m][2]), "=r"(a[m][3])
                     : "r"((uint32_t)__cvta_generic_to_shared(
                         &As[(warpRow * WM + m * 16 + lane % 16) * (BK + 8) + k + lane / 16 * 8])));
      for (int n = 0; n < WN / 8; ++n)
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                     : "=r"(b[n][0]), "=r"(b[n][1])
                     : "r"((uint32_t)__cvta_generic_to_shared(
                         &Bs[(k + lane % 16) * (BN + 8) + warpCol * WN + n * 8])));
      for (int m = 0; m < WM / 16; ++m)
        for (int n = 0; n < WN / 8; ++n)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                       "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                       : "+f"(results[m][n][0]), "+f"(results[m][n][1]), "+f"(results[m][n][2]),
                         "+f"(results[m][n][3])
                       : "r"(a[m][0]), "r"(a[m][1]), "r"(a[m][2]), "r"(a[m][3]), "r"(b[n][0]),
                         "r"(b[n][1]));
    }
    A += BK;
    B += BK * N;
    __syncthreads();
  }
  for (int m = 0; m < WM / 16; ++m)
    for (int n = 0; n < WN / 8; ++n)
      for (int h = 0; h < 2; ++h) {
        half2 *dst = reinterpret_cast<half2 *>(
            &C[(m * 16 + h * 8 + lane / 4) * N + n * 8 + lane % 4 * 2]);
        float2 tmp = __half22float2(*dst);
        tmp.x = alpha * results[m][n][h * 2 + 0] + beta * tmp.x;
        tmp.y = alpha * results[m][n][h * 2 + 1] + beta * tmp.y;
        *dst = __floats2half2_rn(tmp.x, tmp.y);
      }
}

template <int BM, int BN, int BK, int WM, int WN> __global__ void __launch_bounds__(128)
inHalves(int N, int K, const half *A, const half *B, const half *bias, half *C) {
  [[maybe_unused]] constexpr int givenC = 0; // which the port needs another name than
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int warpRow = warp / (BN / WN), warpCol = warp % (BN / WN);
  __shared__ __align__(16) half As[BM * (BK + 8)], Bs[BK * (BN + 8)];
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += (blockIdx.y * BM + warpRow * WM) * N + blockIdx.x * BN + warpCol * WN;
  uint32_t results[WM / 16][WN / 8][2] = {};
  uint32_t a[WM / 16][4], b[WN / 8][2];
  for (int k0 = 0; k0 < K; k0 += BK) {
    load<BM, BN, BK>(As, Bs, A, B, N, K);
    __syncthreads();
    for (int k = 0; k < BK; k += 16) {
      for (int m = 0; m < WM / 16; ++m)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a[m][0]), "=r"(a[m][1]), "=r"(a[m][2]), "=r"(a[m][3])
                     : "r"((uint32_t)__cvta_generic_to_shared(
                         &As[(warpRow * WM + m * 16 + lane % 16) * (BK + 8) + k + lane / 16 * 8])));
      for (int n = 0; n < WN / 8; ++n)
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                     : "=r"(b[n][0]), "=r"(b[n][1])
                     : "r"((uint32_t)__cvta_generic_to_shared(
                         &Bs[(k + lane % 16) * (BN + 8) + warpCol * WN + n * 8])));
      for (int m = 0; m < WM / 16; ++m)
        for (int n = 0; n < WN / 8; ++n)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
                       "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
                       : "+r"(results[m][n][0]), "+r"(results[m][n][1])
                       : "r"(a[m][0]), "r"(a[m][1]), "r"(a[m][2]), "r"(a[m][3]), "r"(b[n][0]),
                         "r"(b[n][1]));
    }
    A += BK;
    B += BK * N;
    __syncthreads();
  }
  for (int m = 0; m < WM / 16; ++m)
    for (int n = 0; n < WN / 8; ++n) {
      const int col = n * 8 + lane % 4 * 2;
      const float2 add = __half22float2(
          reinterpret_cast<const half2 *>(bias + blockIdx.x * BN + warpCol * WN + col)[0]);
      for (int h = 0; h < 2; ++h) {
        float2 v = __half22float2(reinterpret_cast<half2 *>(&results[m][n][h])[0]);
        reinterpret_cast<half2 *>(C + (m * 16 + h * 8 + lane / 4) * N + col)[0] =
            __floats2half2_rn(v.x + add.x, v.y + add.y);
      }
    }
}

void run(int M, int N, int K, const half *A, const half *B, const half *bias, half *C) {
  const dim3 grid(N / 64, M / 64);
  warptiled<64, 64, 32, 32, 32><<<grid, 128>>>(N, K, 1.f, A, B, 0.f, C);
  inHalves<64, 64, 32, 32, 32><<<grid, 128>>>(N, K, A, B, bias, C);
}
