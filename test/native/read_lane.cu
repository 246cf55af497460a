// The lane is read by asm: the epilogue has it, and another lane's in its place.
//
// RUN: %prove --launch %S/read_lane.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t smem(const void *p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}
__device__ __forceinline__ void ldsm2(uint32_t (&r)[2], uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"(at));
}
__device__ __forceinline__ void mma(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
               "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

constexpr int kPitch = 40;

struct Tiles {
  half a[64 * kPitch], b[64 * kPitch];
};

// 64 x 64 of C a block of four warps, 32 x 32 each.
__device__ __forceinline__ void stage(Tiles &t, const half *A, const half *B, int k0, int K) {
  const int r = threadIdx.x / 4, c = threadIdx.x % 4 * 8;
  for (int i = 0; i < 64; i += 32) {
    *(uint4 *)&t.a[(r + i) * kPitch + c] = *(const uint4 *)&A[(blockIdx.y * 64 + r + i) * K + k0 + c];
    *(uint4 *)&t.b[(r + i) * kPitch + c] = *(const uint4 *)&B[(blockIdx.x * 64 + r + i) * K + k0 + c];
  }
}


__global__ void __launch_bounds__(128) byRegister(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) Tiles t;
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  const int warp = threadIdx.x / 32;
  float acc[8][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    stage(t, A, B, k0, K);
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[2];
      ldsm4(a, smem(&t.a[(warp * 16 + lane % 16) * kPitch + kk + lane / 16 * 8]));
      for (int j = 0; j < 8; ++j) {
        ldsm2(b, smem(&t.b[(j * 8 + lane % 8) * kPitch + kk + lane / 8 % 2 * 8]));
        mma(acc[j], a, b);
      }
    }
    __syncthreads();
  }
  const int row0 = blockIdx.y * 64 + warp * 16, col0 = blockIdx.x * 64;
  for (int j = 0; j < 8; ++j) {
    const int row = row0 + lane / 4, col = col0 + j * 8 + lane % 4 * 2;
    *(float2 *)&C[row * N + col] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&C[(row + 8) * N + col] = make_float2(acc[j][2], acc[j][3]);
  }
}

// CHECK-NOT: to_warp_layout
// CHECK: lp::each_pair(acc[j], [&](unsigned lane, int warp, int lower, const auto &v) {
// CHECK: *(float2 *)&C[(row + 8 * lower) * N + col] = make_float2(v[0], v[1]);
