// Elements are staged slab by slab: the block waits between the turns, so that the same places may be
// written by other lanes in the next.
//
// RUN: %prove --launch %S/staged_slabs.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
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


// C goes out by slabs of sixteen rows of each warp, through one buffer.
__global__ void __launch_bounds__(128) slabs(const half *A, const half *B, half *D, int N, int K) {
  __shared__ __align__(16) Tiles t;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 32, wn = warp % 2 * 32;
  float acc[2][4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    stage(t, A, B, k0, K);
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16)
      for (int i = 0; i < 2; ++i) {
        uint32_t a[4], b[2];
        ldsm4(a, smem(&t.a[(wm + i * 16 + lane % 16) * kPitch + kk + lane / 16 * 8]));
        for (int j = 0; j < 4; ++j) {
          ldsm2(b, smem(&t.b[(wn + j * 8 + lane % 8) * kPitch + kk + lane / 8 % 2 * 8]));
          mma(acc[i][j], a, b);
        }
      }
    __syncthreads();
  }
  __shared__ __align__(16) half slab[2][16][72];
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 4; ++j) {
      const int r = lane / 4, c = wn + j * 8 + lane % 4 * 2;
      *(half2 *)&slab[warp / 2][r][c] = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
      *(half2 *)&slab[warp / 2][r + 8][c] = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
    }
    __syncthreads();
    for (int q = threadIdx.x; q < 2 * 16 * 8; q += blockDim.x) {
      const int h = q / 128, r = q / 8 % 16, c = q % 8 * 8;
      *(uint4 *)&D[(blockIdx.y * 64 + h * 32 + i * 16 + r) * N + blockIdx.x * 64 + c] =
          *(uint4 *)&slab[h][r][c];
    }
    __syncthreads();
  }
}

// CHECK-NOT: to_warp_layout
// CHECK: lp::each_pair{{.*}}(acc[i][j], [&](int lane, {{.*}}int lower, const auto &v) {
// CHECK: *(half2 *)&slab[warp / 2][r + 8 * lower][c] = __floats2half2_rn(v[0], v[1]);
// CHECK-NEXT: });
// CHECK-NEXT: __syncthreads();
