// Statements that do nothing stand where statements are counted: static_assert with and without a
// message, asserts that are not compiled, semicolons too many.
//
// RUN: %prove --launch %S/asserts.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
// CHECK-NOT: void ldsm4(
// CHECK: static_assert(Rows % 32 == 0, "warps have whole tiles");
// CHECK: static_assert(sizeof(sA) >= 1024);
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define ASSERT(x) ((void)0)

namespace {
template <int Rows, int Pitch> struct Tile {
  static_assert(Rows % 8 == 0, "ldmatrix reads eight rows");
  static_assert(Pitch % 8 == 0);
  __half of[Rows][Pitch];
  __device__ __forceinline__ void fill(const __half *from, int stride) {
    static_assert(Pitch > 32, "no banks to spare");
    for (int v = threadIdx.x; v < Rows * 4; v += blockDim.x) {
      static_assert(sizeof(uint4) == 16);
      *(uint4 *)&of[v / 4][v % 4 * 8] = *(const uint4 *)&from[v / 4 * stride + v % 4 * 8];;
    }
  }
};

__device__ __forceinline__ void ldsm4(unsigned (&r)[4], const __half *p) {
  static_assert(sizeof(r) == 16, "four registers");
  ASSERT((size_t)p % 16 == 0);
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(p));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}
__device__ __forceinline__ void mma(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  ;
  static_assert(sizeof(c) == sizeof(a), "");
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
               "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
} // namespace

template <int Rows>
__global__ void __launch_bounds__(64) asserted(const __half *A, const __half *B, float *C, int N, int K) {
  static_assert(Rows % 32 == 0, "warps have whole tiles");
  __shared__ __align__(16) Tile<Rows, 40> sA;
  __shared__ __align__(16) Tile<16, 40> sB;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[2][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    static_assert(sizeof(sA) >= 1024);
    sA.fill(A + blockIdx.y * Rows * K + k0, K);
    sB.fill(B + blockIdx.x * 16 * K + k0, K);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; k += 16) {
      unsigned a[4], b[4];
      ldsm4(a, &sA.of[warp * 16 + lane % 16][k + lane / 16 * 8]);
      ldsm4(b, &sB.of[lane / 16 * 8 + lane % 8][k + lane / 8 % 2 * 8]);
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        static_assert(sizeof(acc) == 32);
        ASSERT(j < 2);
        mma(acc[j], a, b[2 * j], b[2 * j + 1]);
      }
    }
    __syncthreads();
    ;
  }
  ASSERT(N % 2 == 0);
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    static_assert(sizeof(float2) == 8, "pairs");
    float *c = &C[(blockIdx.y * Rows + warp * 16 + lane / 4) * N + blockIdx.x * 16 + j * 8 + lane % 4 * 2];
    *(float2 *)c = make_float2(acc[j][0], acc[j][1]);
    ;
    *(float2 *)(c + 8 * N) = make_float2(acc[j][2], acc[j][3]);
  }
}
template __global__ void asserted<32>(const __half *, const __half *, float *, int, int);
