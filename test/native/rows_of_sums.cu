// Rows of sums that a wrapper goes through by a pointer, each row several tiles, and what keeps the
// sums of scalars company: row maxima, which go back behind the loop as rows do.
//
// RUN: %prove --launch %S/rows_of_sums.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t *r, const half *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(row)));
}
// CHECK-LABEL: void multiply(float *C,
// CHECK:      for (int n = 0; n < TILES; ++n)
// CHECK-NEXT:   lp::mma_m16n8k16_f32_f16_wave{{.*}}(lp::tile<float, 4>(C, n & ~1), lp::tile<float, 4>(C, n | 1), A,
template <int TILES> __device__ void multiply(float *C, const uint32_t *A, const uint32_t *B) {
#pragma unroll
  for (int n = 0; n < TILES; ++n) {
    float *c = C + n * 4;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[n * 2]), "r"(B[n * 2 + 1]));
  }
}

// What a thread sums up of its own has to be in CUDA's layout: they go there row by row.
// CHECK-LABEL: rows(
// CHECK:      // lp: accumulators in the layout of CUDA
// CHECK:      for (int i = 0; i < 2; ++i)
// CHECK:        for (int j = 0; j < TILES * 4 / 4; ++j)
// CHECK-NEXT:     lp::to_warp_layout(lp::tile<float, 4>(c[i], j));
template <int TILES>
__global__ void __launch_bounds__(64) rows(const half *A, const half *B, float *C, float *D, int K) {
  __shared__ __align__(16) half sA[64][24], sB[8 * TILES][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][TILES * 4] = {};
  for (int k = 0; k < K; k += 16) {
    __syncthreads();
    for (int i = threadIdx.x; i < 128; i += 64)
      *(uint4 *)&sA[i / 2][i % 2 * 8] = *(const uint4 *)&A[i / 2 * K + k + i % 2 * 8];
    for (int i = threadIdx.x; i < 16 * TILES; i += 64)
      *(uint4 *)&sB[i / 2][i % 2 * 8] = *(const uint4 *)&B[i / 2 * K + k + i % 2 * 8];
    __syncthreads();
    uint32_t b[TILES * 2];
    for (int n = 0; n < TILES; n += 2)
      ldsm4(b + n * 2, &sB[n * 8 + lane / 16 * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int m = 0; m < 2; ++m) {
      uint32_t a[4];
      ldsm4(a, &sA[warp * 32 + m * 16 + lane % 16][lane / 16 * 8]);
      multiply<TILES>(c[m], a, b);
    }
  }
  for (int m = 0; m < 2; ++m)
    for (int r = 0; r < TILES * 4; ++r)
      C[(warp * 32 + m * 16 + lane / 4 + r % 4 / 2 * 8) * 8 * TILES + r / 4 * 8 + lane % 4 * 2 + r % 2] =
          c[m][r];
  float sum = 0;
  for (int m = 0; m < 2; ++m)
    for (int r = 0; r < TILES * 4; ++r)
      sum += c[m][r];
  D[threadIdx.x] = sum;
}
template __global__ void rows<2>(const half *, const half *, float *, float *, int);
template __global__ void rows<4>(const half *, const half *, float *, float *, int);

__device__ void product(float &d0, float &d1, float &d2, float &d3, uint32_t a0, uint32_t a1,
                        uint32_t a2, uint32_t a3, uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
__device__ uint32_t word(const half *p) { return *(const uint32_t *)p; }

// The sums go back once, the rows' maxima once.
// CHECK-LABEL: scalars(
// CHECK:      lp::to_warp_layout(lp::scalars(d0, d1, d2, d3));
// CHECK-NOT:  to_warp_rows(d1, d3)
// CHECK:      lp::to_warp_rows(top, bottom);
__global__ void __launch_bounds__(64) scalars(const half *A, const half *B, float *C, int K) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4, first = threadIdx.x / 32 * 16;
  float d0 = 0, d1 = 0, d2 = 0, d3 = 0, e0 = 0, e1 = 0, e2 = 0, e3 = 0;
  float top = 0, bottom = 0;
  for (int k = 0; k < K; k += 16) {
    const half *p = A + (first + g) * K + k + t * 2, *q = B + g * K + k + t * 2;
    uint32_t a0 = word(p), a1 = word(p + 8 * K), a2 = word(p + 8), a3 = word(p + 8 * K + 8);
    uint32_t b0 = word(q), b1 = word(q + 8);
    uint32_t c0 = word(q + 8 * K), c1 = word(q + 8 * K + 8);
    product(d0, d1, d2, d3, a0, a1, a2, a3, b0, b1);
    product(e0, e1, e2, e3, a0, a1, a2, a3, c0, c1);
    top = fmaxf(top, fmaxf(d0, d1));
    bottom = fmaxf(bottom, fmaxf(d2, d3));
  }
  float *o = C + (first + g) * 16 + t * 2;
  o[0] = d0 + top, o[1] = d1, o[128] = d2 - bottom, o[129] = d3;
  o[8] = e0, o[9] = e1, o[136] = e2, o[137] = e3;
}

// A row by reference, and the tile behind its first one: all of both rows go back.
__device__ void tile(float *d, const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
// CHECK-LABEL: references(
// CHECK:      // lp: accumulators in the layout of CUDA
// CHECK:      for (int i = 0; i < 2; ++i)
// CHECK:        for (int j = 0; j < 2;
__global__ void __launch_bounds__(64) references(const half *A, const half *B, float *C, int K) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4, first = threadIdx.x / 32 * 16;
  float c[2][8] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (first + g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8);
    for (int h = 0; h < 2; ++h) {
      float(&row)[8] = c[h];
      for (int j = 0; j < 2; ++j)
        for (int r = 0; r < 2; ++r)
          b[j][r] = word(B + (h * 16 + j * 8 + g) * K + k + t * 2 + r * 8);
      tile(row, a, b[0]);
      tile(row + 4, a, b[1]);
    }
  }
  float sum = 0;
  for (int h = 0; h < 2; ++h)
    for (int r = 0; r < 8; ++r)
      sum += c[h][r] * (h * 8 + r);
  C[threadIdx.x] = sum;
}
