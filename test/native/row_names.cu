// Rows r and r + 8 of a tile by statements of their own, with variables of their own: what is said of
// the upper row in the lower row's statement is said by the lower row's names.
//
// RUN: %prove --launch %S/row_names.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s --check-prefix=TEXT
// TEXT-NOT: to_warp_layout
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t pair(const half *p) { return *(const uint32_t *)p; }

__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// 32 rows a block, 16 a warp, of 32 columns.
__device__ __forceinline__ void product(float (&acc)[4][4], const half *A, const half *B, int row,
                                        int lane, int K) {
  for (int k = 0; k < K; k += 16) {
    const half *p = A + row * K + k + lane % 4 * 2;
    const uint32_t a[4] = {pair(p), pair(p + 8 * K), pair(p + 8), pair(p + 8 * K + 8)};
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const half *q = B + (j * 8 + lane / 4) * K + k + lane % 4 * 2;
      const uint32_t b[2] = {pair(q), pair(q + 8)};
      mma(acc[j], a, b);
    }
  }
}

// TEXT-LABEL: scaled(
// TEXT: const float hi = bias[row + 8 * lower];
// TEXT: v[0] * ((lower ? hi + 1.f : hi));
__global__ void __launch_bounds__(64) scaled(const half *A, const half *B, float *C,
                                             const float *__restrict__ bias, int K, int N) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * 32 + threadIdx.x / 32 * 16 + lane / 4;
  float acc[4][4] = {};
  product(acc, A, B, row, lane, K);
  const float low = bias[100];
  (void)low;
  for (int j = 0; j < 4; ++j) {
    const int col = j * 8 + lane % 4 * 2;
    {
      const float low = bias[row];
      C[row * N + col] = acc[j][0] * low;
      C[row * N + col + 1] = acc[j][1];
    }
    {
      const float hi = bias[row + 8];
      C[(row + 8) * N + col] = acc[j][2] * (hi + 1.f);
      C[(row + 8) * N + col + 1] = acc[j][3];
    }
  }
}

// Outside, the upper row's names are others'.
// TEXT-LABEL: hidden(
// TEXT: if (row + 8 * lower < 60) {
// TEXT: const int off8 = (row + 8 * lower) * N + col;
// TEXT: C[(lower ? 1 : off8) + (lower ? off8 : 1)] = v[1];
__global__ void __launch_bounds__(64) hidden(const half *A, const half *B, float *C, int K, int N) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * 32 + threadIdx.x / 32 * 16 + lane / 4;
  float acc[4][4] = {};
  product(acc, A, B, row, lane, K);
  const int off = 0;
  for (int j = 0; j < 4; ++j) {
    const int col = j * 8 + lane % 4 * 2;
    if (row < 60) {
      const int off = row * N + col;
      C[off] = acc[j][0];
      C[off + 1] = acc[j][1];
    }
    if (row + 8 < 60) {
      const int off8 = (row + 8) * N + col;
      C[off8] = acc[j][2];
      C[1 + off8] = acc[j][3];
    }
  }
}

// TEXT-LABEL: pointed(
// TEXT: float *q = C + (row + 8 * lower) * N;
// TEXT: (q + 1 * lower)[(lower ? col : col + 1)] = v[1];
__global__ void __launch_bounds__(64) pointed(const half *A, const half *B, float *C, int K, int N) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * 32 + threadIdx.x / 32 * 16 + lane / 4;
  float acc[4][4] = {};
  product(acc, A, B, row, lane, K);
  for (int j = 0; j < 4; ++j) {
    const int col = j * 8 + lane % 4 * 2;
    {
      float *p = C + row * N;
      p[col] = acc[j][0];
      p[col + 1] = acc[j][1];
    }
    {
      float *q = C + (row + 8) * N;
      q[col] = acc[j][2];
      (q + 1)[col] = acc[j][3];
    }
  }
}

// A variable of a condition.
// TEXT-LABEL: conditioned(
// TEXT: if (const float z = bias[row + 8 * lower])
// TEXT: v[0] * ((lower ? z + 1.f : z));
__global__ void __launch_bounds__(64) conditioned(const half *A, const half *B, float *C,
                                                  const float *__restrict__ bias, int K, int N) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * 32 + threadIdx.x / 32 * 16 + lane / 4;
  float acc[4][4] = {};
  product(acc, A, B, row, lane, K);
  for (int j = 0; j < 4; ++j) {
    const int col = j * 8 + lane % 4 * 2;
    if (const float w = bias[row])
      C[row * N + col] = acc[j][0] * w;
    if (const float z = bias[row + 8])
      C[(row + 8) * N + col] = acc[j][2] * (z + 1.f);
    C[row * N + col + 1] = acc[j][1];
    C[(row + 8) * N + col + 1] = acc[j][3];
  }
}

// A macro names the upper row's variable: its text stays where it is.
#define LOW (low + 1.f)
// TEXT-LABEL: byMacro(
// TEXT: if (!lower) {
// TEXT: v[0] * LOW;
// TEXT: if (lower) {
// TEXT: v[0] * (hi + 3.f);
__global__ void __launch_bounds__(64) byMacro(const half *A, const half *B, float *C,
                                              const float *__restrict__ bias, int K, int N) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * 32 + threadIdx.x / 32 * 16 + lane / 4;
  float acc[4][4] = {};
  product(acc, A, B, row, lane, K);
  for (int j = 0; j < 4; ++j) {
    const int col = j * 8 + lane % 4 * 2;
    {
      const float low = bias[row];
      C[row * N + col] = acc[j][0] * LOW;
      C[row * N + col + 1] = acc[j][1];
    }
    {
      const float hi = bias[row + 8];
      C[(row + 8) * N + col] = acc[j][2] * (hi + 3.f);
      C[(row + 8) * N + col + 1] = acc[j][3];
    }
  }
}

// A type of the name is another one at the lower row's place.
// TEXT-LABEL: otherType(
// TEXT: if (!lower) C[row * N + col] = v[0] * (float)(T)bias[row];
__global__ void __launch_bounds__(64) otherType(const half *A, const half *B, float *C,
                                                const float *__restrict__ bias, int K, int N) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * 32 + threadIdx.x / 32 * 16 + lane / 4;
  float acc[4][4] = {};
  product(acc, A, B, row, lane, K);
  using T = float;
  for (int j = 0; j < 4; ++j) {
    const int col = j * 8 + lane % 4 * 2;
    C[row * N + col] = acc[j][0] * (float)(T)bias[row];
    C[row * N + col + 1] = acc[j][1];
    using T = int;
    C[(row + 8) * N + col] = acc[j][2] * (float)(bias[row + 8] + (T)1);
    C[(row + 8) * N + col + 1] = acc[j][3];
  }
}

// In a function that is handed the tile; elsewhere its name is a number's.
constexpr float u0 = 3.f;
__device__ void store(float *C, const float (&c)[4], int N, int row, int col, const float *bias) {
  {
    const float u0 = bias[row];
    C[row * N + col] = c[0] * u0;
    C[row * N + col + 1] = c[1];
  }
  {
    const float u1 = bias[row + 8];
    C[(row + 8) * N + col] = c[2] * (u1 + 1.f);
    C[(row + 8) * N + col + 1] = c[3];
  }
}

__global__ void __launch_bounds__(64) inFunction(const half *A, const half *B, float *C,
                                                 const float *__restrict__ bias, int K, int N) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * 32 + threadIdx.x / 32 * 16 + lane / 4;
  float acc[4][4] = {};
  product(acc, A, B, row, lane, K);
  for (int j = 0; j < 4; ++j)
    store(C, acc[j], N, row, j * 8 + lane % 4 * 2, bias);
}

// Elements change in a loop, and are stored behind it.
// TEXT-LABEL: changed(
// TEXT: for (int e = 2 * lower; e < 2 * lower + 2; ++e)
// TEXT: *(float2 *)&C[(row + 8 * lower) * N + col] = make_float2(v[0], v[1]);
__global__ void __launch_bounds__(64) changed(const half *A, const half *B, float *C,
                                              const float *__restrict__ bias, int K, int N) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * 32 + threadIdx.x / 32 * 16 + lane / 4;
  float acc[4][4] = {};
  product(acc, A, B, row, lane, K);
  for (int j = 0; j < 4; ++j) {
    const int col = j * 8 + lane % 4 * 2;
    for (int e = 0; e < 4; ++e)
      acc[j][e] = acc[j][e] * bias[col + e % 2] + bias[row + e / 2 * 8];
    *(float2 *)&C[row * N + col] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&C[(row + 8) * N + col] = make_float2(acc[j][2], acc[j][3]);
  }
}

// Sums that begin alike, and are added to under a condition.
// TEXT-LABEL: summed(
// TEXT: (h ? s1 : s0) += v[0];
// TEXT: if (col < 20)
__global__ void __launch_bounds__(64) summed(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * 32 + threadIdx.x / 32 * 16 + lane / 4;
  float acc[4][4] = {};
  product(acc, A, B, row, lane, K);
  float s0 = 4.f, s1 = 2.f + 2.f;
  for (int j = 0; j < 4; ++j) {
    const int col = j * 8 + lane % 4 * 2;
    s0 += acc[j][0];
    s1 += acc[j][2];
    if (col < 20) {
      s0 += acc[j][1];
      s1 += acc[j][3];
    }
  }
  s0 += __shfl_xor_sync(0xffffffffu, s0, 1);
  s0 += __shfl_xor_sync(0xffffffffu, s0, 2);
  s1 += __shfl_xor_sync(0xffffffffu, s1, 1);
  s1 += __shfl_xor_sync(0xffffffffu, s1, 2);
  if (lane % 4 == 0) {
    C[row] = s0;
    C[row + 8] = s1;
  }
}
