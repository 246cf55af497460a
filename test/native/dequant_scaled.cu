// Weights of four bits, made halves in registers and scaled there: by a function that is handed the
// fragment and the scale of its column, read where it is called; by one that gives a new fragment;
// and word by word. What each reads is read for the lane whose operand it scales, and nothing moves.
//
// RUN: %prove --launch %S/dequant_scaled.yaml 2>&1 | FileCheck %S/Inputs/native_tested.txt
// RUN: %ported %t.hip | FileCheck %s --check-prefix=TEXT
// TEXT-LABEL: inPlace(
// TEXT: scale(b, lp::read_b([&](int lane, int, int j) {
// TEXT: return column[0];
// TEXT-LABEL: byValue(
// TEXT: b = scaled(b, lp::read_b([&](int lane, int, int j) {
// TEXT-LABEL: byWord(
// TEXT: b0 = times(b0, lp::read_b([&](int lane, int, int j) {
// TEXT-LABEL: ofGroups(
// TEXT: column[j] = lp::read_b{{.*}}([&](int lane, int{{.*}}
// TEXT: return group[j * 8];
// TEXT: scale(b, column[j]);
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

struct FragB {
  half2 h[2];
};

__device__ inline FragB dequant(int q) {
  FragB f;
  f.h[0] = __floats2half2_rn((q & 15) - 8, (q >> 4 & 15) - 8);
  f.h[1] = __floats2half2_rn((q >> 8 & 15) - 8, (q >> 12 & 15) - 8);
  return f;
}
__device__ inline void scale(FragB &f, half s) {
  const half2 both = __half2half2(s);
  f.h[0] = __hmul2(f.h[0], both);
  f.h[1] = __hmul2(f.h[1], both);
}
__device__ inline FragB scaled(FragB f, half s) {
  f.h[0] = __hmul2(f.h[0], __half2half2(s));
  f.h[1] = __hmul2(f.h[1], __half2half2(s));
  return f;
}
__device__ inline void words(int q, uint32_t &low, uint32_t &high) {
  const FragB f = dequant(q);
  low = *reinterpret_cast<const uint32_t *>(&f.h[0]);
  high = *reinterpret_cast<const uint32_t *>(&f.h[1]);
}
__device__ inline uint32_t times(uint32_t word, half s) {
  const half2 r = __hmul2(*reinterpret_cast<half2 *>(&word), __half2half2(s));
  return *reinterpret_cast<const uint32_t *>(&r);
}

__device__ inline void mma(float (&c)[4], const uint32_t (&a)[4], const FragB &b) {
  const uint32_t *B = reinterpret_cast<const uint32_t *>(&b);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(B[0]), "r"(B[1]));
}
__device__ inline void mma(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ inline void ldsm4(uint32_t (&a)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ inline void store(half *C, const float (&c)[4], int N) {
  *(half2 *)C = __floats2half2_rn(c[0], c[1]);
  *(half2 *)(C + 8 * N) = __floats2half2_rn(c[2], c[3]);
}
__device__ inline void copyTile(half (*sA)[24], const half *A, int K) {
  *(int4 *)&sA[threadIdx.x / 2][threadIdx.x % 2 * 8] =
      *(const int4 *)&A[(blockIdx.y * 32 + threadIdx.x / 2) * K + threadIdx.x % 2 * 8];
}

// packed[(k / 16) * N * 4 + n * 4 + q]: word q of column n; a scale for each 16 of k and column.
__global__ void __launch_bounds__(64)
    inPlace(const half *A, const int *packed, const half *scales, half *C, int N, int K) {
  __shared__ __align__(16) half sA[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    copyTile(sA, A + k, K);
    __syncthreads();
    uint32_t a[4];
    ldsm4(a, &sA[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; j++) {
      const int n = blockIdx.x * 16 + j * 8 + lane / 4;
      int q = packed[(k / 16 * N + n) * 4 + lane % 4];
      FragB b = dequant(q);
      const half *column = scales + k / 16 * N + n;
      scale(b, column[0]);
      mma(c[j], a, b);
    }
    __syncthreads();
  }
  for (int j = 0; j < 2; j++)
    store(C + (blockIdx.y * 32 + warp * 16 + lane / 4) * N + blockIdx.x * 16 + j * 8 + lane % 4 * 2,
          c[j], N);
}

__global__ void __launch_bounds__(64)
    byValue(const half *A, const int *packed, const half *scales, half *C, int N, int K) {
  __shared__ __align__(16) half sA[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    copyTile(sA, A + k, K);
    __syncthreads();
    uint32_t a[4];
    ldsm4(a, &sA[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; j++) {
      const int n = blockIdx.x * 16 + j * 8 + lane / 4;
      int q = packed[(k / 16 * N + n) * 4 + lane % 4];
      FragB b = dequant(q);
      b = scaled(b, scales[k / 16 * N + n]);
      mma(c[j], a, b);
    }
    __syncthreads();
  }
  for (int j = 0; j < 2; j++)
    store(C + (blockIdx.y * 32 + warp * 16 + lane / 4) * N + blockIdx.x * 16 + j * 8 + lane % 4 * 2,
          c[j], N);
}

__global__ void __launch_bounds__(64)
    byWord(const half *A, const int *packed, const half *scales, half *C, int N, int K) {
  __shared__ __align__(16) half sA[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    copyTile(sA, A + k, K);
    __syncthreads();
    uint32_t a[4];
    ldsm4(a, &sA[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; j++) {
      const int n = blockIdx.x * 16 + j * 8 + lane / 4;
      int q = packed[(k / 16 * N + n) * 4 + lane % 4];
      uint32_t b0, b1;
      words(q, b0, b1);
      b0 = times(b0, scales[k / 16 * N + n]);
      b1 = times(b1, scales[k / 16 * N + n]);
      mma(c[j], a, b0, b1);
    }
    __syncthreads();
  }
  for (int j = 0; j < 2; j++)
    store(C + (blockIdx.y * 32 + warp * 16 + lane / 4) * N + blockIdx.x * 16 + j * 8 + lane % 4 * 2,
          c[j], N);
}

// A scale for each 32 of k, in an array that is read anew in every other step.
__global__ void __launch_bounds__(64)
    ofGroups(const half *A, const int *packed, const half *scales, half *C, int N, int K) {
  __shared__ __align__(16) half sA[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  half column[2];
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    copyTile(sA, A + k, K);
    __syncthreads();
    if (k % 32 == 0) {
      const half *group = scales + k / 32 * N + blockIdx.x * 16 + lane / 4;
      for (int j = 0; j < 2; j++)
        column[j] = group[j * 8];
    }
    uint32_t a[4];
    ldsm4(a, &sA[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; j++) {
      const int n = blockIdx.x * 16 + j * 8 + lane / 4;
      int q = packed[(k / 16 * N + n) * 4 + lane % 4];
      FragB b = dequant(q);
      scale(b, column[j]);
      mma(c[j], a, b);
    }
    __syncthreads();
  }
  for (int j = 0; j < 2; j++)
    store(C + (blockIdx.y * 32 + warp * 16 + lane / 4) * N + blockIdx.x * 16 + j * 8 + lane % 4 * 2,
          c[j], N);
}
