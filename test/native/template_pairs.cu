// Instances of one template whose warps are paired otherwise: two warps of a wave share A in two of
// them and B in the third, and one has a single step of k a stage. One text serves all, with its
// epilogue in place.
//
// RUN: %prove --launch %S/template_pairs.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s --implicit-check-not="layout of CUDA"
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t shared32(const void *p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}

// CHECK-LABEL: tiles(const half
// CHECK: lp::mma_m16n8k16_f32_f16_wave(acc[i][j], a[i], b[j], j & 1);
// CHECK: lp::each_pair(acc[i][j], j, [&](int lane, int warp, int j, int lower, const auto &{{.*}}) {
template <int kRows, int kColumns, int kSteps, int kWarpRows, int kWarpColumns>
__global__ void __launch_bounds__(128)
    tiles(const half *A, const half *B, float *C, int N, int K, float alpha) {
  constexpr int kAlong = kColumns / kWarpColumns, kDepth = kSteps * 16;
  __shared__ __align__(16) half sa[kRows][kDepth + 8], sb[kDepth][kColumns + 8];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int m = warp / kAlong * kWarpRows, n = warp % kAlong * kWarpColumns;
  float acc[kWarpRows / 16][kWarpColumns / 8][4] = {};
  for (int k = 0; k < K; k += kDepth) {
    for (int i = threadIdx.x; i < kRows * kDepth / 8; i += 128)
      *(uint4 *)&sa[i / (kDepth / 8)][i % (kDepth / 8) * 8] =
          *(const uint4 *)&A[(blockIdx.y * kRows + i / (kDepth / 8)) * K + k + i % (kDepth / 8) * 8];
    for (int i = threadIdx.x; i < kDepth * kColumns / 8; i += 128)
      *(uint4 *)&sb[i / (kColumns / 8)][i % (kColumns / 8) * 8] =
          *(const uint4 *)&B[(k + i / (kColumns / 8)) * N + blockIdx.x * kColumns + i % (kColumns / 8) * 8];
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < kDepth; kk += 16) {
      uint32_t a[kWarpRows / 16][4], b[kWarpColumns / 8][2];
#pragma unroll
      for (int i = 0; i < kWarpRows / 16; ++i)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(a[i][0]), "=r"(a[i][1]), "=r"(a[i][2]), "=r"(a[i][3])
                     : "r"(shared32(&sa[m + i * 16 + lane % 16][kk + lane / 16 * 8])));
#pragma unroll
      for (int j = 0; j < kWarpColumns / 8; j += 2)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(b[j][0]), "=r"(b[j][1]), "=r"(b[j + 1][0]), "=r"(b[j + 1][1])
                     : "r"(shared32(&sb[kk + lane % 16][n + j * 8 + lane / 16 * 8])));
#pragma unroll
      for (int i = 0; i < kWarpRows / 16; ++i)
#pragma unroll
        for (int j = 0; j < kWarpColumns / 8; ++j)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                       "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                       : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]),
                         "+f"(acc[i][j][3])
                       : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j][0]),
                         "r"(b[j][1]));
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kWarpRows / 16; ++i)
#pragma unroll
    for (int j = 0; j < kWarpColumns / 8; ++j) {
      const int row = blockIdx.y * kRows + m + i * 16 + lane / 4;
      const int column = blockIdx.x * kColumns + n + j * 8 + lane % 4 * 2;
      *(float2 *)&C[row * N + column] = make_float2(alpha * acc[i][j][0], alpha * acc[i][j][1]);
      *(float2 *)&C[(row + 8) * N + column] = make_float2(alpha * acc[i][j][2], alpha * acc[i][j][3]);
    }
}
template __global__ void tiles<64, 64, 2, 32, 32>(const half *, const half *, float *, int, int, float);
template __global__ void tiles<128, 32, 2, 32, 32>(const half *, const half *, float *, int, int, float);
template __global__ void tiles<32, 128, 1, 16, 64>(const half *, const half *, float *, int, int, float);
