// What results say is added to memory between the products where nothing else is done with that memory,
// or with any by another name between the two halves of the rows, and nobody asks what was there before.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
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
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ uint32_t pack(float x, float y) {
  const half2 h = __floats2half2_rn(x, y);
  return *(const uint32_t *)&h;
}

// CHECK-DAG: asked keeps 'q' in CUDA's layout and moves it for each product: {{.*}}what was there before is used
__global__ void __launch_bounds__(64) asked(float *O, float *D, int n) {
  __shared__ half s[1024];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = warp * 16 + lane / 4, col = lane % 4 * 2;
  float o[4] = {};
  uint32_t a[4], b[2];
  for (int i = 0; i < n; ++i) {
    float p[2][4] = {};
    ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, s + 512 + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
      mma(p[j], a, b);
    }
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        if (atomicAdd(&D[(row + e / 2 * 8) * 16 + j * 8 + col + e % 2], p[j][e]) > 1e30f)
          O[0] = 0.f;
    uint32_t q[4] = {pack(p[0][0], p[0][1]), pack(p[0][2], p[0][3]), pack(p[1][0], p[1][1]),
                     pack(p[1][2], p[1][3])};
    ldsm2(b, s + 768 + lane % 16 * 8);
    mma(o, q, b);
  }
  for (int e = 0; e < 4; ++e)
    O[(row + e / 2 * 8) * 8 + col + e % 2] = o[e];
}

// CHECK-DAG: kept keeps 'q' in CUDA's layout and moves it for each product: {{.*}}what was there before is used
__global__ void __launch_bounds__(64) kept(float *O, float *D, int n) {
  __shared__ half s[1024];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = warp * 16 + lane / 4, col = lane % 4 * 2;
  float o[4] = {};
  uint32_t a[4], b[2];
  for (int i = 0; i < n; ++i) {
    float p[2][4] = {};
    ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, s + 512 + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
      mma(p[j], a, b);
    }
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e) {
        const float old = atomicAdd(&D[(row + e / 2 * 8) * 16 + j * 8 + col + e % 2], p[j][e]);
        O[threadIdx.x] = old;
      }
    uint32_t q[4] = {pack(p[0][0], p[0][1]), pack(p[0][2], p[0][3]), pack(p[1][0], p[1][1]),
                     pack(p[1][2], p[1][3])};
    ldsm2(b, s + 768 + lane % 16 * 8);
    mma(o, q, b);
  }
  for (int e = 0; e < 4; ++e)
    O[(row + e / 2 * 8) * 8 + col + e % 2] = o[e];
}

// CHECK-DAG: touched keeps 'q' in CUDA's layout and moves it for each product: {{.*}}memory is used between the two of them, which are done at once here
__global__ void __launch_bounds__(64) touched(float *O, float *D, float *E, int n) {
  __shared__ half s[1024];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = warp * 16 + lane / 4, col = lane % 4 * 2;
  float o[4] = {};
  uint32_t a[4], b[2];
  for (int i = 0; i < n; ++i) {
    float p[2][4] = {};
    ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, s + 512 + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
      mma(p[j], a, b);
    }
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e) {
        E[(row + e / 2 * 8) * 16 + j * 8 + col + e % 2] = 1.f;
        atomicAdd(&D[(row + e / 2 * 8) * 16 + j * 8 + col + e % 2], p[j][e]);
      }
    uint32_t q[4] = {pack(p[0][0], p[0][1]), pack(p[0][2], p[0][3]), pack(p[1][0], p[1][1]),
                     pack(p[1][2], p[1][3])};
    ldsm2(b, s + 768 + lane % 16 * 8);
    mma(o, q, b);
  }
  for (int e = 0; e < 4; ++e)
    O[(row + e / 2 * 8) * 8 + col + e % 2] = o[e];
}

// CHECK-DAG: alsoRead keeps 'q' in CUDA's layout and moves it for each product: {{.*}}'D' is used otherwise, too
__global__ void __launch_bounds__(64) alsoRead(float *O, float *D, int n) {
  __shared__ half s[1024];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = warp * 16 + lane / 4, col = lane % 4 * 2;
  float o[4] = {};
  uint32_t a[4], b[2];
  for (int i = 0; i < n; ++i) {
    float p[2][4] = {};
    ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, s + 512 + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
      mma(p[j], a, b);
    }
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        atomicAdd(&D[(row + e / 2 * 8) * 16 + j * 8 + col + e % 2], p[j][e]);
    if (D[i] < 0.f)
      D[i] = 0.f;
    uint32_t q[4] = {pack(p[0][0], p[0][1]), pack(p[0][2], p[0][3]), pack(p[1][0], p[1][1]),
                     pack(p[1][2], p[1][3])};
    ldsm2(b, s + 768 + lane % 16 * 8);
    mma(o, q, b);
  }
  for (int e = 0; e < 4; ++e)
    O[(row + e / 2 * 8) * 8 + col + e % 2] = o[e];
}

// CHECK-DAG: notAlike keeps 'q' in CUDA's layout and moves it for each product: {{.*}}rows r and r + 8 of a tile are not stored alike
__global__ void __launch_bounds__(64) notAlike(float *O, float *D, int n) {
  __shared__ half s[1024];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = warp * 16 + lane / 4, col = lane % 4 * 2;
  float o[4] = {};
  uint32_t a[4], b[2];
  for (int i = 0; i < n; ++i) {
    float p[2][4] = {};
    ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, s + 512 + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
      mma(p[j], a, b);
    }
    atomicAdd(&D[row * 16 + col], p[0][0]);
    uint32_t q[4] = {pack(p[0][0], p[0][1]), pack(p[0][2], p[0][3]), pack(p[1][0], p[1][1]),
                     pack(p[1][2], p[1][3])};
    ldsm2(b, s + 768 + lane % 16 * 8);
    mma(o, q, b);
  }
  for (int e = 0; e < 4; ++e)
    O[(row + e / 2 * 8) * 8 + col + e % 2] = o[e];
}
