// Sums that other code begins, which is not followed: they are CUDA's up to the loop, and go into the
// MFMA's layout in front of it.
//
// RUN: %prove --launch %S/sums_in_front.yaml 2>&1 | FileCheck %S/Inputs/native_halves_proved.txt
// RUN: %ported %t.hip | FileCheck %s
// RUN: %layout-port %s --explain-plan 2>&1 | FileCheck %s --check-prefix=PLAN
// PLAN: kernel byFunction
// PLAN: sums brought from CUDA's layout in front of the loops, epilogue where the elements lie
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void mma(float *d, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ uint32_t pair(const half *p) { return *(const uint32_t *)p; }

// One text for all of C, whoever asks.
__device__ __forceinline__ void load(float (&acc)[4][4], const float *C, int ld, int g, int t) {
  for (int j = 0; j < 4; j++)
    for (int e = 0; e < 4; e++)
      acc[j][e] = C[(g + e / 2 * 8) * ld + j * 8 + t * 2 + e % 2];
}

// By a function that is handed a pointer to the warp's rows.
// CHECK-LABEL: byFunction(
// CHECK: load(acc, C + row * N, N, g, t);
// CHECK-NEXT: // lp: accumulators in the layout of the MFMA
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int i = 0; i < 4; ++i)
// CHECK-NEXT: lp::to_wave_layout(acc[i]);
// CHECK-NEXT: for (int k = 0; k < K; k += 16) {
__global__ void __launch_bounds__(128) byFunction(const half *A, const half *B, float *C, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const int row = blockIdx.x * 64 + warp * 16;
  float acc[4][4];
  load(acc, C + row * N, N, g, t);
  for (int k = 0; k < K; k += 16) {
    const half *p = A + (row + g) * K + k + t * 2;
    const uint32_t a[4] = {pair(p), pair(p + 8 * K), pair(p + 8), pair(p + 8 * K + 8)};
    for (int j = 0; j < 4; j++) {
      const half *q = B + (j * 8 + g) * K + k + t * 2;
      const uint32_t b[2] = {pair(q), pair(q + 8)};
      mma(acc[j], a, b);
    }
  }
  for (int j = 0; j < 4; j++)
    for (int e = 0; e < 4; e++)
      C[(row + g + e / 2 * 8) * N + j * 8 + t * 2 + e % 2] = acc[j][e];
}

// Two elements at once, and only where there is something to begin with; in each turn of a loop.
// CHECK-LABEL: inPairs(
// CHECK: acc[j][e] *= beta;
// CHECK: // lp: accumulators in the layout of the MFMA
// CHECK: for (int k = 0; k < K; k += 16) {
__global__ void __launch_bounds__(128) inPairs(const half *A, const half *B, float *C, int N, int K, float beta) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const int row = blockIdx.x * 64 + warp * 16;
  for (int column = 0; column < N; column += 16) {
    float acc[2][4];
    for (int j = 0; j < 2; j++) {
      float *p = C + (row + g) * N + column + j * 8 + t * 2;
      for (int e = 0; e < 4; e++)
        acc[j][e] = 0.f;
      if (beta != 0.f) {
        *(float2 *)&acc[j][0] = *(const float2 *)p;
        *(float2 *)&acc[j][2] = *(const float2 *)(p + 8 * N);
        for (int e = 0; e < 4; e++)
          acc[j][e] *= beta;
      }
    }
    for (int k = 0; k < K; k += 16) {
      const half *p = A + (row + g) * K + k + t * 2;
      const uint32_t a[4] = {pair(p), pair(p + 8 * K), pair(p + 8), pair(p + 8 * K + 8)};
      for (int j = 0; j < 2; j++) {
        const half *q = B + (column + j * 8 + g) * K + k + t * 2;
        const uint32_t b[2] = {pair(q), pair(q + 8)};
        mma(acc[j], a, b);
      }
    }
    for (int j = 0; j < 2; j++)
      for (int e = 0; e < 4; e++)
        C[(row + g + e / 2 * 8) * N + column + j * 8 + t * 2 + e % 2] = acc[j][e];
  }
}

// Doubles, two members of a struct, of the half of a matrix that lies below its diagonal.
struct Pair {
  double x, y;
};
__device__ __forceinline__ void mma(Pair &d, double a, double b) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+d"(d.x), "+d"(d.y) : "d"(a), "d"(b));
}
// CHECK-LABEL: below(
// CHECK: lp::to_wave_layout{{[_0-9]*}}(lp::regs<double>(acc[i][j]));
// CHECK-NEXT: for (int k = 0; k < K; k += 4) {
__global__ void __launch_bounds__(128) below(double *C, const double *L, int n, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const int row = blockIdx.y * 32 + warp / 2 * 16, column = blockIdx.x * 32 + warp % 2 * 16;
  Pair acc[2][2];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const int r = row + i * 8 + g, c = column + j * 8 + 2 * t;
      acc[i][j].x = r < n && c <= r ? C[r * n + c] : 0.0;
      acc[i][j].y = r < n && c + 1 <= r ? C[r * n + c + 1] : 0.0;
    }
  for (int k = 0; k < K; k += 4) {
    double a[2], b[2];
    for (int i = 0; i < 2; ++i) {
      const int r = row + i * 8 + g, c = column + i * 8 + g;
      a[i] = r < n ? -L[r * K + k + t] : 0.0;
      b[i] = c < n ? L[c * K + k + t] : 0.0;
    }
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        mma(acc[i][j], a[i], b[j]);
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const int r = row + i * 8 + g, c = column + j * 8 + 2 * t;
      if (r < n) {
        if (c <= r)
          C[r * n + c] = acc[i][j].x;
        if (c + 1 <= r)
          C[r * n + c + 1] = acc[i][j].y;
      }
    }
}

// Sums of f16, whose halves are read in front of the loop, too.
// CHECK-LABEL: halves(
// CHECK: // lp: accumulators in the layout of the MFMA
// CHECK: lp::to_wave_layout{{[_0-9]*}}(
__global__ void __launch_bounds__(128) halves(const half *A, const half *B, half *C, float *first, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const int row = blockIdx.x * 64 + warp * 16;
  uint32_t acc[4][2];
  for (int j = 0; j < 4; j++) {
    acc[j][0] = *(const uint32_t *)&C[(row + g) * N + j * 8 + t * 2];
    acc[j][1] = *(const uint32_t *)&C[(row + g + 8) * N + j * 8 + t * 2];
  }
  first[blockIdx.x * 128 + threadIdx.x] = __low2float(*(const half2 *)&acc[3][1]);
  for (int k = 0; k < K; k += 16) {
    const half *p = A + (row + g) * K + k + t * 2;
    const uint32_t a[4] = {pair(p), pair(p + 8 * K), pair(p + 8), pair(p + 8 * K + 8)};
    for (int j = 0; j < 4; j++) {
      const half *q = B + (j * 8 + g) * K + k + t * 2;
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
                   : "+r"(acc[j][0]), "+r"(acc[j][1])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(pair(q)), "r"(pair(q + 8)));
    }
  }
  for (int j = 0; j < 4; j++) {
    *(uint32_t *)&C[(row + g) * N + j * 8 + t * 2] = acc[j][0];
    *(uint32_t *)&C[(row + g + 8) * N + j * 8 + t * 2] = acc[j][1];
  }
}
