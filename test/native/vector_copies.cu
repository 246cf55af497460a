// Sums in vectors that are copied or led to by several names of one declaration, operands that are
// handed on in a vector of the call's own, and a result that is multiplied on beside operands that a
// condition chooses between halves.
//
// RUN: %prove --launch %S/vector_copies.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void mma(float4 &d, const uint4 &a, const uint2 &b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d.x), "+f"(d.y), "+f"(d.z), "+f"(d.w)
               : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y));
}
__device__ __forceinline__ uint32_t word(const half *p) { return *(const uint32_t *)p; }

struct Sums {
  float4 v[2];
};

// CHECK-LABEL: copied(
// CHECK: lp::operand_b([&]({{.*}}) {
// CHECK: return r == 0 ? word(q) : word(q + 8);
// CHECK: lp::each_pair({{.*}}acc.v[j]{{.*}}, [&]({{.*}}) {
// CHECK-NOT: const float4 v
// CHECK: if (row + 8 * lower < M)
// CHECK-NEXT: *(float2 *)&C[(row + 8 * lower) * N + col] = make_float2(
__global__ void __launch_bounds__(64)
copied(const half *A, const half *B, float *C, int M, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  Sums acc = {};
  for (int k = 0; k < K; k += 16) {
    const half *p = A + (warp * 16 + g) * K + k + t * 2;
    uint4 a;
    a.x = word(p);
    a.y = word(p + 8 * K);
    a.z = word(p + 8);
    a.w = word(p + 8 * K + 8);
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + g) * K + k + t * 2;
      mma(acc.v[j], a, make_uint2(word(q), word(q + 8)));
    }
  }
  const int row = warp * 16 + g;
  for (int j = 0; j < 2; ++j) {
    const int col = j * 8 + t * 2;
    if (col >= N)
      continue;
    const float4 v = acc.v[j];
    if (row < M)
      *(float2 *)&C[row * N + col] = make_float2(v.x, v.y);
    if (row + 8 < M)
      *(float2 *)&C[(row + 8) * N + col] = make_float2(v.z, v.w);
  }
}

// CHECK-LABEL: led(
// CHECK-NOT: const float *p
// CHECK: c[8 * N * lower] = v[0] + 1.f;
__global__ void __launch_bounds__(64) led(const half *A, const half *B, float *C, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float acc[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    const half *p = A + (warp * 16 + g) * K + k + t * 2;
    uint32_t a[4] = {word(p), word(p + 8 * K), word(p + 8), word(p + 8 * K + 8)};
    for (int j = 0; j < 4; ++j) {
      const half *q = B + (j * 8 + g) * K + k + t * 2;
      uint32_t b[2] = {word(q), word(q + 8)};
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                   "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                   : "+f"(acc[j][0]), "+f"(acc[j][1]), "+f"(acc[j][2]), "+f"(acc[j][3])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
  }
  for (int j = 0; j < 4; ++j) {
    const float *p = acc[j], *q = &acc[j][2];
    float *c = C + (warp * 16 + g) * N + j * 8 + t * 2;
    c[0] = p[0] + 1.f;
    c[1] = p[1] + 1.f;
    c[8 * N] = q[0] + 1.f;
    c[8 * N + 1] = q[1] + 1.f;
  }
}

__device__ __forceinline__ uint32_t two(half lo, half hi) {
  return (uint32_t)__half_as_ushort(lo) | (uint32_t)__half_as_ushort(hi) << 16;
}
__device__ __forceinline__ uint32_t column(const half *p, int row, int col, int rows, int cols) {
  const half none = __ushort_as_half(0);
  const half lo = row < rows && col < cols ? p[row * cols + col] : none;
  const half hi = row + 1 < rows && col < cols ? p[(row + 1) * cols + col] : none;
  return two(lo, hi);
}

// CHECK-LABEL: chained(
// CHECK: return r == 0 ? column(B, k + t2, j * 8 + g, K, R) : column(B, k + t2 + 8, j * 8 + g, K, R);
__global__ void __launch_bounds__(64)
chained(const half *A, const half *B, const half *D, float *C, int N, int K, int R) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t2 = lane % 4 * 2;
  float4 hid[2] = {}, acc[4] = {};
  for (int k = 0; k < K; k += 16) {
    const half *p = A + (warp * 16 + g) * K + k + t2;
    const uint4 a = make_uint4(word(p), word(p + 8 * K), word(p + 8), word(p + 8 * K + 8));
    for (int j = 0; j < 2; ++j)
      mma(hid[j], a, make_uint2(column(B, k + t2, j * 8 + g, K, R), column(B, k + t2 + 8, j * 8 + g, K, R)));
  }
  const uint4 h = make_uint4(two(__float2half(hid[0].x), __float2half(hid[0].y)),
                             two(__float2half(hid[0].z), __float2half(hid[0].w)),
                             two(__float2half(hid[1].x), __float2half(hid[1].y)),
                             two(__float2half(hid[1].z), __float2half(hid[1].w)));
  for (int j = 0; j < 4; ++j)
    mma(acc[j], h, make_uint2(column(D, t2, j * 8 + g, R, N), column(D, t2 + 8, j * 8 + g, R, N)));
  for (int j = 0; j < 4; ++j) {
    const int col = j * 8 + t2;
    if (col < N) {
      *(float2 *)&C[(warp * 16 + g) * N + col] = make_float2(acc[j].x, acc[j].y);
      *(float2 *)&C[(warp * 16 + g + 8) * N + col] = make_float2(acc[j].z, acc[j].w);
    }
  }
}
