// What leads to sums or to values of rows, is made before the products end and used behind them: it
// would read the MFMA's layout. Where it is used between the products only, it may stay.
//
// RUN: %layout-port %s -o %t.hip -- -std=c++17 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void ldsm2(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void mma(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#define BEGIN                                                                                      \
  __shared__ half s[48 * 16];                                                                      \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const int row = warp * 16 + lane / 4, col = lane % 4 * 2;                                        \
  s[threadIdx.x] = A[threadIdx.x];                                                                 \
  __syncthreads();                                                                                 \
  float c[2][4] = {};
#define PLACE (row + e / 2 * 8) * 16 + j * 8 + col + e % 2
#define TILES for (int j = 0; j < 2; ++j) for (int e = 0; e < 4; ++e)
struct View {
  float (*of)[4];
};
__device__ void keep(View &view, float (&sums)[2][4]) { view.of = sums; }

// CHECK-DAG: pointer is not native: {{.*}}'q' leads to 'c' and is used behind them
__global__ void __launch_bounds__(64) pointer(const half *A, float *D, int n) {
  BEGIN
  float *q = &c[0][0];
  for (int k = 0; k < n; ++k) {
    uint32_t a[4], b[2];
    ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
      mma(c[j], a, b);
    }
  }
  TILES D[PLACE] = q[j * 4 + e];
}

// CHECK-DAG: reference is not native: {{.*}}'q' leads to 'c' and is used behind them
__global__ void __launch_bounds__(64) reference(const half *A, float *D, int n) {
  BEGIN
  float(&q)[2][4] = c;
  for (int k = 0; k < n; ++k) {
    uint32_t a[4], b[2];
    ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
      mma(c[j], a, b);
    }
  }
  TILES D[PLACE] = q[j][e];
}

// CHECK-DAG: lambda is not native: {{.*}}'put' leads to 'c' and is used behind them
__global__ void __launch_bounds__(64) lambda(const half *A, float *D, int n) {
  BEGIN
  auto put = [&](int j, int e) { D[PLACE] = c[j][e]; };
  for (int k = 0; k < n; ++k) {
    uint32_t a[4], b[2];
    ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
      mma(c[j], a, b);
    }
  }
  TILES put(j, e);
}

// CHECK-DAG: member is not native: {{.*}}'view' leads to 'c' and is used behind them
__global__ void __launch_bounds__(64) member(const half *A, float *D, int n) {
  BEGIN
  View view{c};
  for (int k = 0; k < n; ++k) {
    uint32_t a[4], b[2];
    ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
      mma(c[j], a, b);
    }
  }
  TILES D[PLACE] = view.of[j][e];
}

// CHECK-DAG: assigned is not native: {{.*}}'later' leads to 'c' and is used behind them
__global__ void __launch_bounds__(64) assigned(const half *A, float *D, int n) {
  BEGIN
  float *later, *q = &c[0][0];
  later = q;
  for (int k = 0; k < n; ++k) {
    uint32_t a[4], b[2];
    ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
      mma(c[j], a, b);
    }
  }
  TILES D[PLACE] = later[j * 4 + e];
}

// CHECK-DAG: handed is not native: {{.*}}'view' leads to 'c' and is used behind them
__global__ void __launch_bounds__(64) handed(const half *A, float *D, int n) {
  BEGIN
  View view{nullptr};
  keep(view, c);
  for (int k = 0; k < n; ++k) {
    uint32_t a[4], b[2];
    ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
      mma(c[j], a, b);
    }
  }
  TILES D[PLACE] = view.of[j][e];
}

// CHECK-DAG: rows is not native: {{.*}}'pm' leads to 'm' and is used behind them
__global__ void __launch_bounds__(64) rows(const half *A, float *D, int n) {
  BEGIN
  float m[2] = {};
  float *pm = m;
  for (int k = 0; k < n; ++k) {
    uint32_t a[4], b[2];
    ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
      mma(c[j], a, b);
    }
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        m[e / 2] = fmaxf(m[e / 2], c[j][e]);
  }
  TILES D[PLACE] = pm[e / 2];
}

// CHECK-DAG: binding is not native: {{.*}}a structured binding leads to 'c' and is used behind them
__global__ void __launch_bounds__(64) binding(const half *A, float *D, int n) {
  BEGIN
  auto &[first, second] = c;
  for (int k = 0; k < n; ++k) {
    uint32_t a[4], b[2];
    ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
      mma(c[j], a, b);
    }
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        c[j][e] *= 0.5f;
  }
  TILES D[PLACE] = j ? second[e] : first[e];
}

// CHECK-DAG: throughPointer is not native: {{.*}}'view' leads to 'c' and is used behind them
__global__ void __launch_bounds__(64) throughPointer(const half *A, float *D, int n) {
  BEGIN
  View view{nullptr};
  View *its = &view;
  its->of = c;
  for (int k = 0; k < n; ++k) {
    uint32_t a[4], b[2];
    ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
      mma(c[j], a, b);
    }
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        c[j][e] *= 0.5f;
  }
  TILES D[PLACE] = view.of[j][e];
}

// CHECK-DAG: byLambda is not native: {{.*}}'q' leads to 'c' and is used behind them
__global__ void __launch_bounds__(64) byLambda(const half *A, float *D, int n) {
  BEGIN
  float *q = nullptr;
  auto set = [&](float *to) { q = to; };
  set(&c[0][0]);
  for (int k = 0; k < n; ++k) {
    uint32_t a[4], b[2];
    ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
      mma(c[j], a, b);
    }
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        c[j][e] *= 0.5f;
  }
  TILES D[PLACE] = q[j * 4 + e];
}

// CHECK-DAG: byItsParameter is not native: {{.*}}'q' leads to 'c' and is used behind them
__global__ void __launch_bounds__(64) byItsParameter(const half *A, float *D, int n) {
  BEGIN
  float *q = nullptr;
  auto set = [](float *&place, float *to) { place = to; };
  set(q, &c[0][0]);
  for (int k = 0; k < n; ++k) {
    uint32_t a[4], b[2];
    ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
      mma(c[j], a, b);
    }
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        c[j][e] *= 0.5f;
  }
  TILES D[PLACE] = q[j * 4 + e];
}

// CHECK-NOT: inside is not native
__global__ void __launch_bounds__(64) inside(const half *A, float *D, int n) {
  BEGIN
  for (int k = 0; k < n; ++k) {
    uint32_t a[4], b[2];
    ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
      mma(c[j], a, b);
    }
    float *q = &c[0][0];
    for (int i = 0; i < 8; ++i)
      q[i] *= 0.5f;
  }
  TILES D[PLACE] = c[j][e];
}
