// Tiles that share an MFMA must all be multiplied, and are whole only behind their loop: a
// tile that is skipped, or filled in the loop, is multiplied by itself.
// RUN: %layout-port %s -o %t.hip --target gfx90a,gfx942,gfx950 --verify --launch %S/Inputs/tiles.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: %ported %t.hip | FileCheck %s
//
// REPORT-NOT: not native
// REPORT: verify gfx90a: proved
// REPORT: verify gfx942: proved
// REPORT: verify gfx950: proved
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t (&r)[4], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
}
__device__ void ldsm2(uint32_t (&r)[2], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}


// CHECK-LABEL: void __launch_bounds__(64) skipping(
// CHECK: if (list[j])
// CHECK-NEXT: lp::mma_m16n8k16_f32_f16_wave(d[j], a, b);
__global__ void __launch_bounds__(64) skipping(const half *A, const half *B, float *C, const int *list) {
  __shared__ half s[32 * 16], t[32 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 512; i += 64)
    s[i] = A[i], t[i] = B[i];
  __syncthreads();
  float d[2][4] = {};
  uint32_t a[4], b[2];
  ldsm4(a, (uint32_t)__cvta_generic_to_shared(&s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, (uint32_t)__cvta_generic_to_shared(
                 &t[(warp * 16 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8]));
    if (list[j])
      mma(d[j], a, b);
  }
  for (int j = 0; j < 2; ++j)
    for (int r = 0; r < 4; ++r)
      C[(warp * 2 + j) * 128 + r * 32 + lane] = d[j][r];
}

// CHECK-LABEL: void __launch_bounds__(64) jumping(
// CHECK: continue;
// CHECK-NEXT: lp::mma_m16n8k16_f32_f16_wave(d[j], a, b);
__global__ void __launch_bounds__(64) jumping(const half *A, const half *B, float *C, const int *list) {
  __shared__ half s[32 * 16], t[32 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 512; i += 64)
    s[i] = A[i], t[i] = B[i];
  __syncthreads();
  float d[2][4] = {};
  uint32_t a[4], b[2];
  ldsm4(a, (uint32_t)__cvta_generic_to_shared(&s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, (uint32_t)__cvta_generic_to_shared(
                 &t[(warp * 16 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8]));
    if (list[j])
      continue;
    mma(d[j], a, b);
  }
  for (int j = 0; j < 2; ++j)
    for (int r = 0; r < 4; ++r)
      C[(warp * 2 + j) * 128 + r * 32 + lane] = d[j][r];
}

// CHECK-LABEL: void __launch_bounds__(64) filling(
// CHECK: {{^ *}}d[j][0] = {{.*}} = 0;
// CHECK-NEXT: lp::mma_m16n8k16_f32_f16_wave(d[j], a, b);
__global__ void __launch_bounds__(64) filling(const half *A, const half *B, float *C, const int *list) {
  __shared__ half s[32 * 16], t[32 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 512; i += 64)
    s[i] = A[i], t[i] = B[i];
  __syncthreads();
  float d[2][4] = {};
  uint32_t a[4], b[2];
  ldsm4(a, (uint32_t)__cvta_generic_to_shared(&s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, (uint32_t)__cvta_generic_to_shared(
                 &t[(warp * 16 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8]));
    d[j][0] = d[j][1] = d[j][2] = d[j][3] = 0;
    mma(d[j], a, b);
  }
  for (int j = 0; j < 2; ++j)
    for (int r = 0; r < 4; ++r)
      C[(warp * 2 + j) * 128 + r * 32 + lane] = d[j][r];
}

// B is read behind the product, for the next tile.
// CHECK-LABEL: void __launch_bounds__(64) behind(
// CHECK: lp::mma_m16n8k16_f32_f16_wave(d[j], a, b);
__global__ void __launch_bounds__(64) behind(const half *A, const half *B, float *C, const int *list) {
  __shared__ half s[32 * 16], t[32 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 512; i += 64)
    s[i] = A[i], t[i] = B[i];
  __syncthreads();
  float d[2][4] = {};
  uint32_t a[4], b[2];
  b[0] = 0;
  b[1] = 0;
  ldsm4(a, (uint32_t)__cvta_generic_to_shared(&s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
  for (int j = 0; j < 2; ++j) {
    mma(d[j], a, b);
    ldsm2(b, (uint32_t)__cvta_generic_to_shared(
                 &t[(warp * 16 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8]));
  }
  for (int j = 0; j < 2; ++j)
    for (int r = 0; r < 4; ++r)
      C[(warp * 2 + j) * 128 + r * 32 + lane] = d[j][r];
}

// Tile j is multiplied j times.
// CHECK-LABEL: void __launch_bounds__(64) growing(
// CHECK: lp::mma_m16n8k16_f32_f16_wave(d[j], a, b);
__global__ void __launch_bounds__(64) growing(const half *A, const half *B, float *C, const int *list) {
  __shared__ half s[32 * 16], t[32 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 512; i += 64)
    s[i] = A[i], t[i] = B[i];
  __syncthreads();
  float d[2][4] = {};
  uint32_t a[4], b[2];
  ldsm4(a, (uint32_t)__cvta_generic_to_shared(&s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, (uint32_t)__cvta_generic_to_shared(
                 &t[(warp * 16 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8]));
    for (int often = 0; often < j; ++often)
      mma(d[j], a, b);
  }
  for (int j = 0; j < 2; ++j)
    for (int r = 0; r < 4; ++r)
      C[(warp * 2 + j) * 128 + r * 32 + lane] = d[j][r];
}

// The loop over the tiles leaves some out.
// CHECK-LABEL: void __launch_bounds__(64) leaping(
// CHECK: lp::mma_m16n8k16_f32_f16_wave(d[j], a, b);
__global__ void __launch_bounds__(64) leaping(const half *A, const half *B, float *C, const int *list) {
  __shared__ half s[32 * 16], t[32 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 512; i += 64)
    s[i] = A[i], t[i] = B[i];
  __syncthreads();
  float d[2][4] = {};
  uint32_t a[4], b[2];
  ldsm4(a, (uint32_t)__cvta_generic_to_shared(&s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, (uint32_t)__cvta_generic_to_shared(
                 &t[(warp * 16 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8]));
    mma(d[j], a, b);
    j += list[1];
  }
  for (int j = 0; j < 2; ++j)
    for (int r = 0; r < 4; ++r)
      C[(warp * 2 + j) * 128 + r * 32 + lane] = d[j][r];
}

// B is put together in another way for each tile.
// CHECK-LABEL: void __launch_bounds__(64) chosen(
// CHECK: lp::mma_m16n8k16_f32_f16_wave{{.*}}(d[j], a, b);
__global__ void __launch_bounds__(64) chosen(const half *A, const half *B, float *C, const int *list) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t *x = reinterpret_cast<const uint32_t *>(A + (warp * 16 + lane / 4) * 16) + lane % 4;
  float d[2][4] = {};
  uint32_t a[4] = {x[0], x[64], x[4], x[68]};
  uint32_t b[2];
  for (int j = 0; j < 2; ++j) {
    const uint32_t *y = reinterpret_cast<const uint32_t *>(B + (j * 8 + lane / 4) * 16) + lane % 4;
    if (j) {
      b[0] = y[0];
      b[1] = y[4];
    } else {
      b[0] = y[4];
      b[1] = y[0];
    }
    mma(d[j], a, b);
  }
  for (int j = 0; j < 2; ++j)
    for (int r = 0; r < 4; ++r)
      C[(warp * 2 + j) * 128 + r * 32 + lane] = d[j][r];
}
