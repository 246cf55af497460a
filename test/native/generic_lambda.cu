// A generic lambda that multiplies: its text is as many instances as it is called with types, of which
// each has numbers of its own. And sums in one array that a function calls by another name.
//
// RUN: %prove --launch %S/generic_lambda.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int PITCH = 40;
template <int N> struct Int {
  static constexpr int value = N;
};

__device__ void ldsm4(uint32_t *r, const half *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(row)));
}
__device__ void mma(float *d, const uint32_t (&a)[4], const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
template <int TILES> __device__ void multiply(float *C, const uint32_t (&a)[4], const uint32_t *b) {
  for (int n = 0; n < TILES; ++n)
    mma(C + n * 4, a, b + n * 2);
}

// CHECK-LABEL: inSteps(
// CHECK:      auto step = [&](const half *rows, const half *columns, auto kk) {
// CHECK:        lp::load_a(a, [&](int lane, int warp) { return &rows[(warp * 16 + lane % 16) * PITCH + k16 * 16 + lane / 16 * 8]; });
// CHECK:      step(sA, sB, Int<0>{});
// CHECK-NEXT: step(sA, sB, Int<1>{});
// CHECK:      lp::each_pair(lp::tile<float, 4>(acc, j), j,
__global__ void __launch_bounds__(128) inSteps(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half sA[64 * PITCH], sB[32 * PITCH];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[16] = {};
  auto step = [&](const half *rows, const half *columns, auto kk) {
    constexpr int k16 = decltype(kk)::value;
    uint32_t a[4], b[8];
    ldsm4(a, &rows[(warp * 16 + lane % 16) * PITCH + k16 * 16 + lane / 16 * 8]);
    for (int j = 0; j < 2; ++j)
      ldsm4(b + j * 4, &columns[(j * 16 + lane / 16 * 8 + lane % 8) * PITCH + k16 * 16 + lane / 8 % 2 * 8]);
    multiply<4>(acc, a, b);
  };
  for (int k = 0; k < K; k += 32) {
    __syncthreads();
    for (int i = threadIdx.x; i < 384; i += 128)
      *(uint4 *)(i < 256 ? &sA[i / 4 * PITCH + i % 4 * 8] : &sB[(i / 4 - 64) * PITCH + i % 4 * 8]) =
          *(const uint4 *)(i < 256 ? &A[i / 4 * K + k + i % 4 * 8] : &B[(i / 4 - 64) * K + k + i % 4 * 8]);
    __syncthreads();
    step(sA, sB, Int<0>{});
    step(sA, sB, Int<1>{});
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = acc[j * 4 + e];
}
