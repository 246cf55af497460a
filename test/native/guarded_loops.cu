// Conditions on the thread around a loop over tiles go with the elements; cached stores are stores;
// a lambda that says places is declared anew, and a division that drops nothing decides nothing.
//
// RUN: %prove --launch %S/guarded_loops.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ uint32_t pairAt(const half *p, int row, int K, int k) {
  return *reinterpret_cast<const uint32_t *>(p + row * K + k);
}
__device__ __forceinline__ void storeStreaming(float *p, float x, float y) {
  float2 v = make_float2(x, y);
  __stcs(reinterpret_cast<float2 *>(p), v);
}

// CHECK-LABEL: __launch_bounds__(128) guarded(
// CHECK-NOT: if (r0 < M)
// CHECK: lp::each_pair(acc[j], j, [&](int lane, int warp, int j, int lower, const auto &v) {
// CHECK: if (r0 < M) if (!lower) *(float2 *)&C[r0 * 16 + j * 8 + lane % 4 * 2] = make_float2(v[0], v[1]);
// CHECK: const auto p = C + r1 * 16 + lane % 4 * 2;
// CHECK-NEXT: if (r1 < M) if (lower) lp::stcg((float2 *)(p + j * 8), make_float2(v[0], v[1]));
__global__ void __launch_bounds__(128) guarded(const half *A, const half *B, float *C, int M, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2][2];
    for (int r = 0; r < 4; ++r)
      a[r] = pairAt(A, warp * 16 + lane / 4 + r % 2 * 8, K, k + lane % 4 * 2 + r / 2 * 8);
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = pairAt(B, j * 8 + lane / 4, K, k + lane % 4 * 2 + r * 8);
    for (int j = 0; j < 2; ++j)
      mma(acc[j], a, b[j]);
  }
  const int r0 = warp * 16 + lane / 4, r1 = r0 + 8;
  if (r0 < M)
    for (int j = 0; j < 2; ++j)
      *(float2 *)&C[r0 * 16 + j * 8 + lane % 4 * 2] = make_float2(acc[j][0], acc[j][1]);
  if (r1 < M) {
    float *p = C + r1 * 16 + lane % 4 * 2;
    for (int j = 0; j < 2; ++j)
      __stcg((float2 *)(p + j * 8), make_float2(acc[j][2], acc[j][3]));
  }
}

// CHECK-LABEL: __launch_bounds__(128) streamed(
// CHECK: lp::each_pair(acc[j], j, [&](int lane, int warp, int j, int lower, const auto &v) {
// CHECK: auto at = [&](int j, int h) { return C + (warp * 16 + lane / 4 + h * 8) * N + j * 8 + lane % 4 * 2; };
// CHECK-NEXT: storeStreaming(at(j, {{.*}}lower{{.*}}), v[0] * 2, v[1] * 2);
__global__ void __launch_bounds__(128) streamed(const half *A, const half *B, float *C, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2][2];
    for (int r = 0; r < 4; ++r)
      a[r] = pairAt(A, warp * 16 + lane / 4 + r % 2 * 8, K, k + lane % 4 * 2 + r / 2 * 8);
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = pairAt(B, j * 8 + lane / 4, K, k + lane % 4 * 2 + r * 8);
    for (int j = 0; j < 2; ++j)
      mma(acc[j], a, b[j]);
  }
  auto at = [&](int j, int h) { return C + (warp * 16 + lane / 4 + h * 8) * N + j * 8 + lane % 4 * 2; };
  for (int j = 0; j < 2; ++j) {
    storeStreaming(at(j, 0), acc[j][0] * 2, acc[j][1] * 2);
    storeStreaming(at(j, 1), acc[j][2] * 2, acc[j][3] * 2);
  }
}

// CHECK-LABEL: __launch_bounds__(128) divided(
// CHECK: lp::each_pair(acc[j], j, [&](
__global__ void __launch_bounds__(128) divided(const half *A, const half *B, float *C, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2][2];
    for (int r = 0; r < 4; ++r)
      a[r] = pairAt(A, warp * 16 + lane / 4 + r % 2 * 8, K, k + lane % 4 * 2 + r / 2 * 8);
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = pairAt(B, j * 8 + lane / 4, K, k + lane % 4 * 2 + r * 8);
    for (int j = 0; j < 2; ++j)
      mma(acc[j], a, b[j]);
  }
  for (int j = 0; j < 2; ++j) {
    float2 *p = (float2 *)&C[(warp * 16 + lane / 4) * N + j * 8 + lane % 4 * 2];
    p[0] = make_float2(acc[j][0], acc[j][1]);
    p[8 * N / 2] = make_float2(acc[j][2], acc[j][3]);
  }
}

// Each thread decides for itself that it leaves; the warp must be of one mind.
// CHECK-LABEL: __launch_bounds__(128) leaves(
// CHECK-NEXT: lp::require_one_row();
// CHECK-NEXT: // Of the wave's two warps, one that leaves alone does as the other.
// CHECK-NEXT: const lp::staying_checked stays([&](int lane, int warp) {
// CHECK: return row >= M;
__global__ void __launch_bounds__(128) leaves(const half *A, const half *B, float *C, int M, int K) {
  __shared__ half s[16 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = blockIdx.x * 64 + warp * 16 + lane / 4;
  if (row >= M)
    return;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    __syncthreads();
    if (warp == 0)
      for (int i = lane; i < 16 * 16; i += 32)
        s[i] = B[i / 16 * K + k + i % 16];
    __syncthreads();
    uint32_t a[4], b[2][2];
    for (int r = 0; r < 4; ++r)
      a[r] = pairAt(A, row + r % 2 * 8, K, k + lane % 4 * 2 + r / 2 * 8);
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = pairAt(s, j * 8 + lane / 4, 16, lane % 4 * 2 + r * 8);
    for (int j = 0; j < 2; ++j)
      mma(acc[j], a, b[j]);
  }
  for (int j = 0; j < 2; ++j) {
    *(float2 *)&C[row * 16 + j * 8 + lane % 4 * 2] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&C[(row + 8) * 16 + j * 8 + lane % 4 * 2] = make_float2(acc[j][2], acc[j][3]);
  }
}

// In rows of any length the thread's number is made of both indices.
// CHECK-LABEL: __launch_bounds__(128) leavesByNumber(
// CHECK-NEXT: lp::require_whole_waves();
// CHECK-NEXT: // Of the wave's two warps, one that leaves alone does as the other.
// CHECK-NEXT: const lp::staying_checked stays([&](int lane, int warp) {
// CHECK: return row >= M;
// CHECK: const int tid = stays.y() * blockDim.x + stays.x();
__global__ void __launch_bounds__(128) leavesByNumber(const half *A, const half *B, float *C, int M, int K) {
  __shared__ half s[16 * 16];
  const int tid = threadIdx.y * blockDim.x + threadIdx.x;
  const int lane = tid % 32, warp = tid / 32;
  const int row = blockIdx.x * 64 + warp * 16 + lane / 4;
  if (row >= M)
    return;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    __syncthreads();
    if (warp == 0)
      for (int i = lane; i < 16 * 16; i += 32)
        s[i] = B[i / 16 * K + k + i % 16];
    __syncthreads();
    uint32_t a[4], b[2][2];
    for (int r = 0; r < 4; ++r)
      a[r] = pairAt(A, row + r % 2 * 8, K, k + lane % 4 * 2 + r / 2 * 8);
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = pairAt(s, j * 8 + lane / 4, 16, lane % 4 * 2 + r * 8);
    for (int j = 0; j < 2; ++j)
      mma(acc[j], a, b[j]);
  }
  for (int j = 0; j < 2; ++j) {
    *(float2 *)&C[row * 16 + j * 8 + lane % 4 * 2] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&C[(row + 8) * 16 + j * 8 + lane % 4 * 2] = make_float2(acc[j][2], acc[j][3]);
  }
}
