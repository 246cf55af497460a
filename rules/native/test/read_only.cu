// Row scales that are read between the products: what a const __restrict__ parameter leads to is the
// same whenever it is read, so another lane may read it too. Other memory may have changed, where
// something is written on the way: it is read where the kernel reads it, but for what may be an index.
//
// RUN: %layout-port %s -o %t.hip --target gfx90a,gfx942,gfx950 --verify --launch %S/Inputs/read_only.yaml 2>&1 | FileCheck %s
// RUN: %ported %t.hip | FileCheck %s --check-prefix=TEXT
//
// CHECK-NOT: scaled is not native
// CHECK-NOT: written is not native
// CHECK: counted is not native: {{.*}}: 'f0' depends on the lane: it uses 'f0', which cannot be computed anew for another lane
// CHECK: verify gfx90a: proved
// CHECK: verify gfx942: proved
// CHECK: verify gfx950: proved
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// TEXT-LABEL: scaled(const half
// TEXT: lp::mma_m16n8k16_f32_f16_wave(
__global__ void __launch_bounds__(64) scaled(const half *A, const half *B, float *C, const float *__restrict__ rs, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const int row = blockIdx.x * 32 + warp * 16 + g;
  float c[4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r)
      a[r] = *(const uint32_t *)&A[(row + r % 2 * 8) * K + k + t * 2 + r / 2 * 8];
    for (int r = 0; r < 2; ++r)
      b[r] = *(const uint32_t *)&B[g * K + k + t * 2 + r * 8];
    const float f0 = rs[row], f1 = rs[row + 8];
    c[0] *= f0; c[1] *= f0; c[2] *= f1; c[3] *= f1;
    mma(c, a, b);
  }
  for (int e = 0; e < 4; ++e)
    C[(row + e / 2 * 8) * 8 + t * 2 + e % 2] = c[e];
}

// TEXT-LABEL: written(const half
// TEXT: const float f0 = lp::of_element(0, [&](int lane, int warp, int lower) {
// TEXT: steps[blockIdx.x * 64 + threadIdx.x] = k;
// TEXT-NEXT: c[0] *= f0; c[1] *= f0; c[2] *= f1; c[3] *= f1;
__global__ void __launch_bounds__(64) written(const half *A, const half *B, float *C, const float *rs, int *steps, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const int row = blockIdx.x * 32 + warp * 16 + g;
  float c[4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r)
      a[r] = *(const uint32_t *)&A[(row + r % 2 * 8) * K + k + t * 2 + r / 2 * 8];
    for (int r = 0; r < 2; ++r)
      b[r] = *(const uint32_t *)&B[g * K + k + t * 2 + r * 8];
    const float f0 = rs[row], f1 = rs[row + 8];
    steps[blockIdx.x * 64 + threadIdx.x] = k;
    c[0] *= f0; c[1] *= f0; c[2] *= f1; c[3] *= f1;
    mma(c, a, b);
  }
  for (int e = 0; e < 4; ++e)
    C[(row + e / 2 * 8) * 8 + t * 2 + e % 2] = c[e];
}

__global__ void __launch_bounds__(64) counted(const half *A, const half *B, float *C, const int *rs, int *steps, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const int row = blockIdx.x * 32 + warp * 16 + g;
  float c[4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r)
      a[r] = *(const uint32_t *)&A[(row + r % 2 * 8) * K + k + t * 2 + r / 2 * 8];
    for (int r = 0; r < 2; ++r)
      b[r] = *(const uint32_t *)&B[g * K + k + t * 2 + r * 8];
    const int f0 = rs[row], f1 = rs[row + 8];
    steps[blockIdx.x * 64 + threadIdx.x] = k;
    c[0] *= f0; c[1] *= f0; c[2] *= f1; c[3] *= f1;
    mma(c, a, b);
  }
  for (int e = 0; e < 4; ++e)
    C[(row + e / 2 * 8) * 8 + t * 2 + e % 2] = c[e];
}
