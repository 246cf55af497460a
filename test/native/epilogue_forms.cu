// Epilogues in place: a pointer moved on around the loop over tiles, a lambda that stores to what
// was changed before it, and elements that are read as const and written.
//
// RUN: %prove --launch %S/epilogue_forms.yaml 2>&1 | FileCheck %S/Inputs/proved.txt
// RUN: %layout-port %s -o %t.one.hip --target gfx942 2>&1 | FileCheck %s --check-prefix=NOTE
// RUN: %ported %t.one.hip | FileCheck %s
// NOTE-NOT: keeps its epilogue
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kPitch = 40;

__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void ldsm2(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                    uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void copyIn(half *to, const half *from) {
  for (int i = threadIdx.x; i < 32 * 4; i += 64)
    *(int4 *)&to[i / 4 * kPitch + i % 4 * 8] = *(const int4 *)&from[i * 8];
}
#define MULTIPLY                                                                                   \
  __shared__ __align__(16) half sA[32 * kPitch], sB[32 * kPitch];                                  \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  copyIn(sA, A);                                                                                   \
  copyIn(sB, B);                                                                                   \
  __syncthreads();                                                                                 \
  float acc[2][4][4] = {};

// A pointer that a loop around the one over tiles moves on: each tile says where it is.
// CHECK-LABEL: aroundTiles(
// CHECK: lp::each_pair(acc[i][j], [&](int lane, int warp, int lower, const auto &v) {
// CHECK: auto to = C + (warp * 16 + lane / 4) * 64 + lane % 4 * 2;
// CHECK-NEXT: to += 32 * i;
// CHECK: atomicAdd(to + 8 * 64 * lower + j * 8, v[0]);
// CHECK-NOT: to += 32;
// CHECK-LABEL: namesChanged(
__global__ void __launch_bounds__(64) aroundTiles(const half *A, const half *B, float *C) {
  MULTIPLY
  for (int k = 0; k < 32; k += 16) {
    uint32_t a[4], b[2];
    ldsm4(a, &sA[(warp * 16 + lane % 16) * kPitch + k + lane / 16 * 8]);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j) {
        ldsm2(b, &sB[(j * 8 + (lane + i) % 8) * kPitch + k + lane / 8 % 2 * 8]);
        mma(acc[i][j], a, b[0], b[1]);
      }
  }
  float *to = C + (warp * 16 + lane / 4) * 64 + lane % 4 * 2;
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 4; j++) {
      atomicAdd(to + j * 8, acc[i][j][0]);
      atomicAdd(to + j * 8 + 1, acc[i][j][1]);
      atomicAdd(to + 8 * 64 + j * 8, acc[i][j][2]);
      atomicAdd(to + 8 * 64 + j * 8 + 1, acc[i][j][3]);
    }
    to += 32;
  }
}

struct Doubled {
  __device__ float operator()(float x) const { return 2.f * x; }
};

// A lambda that stores and names what was changed before it was made.
// CHECK: store(r + 8 * lower, c, v[0]);
__global__ void __launch_bounds__(64) namesChanged(const half *A, const half *B, const float *bias,
                                                   float *C, int rows) {
  C += blockIdx.y * 32 * 64;
  MULTIPLY
  for (int k = 0; k < 32; k += 16) {
    uint32_t a[4], b[2];
    ldsm4(a, &sA[(warp * 16 + lane % 16) * kPitch + k + lane / 16 * 8]);
    for (int j = 0; j < 4; ++j) {
      ldsm2(b, &sB[(j * 8 + lane % 8) * kPitch + k + lane / 8 % 2 * 8]);
      mma(acc[0][j], a, b[0], b[1]);
    }
  }
  const Doubled act{};
  auto store = [&](int r, int c, float x) {
    if (r < rows)
      C[r * 64 + c] = act(x + bias[c]);
  };
  for (int j = 0; j < 4; ++j) {
    const int r = warp * 16 + lane / 4, c = j * 8 + lane % 4 * 2;
    store(r, c, acc[0][j][0]);
    store(r, c + 1, acc[0][j][1]);
    store(r + 8, c, acc[0][j][2]);
    store(r + 8, c + 1, acc[0][j][3]);
  }
}

// What is read as const is what is written.
// CHECK-LABEL: readsAsConst(
// CHECK: const float2 y = *reinterpret_cast<const float2 *>((lower ? c1 : c0));
// CHECK-NEXT: v.x += beta * y.x; v.y += beta * y.y;
__global__ void __launch_bounds__(64) readsAsConst(const half *A, const half *B, float *C,
                                                   float beta) {
  MULTIPLY
  for (int k = 0; k < 32; k += 16) {
    uint32_t a[4], b[2];
    ldsm4(a, &sA[(warp * 16 + lane % 16) * kPitch + k + lane / 16 * 8]);
    for (int j = 0; j < 4; ++j) {
      ldsm2(b, &sB[(j * 8 + lane % 8) * kPitch + k + lane / 8 % 2 * 8]);
      mma(acc[0][j], a, b[0], b[1]);
    }
  }
  for (int j = 0; j < 4; ++j) {
    float *c0 = C + (warp * 16 + lane / 4) * 64 + j * 8 + lane % 4 * 2, *c1 = c0 + 8 * 64;
    float2 u = make_float2(acc[0][j][0], acc[0][j][1]);
    float2 v = make_float2(acc[0][j][2], acc[0][j][3]);
    if (beta != 0.f) {
      const float2 x = *reinterpret_cast<const float2 *>(c0);
      const float2 y = *reinterpret_cast<const float2 *>(c1);
      u.x += beta * x.x; u.y += beta * x.y;
      v.x += beta * y.x; v.y += beta * y.y;
    }
    *reinterpret_cast<float2 *>(c0) = u;
    *reinterpret_cast<float2 *>(c1) = v;
  }
}
