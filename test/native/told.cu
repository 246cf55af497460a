// Functions that read the thread's index themselves and are called with a register's number, in
// operands put together by hand, in a mask between the products and in epilogues: free ones that call
// others, static members named through an object, arms of a template that another instance has.
//
// RUN: %prove --launch %S/told.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

// CHECK: int quad_of(unsigned thread_x = threadIdx.x) { return thread_x % 32 / 4; }
// CHECK: return l / 2 % 2 * 8 + quad_of(thread_x); }
// CHECK: int get_i(const int l, unsigned thread_x = threadIdx.x)
// CHECK: return thread_x % 32 / 4;
// CHECK: return get_row(l, thread_x);
__device__ __forceinline__ int quad_of() { return threadIdx.x % 32 / 4; }
__device__ __forceinline__ int get_row(const int l) { return l / 2 % 2 * 8 + quad_of(); }

template <int I_, int J_, typename T> struct tile {
  static constexpr int I = I_, J = J_, ne = I * J / 32;
  T x[ne] = {};

  static __device__ __forceinline__ int get_i(const int l) {
    if constexpr (I == 8)
      return threadIdx.x % 32 / 4;
    else if constexpr (sizeof(T) == 4 && J == 4)
      return l * 8 + quad_of();
    else
      return get_row(l);
  }
  static __device__ __forceinline__ int get_j(const int l) {
    if constexpr (I == 8)
      return l * 4 + threadIdx.x % 4;
    else
      return threadIdx.x % 4 * 2 + l % 2;
  }
};
struct words_a {
  uint32_t x[4];
  static __device__ __forceinline__ int get_i(int l) { return threadIdx.x % 32 / 4 + l % 2 * 8; }
  static __device__ __forceinline__ int get_j(int l) { return threadIdx.x % 4 + l / 2 * 4; }
};

template <class D, class A, class B> __device__ __forceinline__ void mma(D &d, const A &a, const B &b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d.x[0]), "+f"(d.x[1]), "+f"(d.x[2]), "+f"(d.x[3])
               : "r"(a.x[0]), "r"(a.x[1]), "r"(a.x[2]), "r"(a.x[3]), "r"(b.x[0]), "r"(b.x[1]));
}

__device__ __forceinline__ uint32_t pack(float a, float b) {
  const __half2 both = __floats2half2_rn(a, b);
  return *(const uint32_t *)&both;
}

// CHECK: return A[(row0 + a.get_i(l, warp * 32 + lane)) * K / 2 + k / 2 + a.get_j(l, warp * 32 + lane)];
// CHECK: C[(row0 + tile<16, 8, float>::get_i(l, warp * 32 + lane)) * 16
__global__ void __launch_bounds__(128) generic(const uint32_t *A, const uint32_t *B, float *C, int K) {
  const int row0 = blockIdx.x * 64 + threadIdx.x / 32 * 16;
  tile<16, 8, float> c[2];
  for (int k = 0; k < K; k += 16) {
    words_a a;
#pragma unroll
    for (int l = 0; l < 4; ++l)
      a.x[l] = A[(row0 + a.get_i(l)) * K / 2 + k / 2 + a.get_j(l)];
    for (int j = 0; j < 2; ++j) {
      tile<8, 8, uint32_t> b;
#pragma unroll
      for (int l = 0; l < b.ne; ++l)
        b.x[l] = B[(j * 8 + b.get_i(l)) * K / 2 + k / 2 + b.get_j(l)];
      mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int l = 0; l < 4; ++l)
      C[(row0 + tile<16, 8, float>::get_i(l)) * 16 + j * 8 + tile<16, 8, float>::get_j(l)] = c[j].x[l];
}

// Two products with a mask between them.
// CHECK: return k0 + j * 8 + tile<16, 8, float>::get_j(l, warp * 32 + lane) > row0 + get_row(l, warp * 32 + lane);
__global__ void __launch_bounds__(64) masked(const uint32_t *A, const uint32_t *B, float *C, int K) {
  const int row0 = threadIdx.x / 32 * 16;
  tile<16, 8, float> o[2];
  words_a a;
  for (int l = 0; l < 4; ++l)
    a.x[l] = A[(row0 + a.get_i(l)) * 8 + a.get_j(l)];
  for (int k0 = 0; k0 < K; k0 += 16) {
    tile<16, 8, float> s[2];
    for (int j = 0; j < 2; ++j) {
      tile<8, 8, uint32_t> b;
      for (int l = 0; l < 2; ++l)
        b.x[l] = B[(k0 + j * 8 + b.get_i(l)) * 8 + b.get_j(l)];
      mma(s[j], a, b);
    }
    for (int j = 0; j < 2; ++j)
      for (int l = 0; l < 4; ++l)
        if (k0 + j * 8 + tile<16, 8, float>::get_j(l) > row0 + get_row(l))
          s[j].x[l] = 0;
    words_a p = {pack(s[0].x[0], s[0].x[1]), pack(s[0].x[2], s[0].x[3]), pack(s[1].x[0], s[1].x[1]),
                 pack(s[1].x[2], s[1].x[3])};
    for (int j = 0; j < 2; ++j) {
      tile<8, 8, uint32_t> v;
      for (int l = 0; l < 2; ++l)
        v.x[l] = B[(j * 8 + v.get_i(l)) * K / 2 + k0 / 2 + v.get_j(l)];
      mma(o[j], p, v);
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int l = 0; l < 4; ++l)
      C[(row0 + get_row(l)) * 16 + j * 8 + o[j].get_j(l)] = o[j].x[l];
}
