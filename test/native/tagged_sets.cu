// Functions that read or multiply several sets of fragments for which their text has to differ: one
// reads both operands, a template and a method do, and one multiplies what other code changes and
// what it does not. Calls say which set they are with.
//
// RUN: %prove --launch %S/tagged_sets.yaml 2>&1 | FileCheck %S/Inputs/native_kept_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
constexpr int kPitch = 40;

// 16 rows of A, or 16 of B: two n8 tiles, whose registers alternate.
// CHECK: template <int [[SET:[A-Za-z]+]] = 0>
// CHECK-NEXT: void load({{.*}}, lp::operands<[[SET]]> = {}) {
// CHECK: if constexpr ([[SET]] == 0) {
// CHECK-NEXT: lp::load_a(r[k],
// CHECK: } else {
// CHECK-NEXT: lp::load_b_tiles(
__device__ void load(uint32_t (&r)[2][4], const half *rows) {
  const int lane = threadIdx.x & 31;
  for (int k = 0; k < 2; ++k) {
    const half *p = rows + lane % 16 * kPitch + k * 16 + lane / 16 * 8;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[k][0]), "=r"(r[k][1]), "=r"(r[k][2]), "=r"(r[k][3])
                 : "r"((uint32_t)__cvta_generic_to_shared(p)));
  }
}
// CHECK: template <typename T, int N, int [[SET]] = 0> __device__ void loadTiles({{.*}}, lp::operands<[[SET]]> = {}) {
template <typename T, int N> __device__ void loadTiles(T (&r)[N][4], const half *rows) {
  const int lane = threadIdx.x & 31;
  for (int k = 0; k < N; ++k) {
    const half *p = rows + lane % 16 * kPitch + k * 16 + lane / 16 * 8;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[k][0]), "=r"(r[k][1]), "=r"(r[k][2]), "=r"(r[k][3])
                 : "r"((uint32_t)__cvta_generic_to_shared(p)));
  }
}
// CHECK: template <int [[SET]] = 0>
// CHECK-NEXT: void add({{.*}}, lp::operands<[[SET]]> = {}) {
// CHECK: if constexpr ([[SET]] == {{[01]}})
// CHECK: lp::move_a(a)
__device__ void add(float (&d)[2][4], const uint32_t (&a)[4], const uint32_t (&b)[2][2]) {
  for (int j = 0; j < 2; ++j)
    mma(d[j], a, b[j][0], b[j][1]);
}

// What one operand is kept for, which other code changes, stays there.
// CHECK: void loadFor({{.*}}, lp::operands<[[SET]]> = {}) {
// CHECK: if constexpr ([[SET]] == {{[01]}}) {
// CHECK-NEXT: lp::load_a{{.*}}(r[k],
// CHECK: } else {
// CHECK-NEXT: lp::ldmatrix_x4(r[k][0],
__device__ void loadFor(uint32_t (&r)[2][4], const half *rows) {
  const int lane = threadIdx.x & 31;
  for (int k = 0; k < 2; ++k) {
    const half *p = rows + lane % 16 * kPitch + k * 16 + lane / 16 * 8;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[k][0]), "=r"(r[k][1]), "=r"(r[k][2]), "=r"(r[k][3])
                 : "r"((uint32_t)__cvta_generic_to_shared(p)));
  }
}

struct Rows {
  half cells[2][32 * kPitch];
};
__device__ void fill(Rows &rows, const half *A, const half *B, int K, int k) {
  __syncthreads();
  for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x) {
    rows.cells[0][i / 32 * kPitch + i % 32] = A[i / 32 * K + k + i % 32];
    rows.cells[1][i / 32 * kPitch + i % 32] = B[i / 32 * K + k + i % 32];
  }
  __syncthreads();
}
__device__ void store(float *C, const float (&c)[2][4], int lane) {
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}
#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(128)                                                           \
      name(const half *A, const half *B, const half *W, float *C, int K)
#define SETUP                                                                                      \
  __shared__ __align__(16) Rows rows;                                                              \
  const int lane = threadIdx.x & 31, m = (threadIdx.x >> 5 & 1) * 16, n = (threadIdx.x >> 6) * 16

// CHECK-LABEL: (byFunction)
// CHECK: load(a, rows.cells[0] + m * kPitch);
// CHECK: load(b, rows.cells[1] + n * kPitch, lp::operands<1>{});
KERNEL(byFunction) {
  SETUP;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(rows, A, B, K, k);
    uint32_t a[2][4], b[2][4];
    load(a, rows.cells[0] + m * kPitch);
    load(b, rows.cells[1] + n * kPitch);
    for (int s = 0; s < 2; ++s) {
      mma(c[0], a[s], b[s][0], b[s][2]);
      mma(c[1], a[s], b[s][1], b[s][3]);
    }
  }
  store(C + m * 32 + n, c, lane);
}

// CHECK-LABEL: (byTemplate)
KERNEL(byTemplate) {
  SETUP;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(rows, A, B, K, k);
    uint32_t a[2][4], b[2][4];
    loadTiles(a, rows.cells[0] + m * kPitch);
    loadTiles<uint32_t>(b, rows.cells[1] + n * kPitch);
    for (int s = 0; s < 2; ++s) {
      mma(c[0], a[s], b[s][0], b[s][2]);
      mma(c[1], a[s], b[s][1], b[s][3]);
    }
  }
  store(C + m * 32 + n, c, lane);
}

// Rows of the first A decay.
// CHECK-LABEL: (multiplied)
KERNEL(multiplied) {
  SETUP;
  float c[2][4] = {}, d[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], its[4], b[2][2];
    for (int r = 0; r < 4; ++r) {
      const int at = (m + lane / 4 + r % 2 * 8) * K + k + lane % 4 * 2 + r / 2 * 8;
      a[r] = *(const uint32_t *)(A + at);
    }
    for (int r = 0; r < 4; ++r)
      its[r] = *(const uint32_t *)(A + (m + lane / 4 + r % 2 * 8) * K + k + lane % 4 * 2 + r / 2 * 8);
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = *(const uint32_t *)(B + (n + j * 8 + lane / 4) * K + k + lane % 4 * 2 + r * 8);
    for (int r = 0; r < 4; ++r) {
      const half2 x = __hmul2(*(half2 *)&a[r], __half2half2(W[lane / 4 + r % 2 * 8]));
      a[r] = *(const uint32_t *)&x;
    }
    add(c, a, b);
    add(d, its, b);
  }
  store(C + m * 32 + n, c, lane);
  store(C + 1024 + m * 32 + n, d, lane);
}

// CHECK-LABEL: (kept)
KERNEL(kept) {
  SETUP;
  float c[2][4] = {}, d[2][4] = {};
  for (int k = 0; k < K; k += 32) {
    fill(rows, A, B, K, k);
    uint32_t a[2][4], its[2][4], b[2][2];
    loadFor(a, rows.cells[0] + m * kPitch);
    loadFor(its, rows.cells[0] + m * kPitch);
    for (int s = 0; s < 2; ++s)
      for (int r = 0; r < 4; ++r) {
        const half2 x = __hmul2(*(half2 *)&a[s][r], __half2half2(W[lane / 4 + r % 2 * 8]));
        a[s][r] = *(const uint32_t *)&x;
      }
    for (int s = 0; s < 2; ++s) {
      for (int j = 0; j < 2; ++j)
        for (int r = 0; r < 2; ++r)
          b[j][r] = *(const uint32_t *)(B + (n + j * 8 + lane / 4) * K + k + s * 16 + lane % 4 * 2 + r * 8);
      for (int j = 0; j < 2; ++j)
        mma(c[j], a[s], b[j][0], b[j][1]);
      for (int j = 0; j < 2; ++j)
        mma(d[j], its[s], b[j][0], b[j][1]);
    }
  }
  store(C + m * 32 + n, c, lane);
  store(C + 1024 + m * 32 + n, d, lane);
}
