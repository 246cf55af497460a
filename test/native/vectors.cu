// Registers that are members of CUDA's vectors: uint4 and uint2 operands, float4 sums.
//
// RUN: %prove --launch %S/vectors.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ __forceinline__ void ldsm(uint4 &r, const half *p) {
  unsigned at = (unsigned)__cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w) : "r"(at));
}

__device__ __forceinline__ void ldsm(uint2 &r, const half *p) {
  unsigned at = (unsigned)__cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];\n"
               : "=r"(r.x), "=r"(r.y) : "r"(at));
}

__device__ __forceinline__ void mma(float4 &d, const uint4 &a, const uint2 &b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(d.x), "+f"(d.y), "+f"(d.z), "+f"(d.w)
               : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y));
}

// 2 warps of 32 x 32, one above the other.
__global__ void __launch_bounds__(64) vectors(const half *A, const half *B, const float *__restrict__ scale, float *__restrict__ C, int N,
                        int K) {
  __shared__ __align__(16) half sA[64][24], sB[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float4 sum[2][4];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      sum[i][j] = make_float4(0.f, 0.f, 0.f, 0.f);
  for (int k0 = 0; k0 < K; k0 += 16) {
    for (int v = threadIdx.x; v < 128; v += 64)
      *(uint4 *)&sA[v / 2][v % 2 * 8] =
          *(const uint4 *)&A[(blockIdx.y * 64 + v / 2) * K + k0 + v % 2 * 8];
    for (int v = threadIdx.x; v < 64; v += 64)
      *(uint4 *)&sB[v / 2][v % 2 * 8] =
          *(const uint4 *)&B[(blockIdx.x * 32 + v / 2) * K + k0 + v % 2 * 8];
    __syncthreads();
    uint4 a[2];
    uint2 b[4];
#pragma unroll
    for (int i = 0; i < 2; ++i)
      ldsm(a[i], &sA[warp * 32 + i * 16 + lane % 16][lane / 16 * 8]);
#pragma unroll
    for (int j = 0; j < 4; ++j)
      ldsm(b[j], &sB[j * 8 + lane % 8][lane / 8 % 2 * 8]);
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j)
        mma(sum[i][j], a[i], b[j]);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int row = blockIdx.y * 64 + warp * 32 + i * 16 + lane / 4;
      const int col = blockIdx.x * 32 + j * 8 + lane % 4 * 2;
      C[row * N + col] = sum[i][j].x * scale[col];
      C[row * N + col + 1] = sum[i][j].y * scale[col + 1];
      C[(row + 8) * N + col] = sum[i][j].z * scale[col];
      C[(row + 8) * N + col + 1] = sum[i][j].w * scale[col + 1];
    }
}
