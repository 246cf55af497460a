// All shared memory is one array: operands are read from the front of it by functions of the author's,
// and the sums go there behind the last product. What is stored there then is no operand.
//
// RUN: %prove --launch %S/one_storage.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s --check-prefix=TIER
// RUN: %ported %t.hip | FileCheck %s
// TIER-NOT: keeps its epilogue
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

namespace {
constexpr int kLd = 24;

__device__ __forceinline__ void mma(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
// CHECK-LABEL: void buildA(
// CHECK: lp::gather_a(frag[i],
__device__ __forceinline__ void buildA(unsigned (*frag)[4], const half *smem) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = 0; i < 2; ++i) {
    for (int r = 0; r < 4; ++r) {
      int row = warp / 2 * 32 + i * 16 + r % 2 * 8 + lane / 4;
      int col = r / 2 * 8 + lane % 4 * 2;
      frag[i][r] = *reinterpret_cast<const unsigned *>(smem + row * kLd + col);
    }
  }
}
// CHECK-LABEL: void buildB(
// CHECK: lp::gather_b(frag[j],
__device__ __forceinline__ void buildB(unsigned (*frag)[2], const half *smem) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int j = 0; j < 4; ++j) {
    for (int r = 0; r < 2; ++r) {
      int row = warp % 2 * 32 + j * 8 + lane / 4;
      frag[j][r] = *reinterpret_cast<const unsigned *>(smem + row * kLd + r * 8 + lane % 4 * 2);
    }
  }
}
// CHECK-LABEL: void stage(
// CHECK: lp::each_pair
__device__ __forceinline__ void stage(float *to, float (*acc)[4][4]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) {
      float *p = to + (warp / 2 * 32 + i * 16 + lane / 4) * 64 + warp % 2 * 32 + j * 8 + lane % 4 * 2;
      p[0] = acc[i][j][0];
      p[1] = acc[i][j][1];
      p[8 * 64] = acc[i][j][2];
      p[8 * 64 + 1] = acc[i][j][3];
    }
}
} // namespace

// CHECK-LABEL: oneStorage(
__global__ void __launch_bounds__(128) oneStorage(const half *A, const half *B, half *C, int N, int K) {
  extern __shared__ __align__(16) unsigned char storage[];
  half *sA = reinterpret_cast<half *>(storage);
  half *sB = sA + 64 * kLd;
  float *sC = reinterpret_cast<float *>(storage);
  unsigned a[2][4], b[4][2];
  float acc[2][4][4] = {};
  const int tid = threadIdx.x;
  for (int k = 0; k < K; k += 16) {
    *(uint4 *)&sA[tid / 2 * kLd + tid % 2 * 8] =
        *(const uint4 *)&A[(blockIdx.y * 64 + tid / 2) * K + k + tid % 2 * 8];
    *(uint4 *)&sB[tid / 2 * kLd + tid % 2 * 8] =
        *(const uint4 *)&B[(blockIdx.x * 64 + tid / 2) * K + k + tid % 2 * 8];
    __syncthreads();
    buildA(a, sA);
    buildB(b, sB);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j)
        mma(acc[i][j], a[i], b[j]);
    __syncthreads();
  }
  stage(sC, acc);
  __syncthreads();
  for (int i = tid; i < 64 * 64; i += 128)
    C[(blockIdx.y * 64 + i / 64) * N + blockIdx.x * 64 + i % 64] = (half)sC[i];
}
