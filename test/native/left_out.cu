// Rows and columns beyond the matrix are left by 'return' and 'break': each element asks for itself
// whether it is.
//
// RUN: %prove --launch %S/left_out.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
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
  half a[32 * kPitch], b[64 * kPitch];
};

__device__ __forceinline__ void stage(Tiles &t, const half *A, const half *B, int k0, int K) {
  const int r = threadIdx.x / 4, c = threadIdx.x % 4 * 8;
  *(uint4 *)&t.a[r * kPitch + c] = *(const uint4 *)&A[r * K + k0 + c];
  for (int i = 0; i < 64; i += 32)
    *(uint4 *)&t.b[(r + i) * kPitch + c] = *(const uint4 *)&B[(blockIdx.x * 64 + r + i) * K + k0 + c];
}

__global__ void __launch_bounds__(128)
    leftOut(const half *A, const half *B, float *C, int M, int N, int K) {
  __shared__ __align__(16) Tiles t;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 16, wn = warp % 2 * 32;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    stage(t, A, B, k0, K);
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[2];
      ldsm4(a, smem(&t.a[(wm + lane % 16) * kPitch + kk + lane / 16 * 8]));
      for (int j = 0; j < 4; ++j) {
        ldsm2(b, smem(&t.b[(wn + j * 8 + lane % 8) * kPitch + kk + lane / 8 % 2 * 8]));
        mma(acc[j], a, b);
      }
    }
    __syncthreads();
  }
  const int row = wm + lane / 4;
  if (row >= M)
    return;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const int col = blockIdx.x * 64 + wn + j * 8 + lane % 4 * 2;
    if (col >= N)
      break;
    *(float2 *)&C[row * N + col] = make_float2(acc[j][0], acc[j][1]);
    if (row + 8 < M)
      *(float2 *)&C[(row + 8) * N + col] = make_float2(acc[j][2], acc[j][3]);
  }
}

// CHECK-NOT: to_warp_layout
// CHECK: #pragma unroll
// CHECK-NEXT: lp::each_pair(acc[j], [&](int lane, int lower, const auto &v) {
// CHECK-NEXT: const int row = wm + lane / 4;
// CHECK-NEXT: if (row >= M)
// CHECK-NEXT: return;
// CHECK-NEXT: const int col =
// CHECK-NEXT: if (col >= N)
// CHECK-NEXT: return;

// What is read from memory behind those, who is left out does not read.
__global__ void __launch_bounds__(128)
    readBehind(const half *A, const half *B, const float *__restrict__ bias,
               const float *__restrict__ scale, float *C, int M, int N, int K) {
  __shared__ __align__(16) Tiles t;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, wn = warp * 16;
  float acc[2][2][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    stage(t, A, B, k0, K);
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[2][4], b[2];
      for (int i = 0; i < 2; ++i)
        ldsm4(a[i], smem(&t.a[(i * 16 + lane % 16) * kPitch + kk + lane / 16 * 8]));
      for (int j = 0; j < 2; ++j) {
        ldsm2(b, smem(&t.b[(wn + j * 8 + lane % 8) * kPitch + kk + lane / 8 % 2 * 8]));
        for (int i = 0; i < 2; ++i)
          mma(acc[i][j], a[i], b);
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 2; ++j) {
    const int col = blockIdx.x * 64 + wn + j * 8 + lane % 4 * 2;
    if (col >= N)
      continue;
    const float b0 = bias[col], b1 = bias[col + 1];
    const float most = b0 < b1 ? b1 : b0;
    for (int i = 0; i < 2; ++i) {
      const int row = i * 16 + lane / 4;
      if (row < M)
        *(float2 *)&C[row * N + col] = make_float2(acc[i][j][0] + most, acc[i][j][1] + b1);
      if (row + 8 < M)
        *(float2 *)&C[(row + 8) * N + col] = make_float2(acc[i][j][2] + most, acc[i][j][3] + b1);
    }
  }
}

// CHECK-NOT: to_warp_layout
// CHECK-LABEL: readBehind(
// CHECK: if (col >= N) return;
// CHECK-NEXT: const float b0 = bias[col];
// CHECK-NEXT: const float b1 = bias[col + 1];
// CHECK-NEXT: const float most = b0 < b1 ? b1 : b0;
// CHECK-NEXT: const int row = i * 16 + lane / 4;
// CHECK-NEXT: if (row + 8 * lower < M)

// The same by a condition around.
__global__ void __launch_bounds__(128)
    readWithin(const half *A, const half *B, const float *__restrict__ bias,
               const float *__restrict__ scale, float *C, int M, int N, int K) {
  __shared__ __align__(16) Tiles t;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 16, wn = warp % 2 * 32;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    stage(t, A, B, k0, K);
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[2];
      ldsm4(a, smem(&t.a[(wm + lane % 16) * kPitch + kk + lane / 16 * 8]));
      for (int j = 0; j < 4; ++j) {
        ldsm2(b, smem(&t.b[(wn + j * 8 + lane % 8) * kPitch + kk + lane / 8 % 2 * 8]));
        mma(acc[j], a, b);
      }
    }
    __syncthreads();
  }
  const int row = wm + lane / 4;
  if (row < M) {
    const float s = scale[row];
    for (int j = 0; j < 4; ++j) {
      const int col = blockIdx.x * 64 + wn + j * 8 + lane % 4 * 2;
      if (col >= N)
        break;
      const float b0 = bias[col], b1 = bias[col + 1];
      *(float2 *)&C[row * N + col] = make_float2(acc[j][0] * s + b0, acc[j][1] * s + b1);
      if (row + 8 < M)
        *(float2 *)&C[(row + 8) * N + col] = make_float2(acc[j][2] * s + b0, acc[j][3] * s + b1);
    }
  }
}

// CHECK-LABEL: readWithin(
// CHECK: lp::each_pair(acc[j], [&](int lane, int lower, const auto &v) {
// CHECK: if (!(row < M)) return;
// CHECK-NEXT: const float s = scale[row];

// Two columns at once, or where one is left out the other alone: what a thread does in one turn is
// the one or the other.
template <class T> __device__ __forceinline__ void storePair(T *C, int row, int col, int M, int N, float x, float y,
                                                             float alpha, float beta) {
  if (row >= M || col >= N)
    return;
  T *p = C + row * N + col;
  x *= alpha;
  y *= alpha;
  if (col + 1 < N && N % 2 == 0) {
    float2 *both = (float2 *)p;
    const float2 old = *both;
    x += beta * old.x;
    y += beta * old.y;
    *both = make_float2(x, y);
  } else {
    p[0] = x + beta * p[0];
    if (col + 1 < N)
      p[1] = y + beta * p[1];
  }
}

__global__ void __launch_bounds__(128)
    oneOrBoth(const half *A, const half *B, float *C, float *D, int M, int N, int K) {
  __shared__ __align__(16) Tiles t;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 16, wn = warp % 2 * 32;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    stage(t, A, B, k0, K);
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[2];
      ldsm4(a, smem(&t.a[(wm + lane % 16) * kPitch + kk + lane / 16 * 8]));
      for (int j = 0; j < 4; ++j) {
        ldsm2(b, smem(&t.b[(wn + j * 8 + lane % 8) * kPitch + kk + lane / 8 % 2 * 8]));
        mma(acc[j], a, b);
      }
    }
    __syncthreads();
  }
  const int row = wm + lane / 4;
  for (int j = 0; j < 4; ++j) {
    const int col = blockIdx.x * 64 + wn + j * 8 + lane % 4 * 2;
    if (row < M) {
      if (col + 1 < N)
        *(float2 *)&C[row * 128 + col] = make_float2(acc[j][0], acc[j][1]);
      else if (col < N)
        C[row * 128 + col] = acc[j][0];
    }
    if (row + 8 < M) {
      if (col + 1 < N)
        *(float2 *)&C[(row + 8) * 128 + col] = make_float2(acc[j][2], acc[j][3]);
      else if (col < N)
        C[(row + 8) * 128 + col] = acc[j][2];
    }
  }
  for (int j = 0; j < 4; ++j) {
    const int col = blockIdx.x * 64 + wn + j * 8 + lane % 4 * 2;
    storePair(D, row, col, M, N, acc[j][0], acc[j][1], 0.5f, 2.f);
    storePair(D, row + 8, col, M, N, acc[j][2], acc[j][3], 0.5f, 2.f);
  }
}

// CHECK-LABEL: oneOrBoth(
// CHECK: lp::each_pair(acc[j], [&]({{.*}}) {
// CHECK: if (row + 8 * lower < M) {
// CHECK: lp::each_pair(acc[j], [&]({{.*}}) {
// CHECK: storePair(D, row + 8 * lower, col, M, N, v[0], v[1], 0.5f, 2.f);
