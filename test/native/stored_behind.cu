// Results that are worked on and stored behind the last product as they are between two: what rows have
// in a struct (a sum, a maximum), a bias that the loop over a tile's elements reads beside its stores,
// rows' sums that another thread reads.
//
// RUN: %prove --launch %S/stored_behind.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

namespace {
constexpr int N = 32;

__device__ uint32_t shared(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ float quadSum(float x) {
  x += __shfl_xor_sync(0xffffffff, x, 1);
  return x + __shfl_xor_sync(0xffffffff, x, 2);
}

// CHECK: __device__ __forceinline__ void product(
__device__ void product(float (&acc)[4][4], const half *A, const half *B, int K, int lane, int warp) {
  __shared__ __align__(16) half sA[32][24], sB[16][N + 8];
  for (int k = 0; k < K; k += 16) {
    *(uint4 *)&sA[threadIdx.x / 2][threadIdx.x % 2 * 8] =
        *(const uint4 *)&A[threadIdx.x / 2 * K + k + threadIdx.x % 2 * 8];
    *(uint4 *)&sB[threadIdx.x / 4][threadIdx.x % 4 * 8] =
        *(const uint4 *)&B[(k + threadIdx.x / 4) * N + threadIdx.x % 4 * 8];
    __syncthreads();
    uint32_t a[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"(shared(&sA[warp * 16 + lane % 16][lane / 16 * 8])));
    for (int j = 0; j < 4; ++j) {
      uint32_t b[2];
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                   : "=r"(b[0]), "=r"(b[1]) : "r"(shared(&sB[lane % 16][j * 8])));
      mma(acc[j], a, b);
    }
    __syncthreads();
  }
}

struct Row {
  float sum[2], most[2];
};
} // namespace

// CHECK-LABEL: normalized(
// CHECK: row.sum[e / 2] += acc[j][e];
// CHECK: row.sum[r] += lp::shfl_xor_wave(row.sum[r], lanes);
// CHECK: *lp::of_element<1>(e, [&](int lane, int warp, int e) { return &C[{{.*}}]; }) =
// CHECK-NEXT: (acc[j][e] - row.most[e / 2]) / row.sum[e / 2];
__global__ void __launch_bounds__(64) normalized(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[4][4] = {};
  product(acc, A, B, K, lane, warp);
  Row row = {{1.f, 1.f}, {0.f, 0.f}};
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e) {
      row.sum[e / 2] += acc[j][e];
      row.most[e / 2] = fmaxf(row.most[e / 2], acc[j][e]);
    }
  for (int r = 0; r < 2; ++r) {
    for (int lanes = 1; lanes < 4; lanes *= 2) {
      row.sum[r] += __shfl_xor_sync(0xffffffff, row.sum[r], lanes);
      row.most[r] = fmaxf(row.most[r], __shfl_xor_sync(0xffffffff, row.most[r], lanes));
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * N + j * 8 + lane % 4 * 2 + e % 2] =
          (acc[j][e] - row.most[e / 2]) / row.sum[e / 2];
}

// The bias lies in shared memory, the result goes to another. What a row has is stored by one lane.
// CHECK-LABEL: biased(
// CHECK: row.sum[e / 2] += acc[j][e] + lp::of_element<1>(e, [&](int lane, int, int e) { return s_bias[
// CHECK: *lp::of_element<1>(e, [&](int lane, int warp, int e) {
// CHECK: *lp::of_element(r, [&](int lane, int warp, int r) { return &s_sum[{{.*}}]; }) = quadSum(row.sum[r]);
__global__ void __launch_bounds__(64) biased(const half *A, const half *B, const float *bias, float *C,
                                             float *sums, int K, int rows) {
  __shared__ float s_bias[N], s_sum[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x < N)
    s_bias[threadIdx.x] = bias[threadIdx.x];
  float acc[4][4] = {};
  product(acc, A, B, K, lane, warp);
  Row row = {};
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e) {
      const int at = warp * 16 + lane / 4 + e / 2 * 8;
      row.sum[e / 2] += acc[j][e] + s_bias[j * 8 + lane % 4 * 2 + e % 2];
      if (at < rows)
        C[at * N + j * 8 + lane % 4 * 2 + e % 2] =
            acc[j][e] + s_bias[j * 8 + lane % 4 * 2 + e % 2];
    }
  for (int r = 0; r < 2; ++r)
    s_sum[warp * 16 + lane / 4 + r * 8] = quadSum(row.sum[r]);
  __syncthreads();
  if (threadIdx.x < rows)
    sums[threadIdx.x] = s_sum[threadIdx.x];
}

// Sums of two lanes alone, and of a row four further: what each lane has is its own.
// CHECK-LABEL: partly(
// CHECK: row.sum[r] += lp::shfl_xor_wave(row.sum[r], 1);
// CHECK-NEXT: row.most[r] = lp::shfl_xor_wave(row.sum[r], 16);
// CHECK: }) = acc[j][e] / row.sum[e / 2] + row.most[e / 2];
// CHECK-NOT: to_warp_
__global__ void __launch_bounds__(64) partly(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[4][4] = {};
  product(acc, A, B, K, lane, warp);
  Row row = {};
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      row.sum[e / 2] += acc[j][e];
  for (int r = 0; r < 2; ++r) {
    row.sum[r] += __shfl_xor_sync(0xffffffff, row.sum[r], 1);
    row.most[r] = __shfl_xor_sync(0xffffffff, row.sum[r], 16);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * N + j * 8 + lane % 4 * 2 + e % 2] = acc[j][e] / row.sum[e / 2] + row.most[e / 2];
}
