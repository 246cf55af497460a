// f32 data multiplied as tf32: m16n8k8, operands rounded with cvt.rna on the way in from a
// padded tile.
//
// RUN: %prove --launch %S/tf32.yaml 2>&1 | FileCheck %S/Inputs/native_tested.txt
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s --check-prefix=TIER
// RUN: FileCheck %s < %t.hip
// TIER-NOT: is not native
// TIER: native {{.*}} native
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t to_tf32(float x) {
  uint32_t r;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
  return r;
}

__global__ void __launch_bounds__(128) tf32Gemm(const float *__restrict__ A, const float *__restrict__ B,
                         float *__restrict__ C, int M, int N, int K) {
  __shared__ float sA[32][16 + 4], sB[16][32 + 8];
  const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  const int wm = warp / 2 * 16, wn = warp % 2 * 16;
  const int groupID = lane >> 2, tig = lane % 4;
  float acc[2][4];
#pragma unroll
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 4; ++i)
      acc[j][i] = 0;

  for (int k0 = 0; k0 < K; k0 += 16) {
    for (int i = threadIdx.x; i < 512; i += blockDim.x) {
      sA[i / 16][i % 16] = A[(blockIdx.y * 32 + i / 16) * K + k0 + i % 16];
      sB[i / 32][i % 32] = B[(k0 + i / 32) * N + blockIdx.x * 32 + i % 32];
    }
    __syncthreads();
    for (int kk = 0; kk < 16; kk += 8) {
      uint32_t a[4];
      a[0] = to_tf32(sA[wm + groupID][kk + tig]);
      a[1] = to_tf32(sA[wm + groupID + 8][kk + tig]);
      a[2] = to_tf32(sA[wm + groupID][kk + tig + 4]);
      a[3] = to_tf32(sA[wm + groupID + 8][kk + tig + 4]);
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        uint32_t b[2] = {to_tf32(sB[kk + tig][wn + j * 8 + groupID]),
                         to_tf32(sB[kk + tig + 4][wn + j * 8 + groupID])};
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(acc[j][0]), "+f"(acc[j][1]), "+f"(acc[j][2]), "+f"(acc[j][3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 2; ++j)
#pragma unroll
    for (int i = 0; i < 4; ++i)
      C[(blockIdx.y * 32 + wm + groupID + (i >> 1) * 8) * N + blockIdx.x * 32 + wn + j * 8 +
        tig * 2 + (i & 1)] = acc[j][i];
}

#define TO_TF32(to, from) asm volatile("cvt.rna.tf32.f32 %0, %1;\n" : "=r"(to) : "f"(from))

// By the instruction itself, into the registers and into variables.
// CHECK-LABEL: converted(
// CHECK: lp::gather_a(a, [&]({{.*}}) {
// CHECK: return r == 0 ? lp::cvt_tf32_rna(p[tig])
// CHECK: lp::gather_b(lp::scalars(b0, b1), [&]({{.*}}) {
// CHECK: return r == 0 ? lp::cvt_tf32_rna(q[0]) : lp::cvt_tf32_rna(q[4 * N]);
__global__ void __launch_bounds__(128) converted(const float *__restrict__ A, const float *__restrict__ B,
                          float *__restrict__ C, int M, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 16, wn = warp % 2 * 16, groupID = lane >> 2, tig = lane % 4;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 8) {
    const float *p = A + (wm + groupID) * K + k;
    uint32_t a[4];
    TO_TF32(a[0], p[tig]);
    TO_TF32(a[1], p[8 * K + tig]);
    TO_TF32(a[2], p[tig + 4]);
    TO_TF32(a[3], p[8 * K + tig + 4]);
    for (int j = 0; j < 2; ++j) {
      const float *q = B + (k + tig) * N + wn + j * 8 + groupID;
      uint32_t b0, b1;
      asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(b0) : "f"(q[0]));
      asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(b1) : "f"(q[4 * N]));
      asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                   "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                   : "+f"(acc[j][0]), "+f"(acc[j][1]), "+f"(acc[j][2]), "+f"(acc[j][3])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 4; ++i)
      C[(wm + groupID + (i >> 1) * 8) * N + wn + j * 8 + tig * 2 + (i & 1)] = acc[j][i];
}
