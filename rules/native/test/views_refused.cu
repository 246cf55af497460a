// Methods that load a fragment where nothing can say what their members are at the site; and operands
// that look like constants and are not.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
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

struct View {
  const half *base;
  int pitch;
  __device__ void load(uint32_t (&r)[4], int row, int col) const {
    ldsm4(r, base + row * pitch + col);
  }
};
// Two objects: whose pitch is meant?
struct Rows {
  int pitch;
  __device__ void load(const View &view, uint32_t (&r)[4], int row, int col) const {
    view.load(r, row * pitch, col);
  }
};
#define SETUP                                                                                      \
  __shared__ __align__(16) half s[2048];                                                           \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  float c[4] = {};                                                                                 \
  uint32_t a[4], b[2];
#define STORE                                                                                      \
  for (int e = 0; e < 4; ++e)                                                                      \
    C[e * 64 + threadIdx.x] = c[e];

// CHECK-DAG: ofTwo keeps 'a' in CUDA's layout and moves it for each product: the address is computed from members of a class ({{.*}}views_refused.cu:
__global__ void __launch_bounds__(64) ofTwo(float *C) {
  SETUP
  const View view{s, 16};
  const Rows rows{1};
  rows.load(view, a, warp * 16 + lane % 16, lane / 16 * 8);
  ldsm2(b, s + lane % 16 * 16);
  mma(c, a, b);
  STORE
}
// CHECK-DAG: unequalOnes keeps 'ones' in CUDA's layout and moves it for each product: operand B of mma.m16n8k16.f16 is neither read by ldmatrix nor put together in one place ({{.*}}views_refused.cu:
__global__ void __launch_bounds__(64) unequalOnes(float *C) {
  SETUP
  const uint32_t ones[2] = {0x3c003c00, 0};
  ldsm4(a, s + (warp * 16 + lane % 16) * 16);
  mma(c, a, ones);
  STORE
}
// CHECK-DAG: onesOfSome keeps 'ones' in CUDA's layout and moves it for each product: operand B of mma.m16n8k16.f16 is neither read by ldmatrix nor put together in one place ({{.*}}views_refused.cu:
__global__ void __launch_bounds__(64) onesOfSome(float *C) {
  SETUP
  const uint32_t one = lane < 16 ? 0x3c003c00 : 0, ones[2] = {one, one};
  ldsm4(a, s + (warp * 16 + lane % 16) * 16);
  mma(c, a, ones);
  STORE
}
// CHECK-DAG: onesChanged keeps 'ones' in CUDA's layout and moves it for each product: operand B of mma.m16n8k16.f16 is neither read by ldmatrix nor put together in one place ({{.*}}views_refused.cu:
__global__ void __launch_bounds__(64) onesChanged(float *C, uint32_t by) {
  SETUP
  uint32_t ones[2] = {0x3c003c00, 0x3c003c00};
  ones[1] ^= by;
  ldsm4(a, s + (warp * 16 + lane % 16) * 16);
  mma(c, a, ones);
  STORE
}
// CHECK-DAG: onesLater keeps 'ones' in CUDA's layout and moves it for each product: operand B of mma.m16n8k16.f16 is neither read by ldmatrix nor put together in one place ({{.*}}views_refused.cu:
__global__ void __launch_bounds__(64) onesLater(float *C, int n) {
  SETUP
  uint32_t ones[2] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, s + (warp * 16 + lane % 16) * 16);
    mma(c, a, ones);
    ones[0] = ones[1] = 0x3c003c00;
  }
  STORE
}
// CHECK-DAG: noOnes keeps 'ones' in CUDA's layout and moves it for each product: operand B of mma.m16n8k16.f16 is neither read by ldmatrix nor put together in one place ({{.*}}views_refused.cu:
__global__ void __launch_bounds__(64) noOnes(float *C) {
  SETUP
  uint32_t ones[2];
  ldsm4(a, s + (warp * 16 + lane % 16) * 16);
  mma(c, a, ones);
  STORE
}
