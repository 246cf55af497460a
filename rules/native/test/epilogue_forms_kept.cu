// Epilogues behind a conversion: a lambda that stores to what changes behind it, a pointer that is
// used behind the loop that moves it on, and what is read as const of another element.
//
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
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

// CHECK-DAG: changesBehind keeps its epilogue, behind a conversion of 'acc': the epilogue calls a lambda, which does more than write to places that it is given ({{.*}}epilogue_forms_kept.cu:
__global__ void __launch_bounds__(64) changesBehind(const half *A, const half *B, float *C) {
  MULTIPLY
  for (int k = 0; k < 32; k += 16) {
    uint32_t a[4], b[2];
    ldsm4(a, &sA[(warp * 16 + lane % 16) * kPitch + k + lane / 16 * 8]);
    for (int j = 0; j < 4; ++j) {
      ldsm2(b, &sB[(j * 8 + lane % 8) * kPitch + k + lane / 8 % 2 * 8]);
      mma(acc[0][j], a, b[0], b[1]);
    }
  }
  auto store = [&](int r, int c, float x) { C[r * 64 + c] = x; };
  C += 64;
  for (int j = 0; j < 4; ++j) {
    const int r = warp * 16 + lane / 4, c = j * 8 + lane % 4 * 2;
    store(r, c, acc[0][j][0]);
    store(r, c + 1, acc[0][j][1]);
    store(r + 8, c, acc[0][j][2]);
    store(r + 8, c + 1, acc[0][j][3]);
  }
}

// CHECK-DAG: usedBehind keeps its epilogue, behind a conversion of 'acc': the epilogue uses 'to', which cannot be computed anew for another lane ({{.*}}epilogue_forms_kept.cu:
__global__ void __launch_bounds__(64) usedBehind(const half *A, const half *B, float *C) {
  MULTIPLY
  for (int k = 0; k < 32; k += 16) {
    uint32_t a[4], b[2];
    ldsm4(a, &sA[(warp * 16 + lane % 16) * kPitch + k + lane / 16 * 8]);
    for (int j = 0; j < 4; ++j) {
      ldsm2(b, &sB[(j * 8 + lane % 8) * kPitch + k + lane / 8 % 2 * 8]);
      mma(acc[0][j], a, b[0], b[1]);
    }
  }
  float *to = C + (warp * 16 + lane / 4) * 64 + lane % 4 * 2;
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 4; j++) {
      atomicAdd(&to[j * 8], acc[i][j][0]);
      atomicAdd(&to[j * 8 + 1], acc[i][j][1]);
      atomicAdd(&to[8 * 64 + j * 8], acc[i][j][2]);
      atomicAdd(&to[8 * 64 + j * 8 + 1], acc[i][j][3]);
    }
    to += 32;
  }
  if (to == nullptr)
    __trap();
}

// CHECK-DAG: readsOthers keeps its epilogue, behind a conversion of 'acc': 'C' may be the memory that the epilogue writes; {{.*}}epilogue_forms_kept.cu:
__global__ void __launch_bounds__(64) readsOthers(const half *A, const half *B, float *C) {
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
    const float2 x = *reinterpret_cast<const float2 *>(c0 + 2);
    *reinterpret_cast<float2 *>(c0) = make_float2(acc[0][j][0] + x.x, acc[0][j][1] + x.y);
    *reinterpret_cast<float2 *>(c1) = make_float2(acc[0][j][2], acc[0][j][3]);
  }
}
