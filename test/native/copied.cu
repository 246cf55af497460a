// Operands that are read a step ahead and copied from one variable to another: they have one layout,
// so the copy stays, of a struct as a whole, in loops over all registers or one behind the other.
//
// RUN: %prove --launch %S/copied.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  const uint32_t s = (uint32_t)__cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(s));
}
__device__ __forceinline__ void ldsm2(uint32_t (&r)[2], const half *p) {
  const uint32_t s = (uint32_t)__cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"(s));
}

// CHECK-LABEL: byElement(
// CHECK: lp::load_a(a, [&]
// CHECK: lp::load_b(b[j], [&]
// CHECK: lp::load_a(an, [&]
// CHECK: lp::load_b(bn[j], [&]
// CHECK: {{^ *}}a[3] = an[3];
// CHECK: {{^ *}}b[j][r] = bn[j][r];
__global__ void __launch_bounds__(64) byElement(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half sa[32][64 + 8], sb[32][64 + 8];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 64) {
    __syncthreads();
    for (int e = threadIdx.x; e < 32 * 64; e += 64) {
      sa[e / 64][e % 64] = A[e / 64 * K + k0 + e % 64];
      sb[e / 64][e % 64] = B[e / 64 * K + k0 + e % 64];
    }
    __syncthreads();
    uint32_t a[4], an[4], b[4][2], bn[4][2];
    ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
#pragma unroll
    for (int k = 0; k < 64; k += 16) {
      if (k + 16 < 64) {
        ldsm4(an, &sa[warp * 16 + lane % 16][k + 16 + lane / 16 * 8]);
        for (int j = 0; j < 4; ++j)
          ldsm2(bn[j], &sb[j * 8 + lane % 8][k + 16 + lane / 8 % 2 * 8]);
      }
      for (int j = 0; j < 4; ++j)
        mma(c[j], a, b[j]);
      a[0] = an[0];
      a[1] = an[1];
      a[2] = an[2];
      a[3] = an[3];
#pragma unroll
      for (int j = 0; j < 4; ++j)
#pragma unroll
        for (int r = 0; r < 2; ++r)
          b[j][r] = bn[j][r];
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 2; ++i)
      *(float2 *)&C[(warp * 16 + lane / 4 + i * 8) * 32 + j * 8 + lane % 4 * 2] = make_float2(c[j][2 * i], c[j][2 * i + 1]);
}

struct RowFragment {
  half2 h[4];
};
struct ColumnFragment {
  uint32_t x[2];
};
__device__ __forceinline__ void loadRows(RowFragment &f, const half *p, int ld) {
  f.h[0] = *(const half2 *)p;
  f.h[1] = *(const half2 *)(p + 8 * ld);
  f.h[2] = *(const half2 *)(p + 8);
  f.h[3] = *(const half2 *)(p + 8 * ld + 8);
}
__device__ __forceinline__ uint32_t word(half2 h) { return *reinterpret_cast<uint32_t *>(&h); }

// From memory, two steps ahead: a copy of a copy. The slice of k is the block's, of any length.
// CHECK-LABEL: byStruct(
// CHECK: lp::gather_a{{[_0-9]*}}(a.h, [&]
// CHECK: lp::gather_a{{[_0-9]*}}(second.h, [&]
// CHECK: lp::gather_a{{[_0-9]*}}(third.h, [&]
// CHECK: {{^ *}}a = second;
// CHECK-NEXT: {{^ *}}second = third;
__global__ void __launch_bounds__(64) byStruct(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4 * 2;
  const half *rows = A + (warp * 16 + g) * K + t;
  float c[2][4] = {};
  RowFragment a, second, third;
  loadRows(a, rows, K);
  loadRows(second, rows + 16, K);
  for (int k = 0; k < K; k += 16) {
    ColumnFragment b[2];
    for (int j = 0; j < 2; ++j) {
      const half *p = B + (j * 8 + g) * K + k + t;
      b[j].x[0] = *(const uint32_t *)p;
      b[j].x[1] = *(const uint32_t *)(p + 8);
    }
    const int ahead = k + 32 < K ? k + 32 : 0;
    loadRows(third, rows + ahead, K);
    for (int j = 0; j < 2; ++j)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                   "{%8,%9}, {%0,%1,%2,%3};"
                   : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
                   : "r"(word(a.h[0])), "r"(word(a.h[1])), "r"(word(a.h[2])), "r"(word(a.h[3])),
                     "r"(b[j].x[0]), "r"(b[j].x[1]));
    a = second;
    second = third;
  }
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 2; ++i)
      *(float2 *)&C[(warp * 16 + g + i * 8) * 16 + j * 8 + t] = make_float2(c[j][2 * i], c[j][2 * i + 1]);
}

__device__ __forceinline__ void ldsm4(uint32_t &r0, uint32_t &r1, uint32_t &r2, uint32_t &r3, const half *p) {
  const uint32_t s = (uint32_t)__cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(s));
}

// Registers that are variables of their own are no copy as a whole: each lane asks for what it wants.
// CHECK-LABEL: byVariable(
// CHECK: lp::gather_a{{[_0-9]*}}(lp::scalars(a0, a1, a2, a3), [&, n0_ = n0,
// CHECK-NEXT: const auto n0 = lp::of_thread(n0_, lane, warp);
__global__ void __launch_bounds__(64) byVariable(const half *A, const half *B, float *C) {
  __shared__ __align__(16) half sa[32][64 + 8], sb[16][64 + 8];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  for (int e = threadIdx.x; e < 32 * 64; e += 64)
    sa[e / 64][e % 64] = A[e];
  for (int e = threadIdx.x; e < 16 * 64; e += 64)
    sb[e / 64][e % 64] = B[e];
  __syncthreads();
  uint32_t a0, a1, a2, a3, n0, n1, n2, n3, b[2];
  ldsm4(a0, a1, a2, a3, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
  for (int k = 0; k < 64; k += 16) {
    const int ahead = k + 16 < 64 ? k + 16 : 0;
    ldsm4(n0, n1, n2, n3, &sa[warp * 16 + lane % 16][ahead + lane / 16 * 8]);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, &sb[j * 8 + lane % 8][k + lane / 8 % 2 * 8]);
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                   "{%8,%9}, {%0,%1,%2,%3};"
                   : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
                   : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b[0]), "r"(b[1]));
    }
    a0 = n0;
    a1 = n1;
    a2 = n2;
    a3 = n3;
  }
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 2; ++i)
      *(float2 *)&C[(warp * 16 + lane / 4 + i * 8) * 16 + j * 8 + lane % 4 * 2] = make_float2(c[j][2 * i], c[j][2 * i + 1]);
}

// What a struct begins with is a copy, too.
// CHECK-LABEL: byDeclaration(
// CHECK: RowWords next;
// CHECK-NEXT: lp::gather_a{{[_0-9]*}}(next.x, [&]
// CHECK: const RowWords now = next;
// CHECK-NEXT: const ColumnFragment left = leftNext, right = rightNext;
// CHECK: lp::gather_a{{[_0-9]*}}(next.x, [&]
struct RowWords {
  uint32_t x[4];
};
__device__ __forceinline__ RowWords rowsAt(const half *p, int ld) {
  RowWords a;
  a.x[0] = *(const uint32_t *)p;
  a.x[1] = *(const uint32_t *)(p + 8 * ld);
  a.x[2] = *(const uint32_t *)(p + 8);
  a.x[3] = *(const uint32_t *)(p + 8 * ld + 8);
  return a;
}
__device__ __forceinline__ ColumnFragment columnsAt(const half *p) {
  ColumnFragment b;
  b.x[0] = *(const uint32_t *)p;
  b.x[1] = *(const uint32_t *)(p + 8);
  return b;
}
__device__ __forceinline__ void multiply(float (&c)[4], const RowWords &a, const ColumnFragment &b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a.x[0]), "r"(a.x[1]), "r"(a.x[2]), "r"(a.x[3]), "r"(b.x[0]), "r"(b.x[1]));
}
__global__ void __launch_bounds__(64) byDeclaration(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4 * 2;
  const half *rows = A + (warp * 16 + g) * K + t, *columns = B + g * K + t;
  float c[2][4] = {};
  RowWords next = rowsAt(rows, K);
  ColumnFragment leftNext = columnsAt(columns);
  ColumnFragment rightNext = columnsAt(columns + 8 * K);
  for (int k = 16; k <= K; k += 16) {
    const RowWords now = next;
    const ColumnFragment left = leftNext, right = rightNext;
    const int ahead = k < K ? k : 0;
    next = rowsAt(rows + ahead, K);
    leftNext = columnsAt(columns + ahead);
    rightNext = columnsAt(columns + 8 * K + ahead);
    multiply(c[0], now, left);
    multiply(c[1], now, right);
  }
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 2; ++i)
      *(float2 *)&C[(warp * 16 + g + i * 8) * 16 + j * 8 + t] = make_float2(c[j][2 * i], c[j][2 * i + 1]);
}
