// Kernels that are a name for a function: its text is read as theirs. By a struct of arguments; by a
// static method of a template; written by a macro, with an instance each; through two functions.
//
// RUN: %prove --launch %S/whole_text.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

struct Arguments {
  const half *A, *B;
  float *C;
  int N, K;
};
struct Storage {
  half a[32][40], b[16][40];
};

__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  const uint32_t at = __cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}
__device__ __forceinline__ void ldsm2(uint32_t (&r)[2], const half *p) {
  const uint32_t at = __cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(at));
}
__device__ __forceinline__ void multiply(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
               "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void stage(Storage &s, const Arguments &args, int k0) {
  for (int v = threadIdx.x; v < 32 * 4; v += 64)
    *(uint4 *)&s.a[v / 4][v % 4 * 8] = *(const uint4 *)&args.A[v / 4 * args.K + k0 + v % 4 * 8];
  for (int v = threadIdx.x; v < 16 * 4; v += 64)
    *(uint4 *)&s.b[v / 4][v % 4 * 8] = *(const uint4 *)&args.B[(blockIdx.x * 16 + v / 4) * args.K + k0 + v % 4 * 8];
  __syncthreads();
}

// Steps of k wait for each other, and the results are stored where they lie.
//
// CHECK: void compute(
// CHECK: lp::mma_m16n8k16_f32_f16_steps_wave(
// CHECK-NOT: to_warp_layout
// CHECK: lp::each_pair(
// CHECK: byStruct(
__device__ void compute(const Arguments &args, Storage &s, int column) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  for (int k0 = 0; k0 < args.K; k0 += 32) {
    stage(s, args, k0);
    for (int k = 0; k < 32; k += 16) {
      uint32_t a[4], b[2][2];
      ldsm4(a, &s.a[warp * 16 + lane % 16][k + lane / 16 * 8]);
      for (int j = 0; j < 2; ++j)
        ldsm2(b[j], &s.b[j * 8 + lane % 8][k + lane / 8 % 2 * 8]);
      for (int j = 0; j < 2; ++j)
        multiply(c[j], a, b[j]);
    }
    __syncthreads();
  }
  const int row = warp * 16 + lane / 4;
  for (int j = 0; j < 2; ++j) {
    float *out = args.C + row * args.N + column + j * 8 + lane % 4 * 2;
    *(float2 *)out = make_float2(c[j][0], c[j][1]);
    *(float2 *)(out + 8 * args.N) = make_float2(c[j][2], c[j][3]);
  }
}
__global__ void __launch_bounds__(64) byStruct(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) Storage storage;
  const Arguments args = {A, B, C, N, K};
  compute(args, storage, blockIdx.x * 16);
}

// Instances of a template, one a kernel; memory of the launch by a pointer.
//
// CHECK: void run(
// CHECK-NOT: to_warp_layout
// CHECK: lp::each_pair(
// CHECK: #define KERNEL
struct Twice {
  static __device__ float of(float x) { return x + x; }
};
struct Same {
  static __device__ float of(float x) { return x; }
};
template <class Change, int kTiles> struct Gemm {
  static __device__ void run(const half *A, const half *B, float *C, int N, int K, half *memory) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    half *const sA = memory, *const sB = memory + 32 * 24;
    float c[kTiles][4] = {};
    for (int k0 = 0; k0 < K; k0 += 16) {
      for (int v = threadIdx.x; v < 32 * 2; v += 64)
        *(uint4 *)&sA[v / 2 * 24 + v % 2 * 8] = *(const uint4 *)&A[v / 2 * K + k0 + v % 2 * 8];
      for (int v = threadIdx.x; v < kTiles * 8 * 2; v += 64)
        *(uint4 *)&sB[v / 2 * 24 + v % 2 * 8] = *(const uint4 *)&B[(blockIdx.x * kTiles * 8 + v / 2) * K + k0 + v % 2 * 8];
      __syncthreads();
      uint32_t a[4], b[kTiles][2];
      ldsm4(a, sA + (warp * 16 + lane % 16) * 24 + lane / 16 * 8);
      for (int j = 0; j < kTiles; ++j)
        ldsm2(b[j], sB + (j * 8 + lane % 8) * 24 + lane / 8 % 2 * 8);
      for (int j = 0; j < kTiles; ++j)
        multiply(c[j], a, b[j]);
      __syncthreads();
    }
    const int row = warp * 16 + lane / 4;
    for (int j = 0; j < kTiles; ++j)
      for (int e = 0; e < 4; ++e)
        C[(row + e / 2 * 8) * N + blockIdx.x * kTiles * 8 + j * 8 + lane % 4 * 2 + e % 2] = Change::of(c[j][e]);
  }
};
#define KERNEL(NAME, ...)                                                                           \
  extern "C" __global__ void __launch_bounds__(64)                                                  \
      NAME(const half *A, const half *B, float *C, int N, int K) {                                  \
    extern __shared__ half memory[];                                                                \
    Gemm<__VA_ARGS__>::run(A, B, C, N, K, memory);                                                  \
  }
KERNEL(byMacro, Same, 2)
KERNEL(byMacroTwice, Twice, 2)

// Through two functions.
//
// CHECK: void inner(
// CHECK-NOT: to_warp_layout
// CHECK: lp::each_pair(
__device__ void inner(const Arguments &args, Storage &s, float scale) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  for (int k0 = 0; k0 < args.K; k0 += 32) {
    stage(s, args, k0);
    for (int k = 0; k < 32; k += 16) {
      uint32_t a[4], b[2][2];
      ldsm4(a, &s.a[warp * 16 + lane % 16][k + lane / 16 * 8]);
      for (int j = 0; j < 2; ++j)
        ldsm2(b[j], &s.b[j * 8 + lane % 8][k + lane / 8 % 2 * 8]);
      for (int j = 0; j < 2; ++j)
        multiply(c[j], a, b[j]);
    }
    __syncthreads();
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      args.C[(warp * 16 + lane / 4 + e / 2 * 8) * args.N + blockIdx.x * 16 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e] * scale;
}
__device__ void outer(const Arguments &args, Storage &s) {
  const float scale = args.N > 16 ? 0.5f : 2.f;
  inner(args, s, scale);
}
__global__ void __launch_bounds__(64) byTwo(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) Storage storage;
  const Arguments args{A, B, C, N, K};
  outer(args, storage);
}
