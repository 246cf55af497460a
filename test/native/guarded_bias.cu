// alpha * A B + beta * C + bias with the edges of the matrix guarded, the two rows of a tile
// in variables of their own: the epilogue runs where the elements lie.
//
// RUN: %prove --launch %S/guarded_bias.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kPitch = 40;

__global__ void __launch_bounds__(128)
    guardedBias(const half *A, const half *B, const float *__restrict__ bias, float *C, float alpha,
                float beta, int M, int N, int K) {
  __shared__ __align__(16) half sA[32 * kPitch], sB[64 * kPitch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 16, wn = warp % 2 * 32; // the warps of a pair share rows
  float acc[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    const int r = threadIdx.x / 4, c = threadIdx.x % 4 * 8;
    *(uint4 *)&sA[r * kPitch + c] = *(const uint4 *)&A[(blockIdx.y * 32 + r) * K + k0 + c];
    *(uint4 *)&sB[r * kPitch + c] = *(const uint4 *)&B[(blockIdx.x * 64 + r) * K + k0 + c];
    *(uint4 *)&sB[(r + 32) * kPitch + c] = *(const uint4 *)&B[(blockIdx.x * 64 + r + 32) * K + k0 + c];
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      unsigned a[4], b[2];
      const unsigned pa = __cvta_generic_to_shared(&sA[(wm + lane % 16) * kPitch + kk + lane / 16 * 8]);
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(pa));
      for (int j = 0; j < 4; ++j) {
        const int row = wn + j * 8 + lane % 8;
        const unsigned pb = __cvta_generic_to_shared(&sB[row * kPitch + kk + lane / 8 % 2 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                     : "=r"(b[0]), "=r"(b[1]) : "r"(pb));
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                     "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(acc[j][0]), "+f"(acc[j][1]), "+f"(acc[j][2]), "+f"(acc[j][3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
      }
    }
    __syncthreads();
  }
  const int upperRow = blockIdx.y * 32 + wm + lane / 4, lowerRow = upperRow + 8;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const int col = blockIdx.x * 64 + wn + j * 8 + lane % 4 * 2;
    if (upperRow < M && col + 1 < N) {
      C[upperRow * N + col] = alpha * acc[j][0] + beta * C[upperRow * N + col] + bias[col];
      C[upperRow * N + col + 1] = alpha * acc[j][1] + beta * C[upperRow * N + col + 1] + bias[col + 1];
    }
    if (lowerRow < M && col + 1 < N) {
      C[lowerRow * N + col] = alpha * acc[j][2] + beta * C[lowerRow * N + col] + bias[col];
      C[lowerRow * N + col + 1] = alpha * acc[j][3] + beta * C[lowerRow * N + col + 1] + bias[col + 1];
    }
  }
}

// CHECK: for (int kk = 0; kk < 32; kk += 32)
// CHECK: unsigned a[4], b[4];
// CHECK-NOT: to_warp_layout
// CHECK: lp::each_pair(acc[j], [&](int lane, int lower, const auto &v) {
// CHECK: if ((lower ? lowerRow : upperRow) < M && col + 1 < N)
// CHECK: alpha * v[1] + beta * C[(lower ? lowerRow : upperRow) * N + col + 1] + bias[col + 1];
