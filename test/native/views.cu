// Tiles of shared memory as views: where they begin and how far their rows are apart, with methods that
// find a place or load a fragment. One kernel's view begins at the warp's own rows.
//
// RUN: %prove --launch %S/views.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.one.hip --target gfx942
// RUN: %ported %t.one.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

struct View {
  const half *base;
  int pitch;
  __device__ const half *place(int row, int col) const { return base + row * pitch + col; }
  __device__ void loadA(uint32_t (&r)[4], int row, int col) const {
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(place(row, col));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
  }
  __device__ void loadB(uint32_t (&r)[2], int row, int col) const {
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(this->base + row * this->pitch + col);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1]) : "r"(at));
  }
};
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

constexpr int kPitch = 24;
__device__ void copyTiles(half *sA, half *sB, const half *A, const half *B, int K) {
  for (int v = threadIdx.x; v < 64; v += 64) {
    *(uint4 *)(sA + v / 2 * kPitch + v % 2 * 8) = *(const uint4 *)(A + v / 2 * K + v % 2 * 8);
    *(uint4 *)(sB + v / 2 * kPitch + v % 2 * 8) = *(const uint4 *)(B + v / 2 * K + v % 2 * 8);
  }
}
__device__ void store(float *C, const float (&c)[4][4], int N) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * N + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK-LABEL: ofBlock(
// CHECK: tileA.place(
// CHECK: tileB.base + {{.*}} * tileB.pitch + {{.*}}
__global__ void __launch_bounds__(64) ofBlock(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[32 * kPitch], sB[32 * kPitch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const View tileA{sA, kPitch}, tileB{sB, kPitch};
  float acc[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    uint32_t a[4], b[2];
    tileA.loadA(a, warp * 16 + lane % 16, lane / 16 * 8);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      tileB.loadB(b, j * 8 + lane % 8, lane / 8 % 2 * 8);
      mma(acc[j], a, b);
    }
    __syncthreads();
  }
  store(C, acc, N);
}

// CHECK-LABEL: ofWarp(
// CHECK-NOT: View tileA
// CHECK: lp::load_a(a, [&](int lane, int warp) {
// CHECK-NEXT: const View tileA = {sA + warp * 16 * kPitch, kPitch};
// CHECK: tileB.base + {{.*}} * tileB.pitch
__global__ void __launch_bounds__(64) ofWarp(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[32 * kPitch], sB[32 * kPitch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const View tileA = {sA + warp * 16 * kPitch, kPitch};
  View tileB{sB, kPitch};
  float acc[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    uint32_t a[4], b[2];
    tileA.loadA(a, lane % 16, lane / 16 * 8);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      tileB.loadB(b, j * 8 + lane % 8, lane / 8 % 2 * 8);
      mma(acc[j], a, b);
    }
    __syncthreads();
  }
  store(C, acc, N);
}
