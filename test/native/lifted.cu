// Operands that functions of the author's put together, in words and in vectors of words: tiles of
// a class that know their rows and columns, four words and two words made by make_uint4 and
// make_uint2 or read as one, and one ldmatrix.x4 for two tiles that a loop of its own takes.
//
// RUN: %prove --launch %S/lifted.yaml 2>&1 | FileCheck %S/Inputs/native_halves_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

template <int I_, int J_, typename T> struct tile {
  static constexpr int I = I_, J = J_, ne = I * J / 32;
  T x[ne];
  static __device__ __forceinline__ int get_i(const int l) { return l % 2 * (I - 8) + threadIdx.x / 4; }
  static __device__ __forceinline__ int get_j(const int l) { return l / (I / 8) * 4 + threadIdx.x % 4; }
};

template <int I, int J, typename T>
static __device__ __forceinline__ void load_generic(tile<I, J, T> &t, const T *__restrict__ xs0, const int stride) {
#pragma unroll
  for (int l = 0; l < t.ne; ++l)
    t.x[l] = xs0[t.get_i(l) * stride + t.get_j(l)];
}

__device__ __forceinline__ void mma(float (&d)[4], uint4 a, uint2 b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y));
}
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const void *p) {
  const uint32_t s = (uint32_t)__cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(s));
}

// Blocks of (32, 4).
// CHECK-LABEL: generic(
// CHECK: lp::gather_a(a.x, [&](int lane, int warp, int givenL) {
// CHECK-NEXT: const auto xs0 = A + (blockIdx.x * 64 + warp * 16) * K / 2 + k / 2;
// CHECK: return xs0[a.get_i(givenL, lane) * stride + a.get_j(givenL, lane)];
__global__ void __launch_bounds__(128) generic(const uint32_t *A, const uint32_t *B, float *C, int K) {
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    tile<16, 8, uint32_t> a;
    load_generic(a, A + (blockIdx.x * 64 + threadIdx.y * 16) * K / 2 + k / 2, K / 2);
    for (int l = 0; l < 4; ++l) {
      tile<8, 8, uint32_t> b;
      load_generic(b, B + l * 8 * K / 2 + k / 2, K / 2);
      mma(c[l], a.x, b.x[0], b.x[1]);
    }
  }
  for (int l = 0; l < 4; ++l)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.x * 64 + threadIdx.y * 16 + e / 2 * 8 + threadIdx.x / 4) * 32 + l * 8 + threadIdx.x % 4 * 2 + e % 2] = c[l][e];
}

// The words of two neighbouring numbers of k; both operands have them in one order.
// CHECK-LABEL: vectors(
// CHECK: uint4 a;
// CHECK-NEXT: lp::gather_a(lp::regs<unsigned int>(a), [&](int lane, int warp, int r) {
// CHECK: uint2 b;
// CHECK: (*(const uint2 *)&B[
__global__ void __launch_bounds__(128) vectors(const uint32_t *A, const uint32_t *B, float *C, int K) {
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  const int row = blockIdx.x * 64 + threadIdx.x / 32 * 16 + g;
  float c[4][4] = {};
  for (int k = 0; k < K / 2; k += 8) {
    const uint4 a = make_uint4(A[row * K / 2 + k + t * 2], A[(row + 8) * K / 2 + k + t * 2],
                               A[row * K / 2 + k + t * 2 + 1], A[(row + 8) * K / 2 + k + t * 2 + 1]);
    for (int j = 0; j < 4; ++j) {
      const uint2 b = *(const uint2 *)&B[(j * 8 + g) * K / 2 + k + t * 2];
      mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(row + e / 2 * 8) * 32 + j * 8 + t * 2 + e % 2] = c[j][e];
}

__device__ __forceinline__ void load_a(uint32_t *f, const half *s, int lane) {
  const int g = lane / 4, t = lane % 4;
  f[0] = *(const uint32_t *)&s[g * 24 + t * 2];
  f[1] = *(const uint32_t *)&s[(g + 8) * 24 + t * 2];
  f[2] = *(const uint32_t *)&s[g * 24 + t * 2 + 8];
  f[3] = *(const uint32_t *)&s[(g + 8) * 24 + t * 2 + 8];
}
// CHECK-LABEL: halves(
// CHECK: lp::gather_a{{[_0-9]*}}(a, [&](int lane, int warp, int r) {
// CHECK-NEXT: const auto s = &sA[warp * 16][0];
__global__ void __launch_bounds__(128) halves(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half sA[64][24], sB[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    for (int v = threadIdx.x; v < 64 * 16; v += 128)
      sA[v / 16][v % 16] = A[(blockIdx.x * 64 + v / 16) * K + k + v % 16];
    for (int v = threadIdx.x; v < 32 * 16; v += 128)
      sB[v / 16][v % 16] = B[v / 16 * K + k + v % 16];
    __syncthreads();
    uint32_t a[4], b[2][4];
    load_a(a, &sA[warp * 16][0], lane);
    for (int j = 0; j < 2; ++j)
      ldsm4(b[j], &sB[j * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j)
      for (int h = 0; h < 2; ++h)
        mma(c[2 * j + h], a, b[j][h], b[j][h + 2]);
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.x * 64 + warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}
