// Registers that are put side by side, in arrays that products take: two n8 tiles of one ldmatrix.x4,
// an A, every other register of a row. The arrays go.
//
// RUN: %prove --launch %S/bundled.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ uint32_t smem(const half *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ void ldsm4(uint32_t &r0, uint32_t &r1, uint32_t &r2, uint32_t &r3, uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(row));
}
__device__ void ldsm2(uint32_t (&r)[2], uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"(row));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Two warps above each other: 32 rows, 32 columns.
#define BEGIN                                                                                      \
  __shared__ __align__(16) half sA[32 * 24], sB[32 * 24];                                          \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  float c[4][4] = {};
#define COPY                                                                                       \
  __syncthreads();                                                                                 \
  *(uint4 *)(sA + threadIdx.x / 2 * 24 + threadIdx.x % 2 * 8) =                                    \
      *(const uint4 *)(A + threadIdx.x / 2 * K + k + threadIdx.x % 2 * 8);                         \
  *(uint4 *)(sB + threadIdx.x / 2 * 24 + threadIdx.x % 2 * 8) =                                    \
      *(const uint4 *)(B + threadIdx.x / 2 * K + k + threadIdx.x % 2 * 8);                         \
  __syncthreads();
__device__ void store(float *p, float x, float y) { *(float2 *)p = make_float2(x, y); }

// CHECK-LABEL: void {{.*}} ofTwoTiles(
// CHECK: lp::load_b{{.*}}(lp::scalars(b0, b1), lp::scalars(b2, b3), [&](
// CHECK-NOT: {b0, b1}
// CHECK: lp::mma_m16n8k16_f32_f16_wave(c[2 * j], a, lp::scalars(b0, b1), 0);
// CHECK: lp::mma_m16n8k16_f32_f16_wave(c[2 * j + 1], a, lp::scalars(b2, b3), 1);
__global__ void __launch_bounds__(64) ofTwoTiles(const half *A, const half *B, float *C, int K) {
  BEGIN
  for (int k = 0; k < K; k += 16) {
    COPY
    uint32_t a[4];
    ldsm4(a[0], a[1], a[2], a[3], smem(sA + (warp * 16 + lane % 16) * 24 + lane / 16 * 8));
    for (int j = 0; j < 2; j++) {
      uint32_t b0, b1, b2, b3;
      ldsm4(b0, b1, b2, b3,
            smem(sB + (j * 16 + lane / 16 * 8 + lane % 8) * 24 + lane / 8 % 2 * 8));
      const uint32_t left[2] = {b0, b1}, right[2] = {b2, b3};
      mma(c[2 * j], a, left);
      mma(c[2 * j + 1], a, right);
    }
  }
  for (int j = 0; j < 4; j++)
    for (int h = 0; h < 2; h++)
      store(&C[(warp * 16 + lane / 4 + h * 8) * 32 + j * 8 + lane % 4 * 2], c[j][2 * h],
            c[j][2 * h + 1]);
}

// CHECK-LABEL: void {{.*}} ofOthers(
// CHECK-NOT: const uint32_t b[2]
// CHECK: lp::mma_m16n8k16_f32_f16_wave{{.*}}(c[j & ~3], {{.*}}, c[j | 3], a, lp::tile<unsigned int, 2>(r, j & ~1), lp::tile<unsigned int, 2>(r, j | 1), j % 4 == 3);
__global__ void __launch_bounds__(64) ofOthers(const half *A, const half *B, float *C, int K) {
  BEGIN
  for (int k = 0; k < K; k += 16) {
    COPY
    uint32_t a[4];
    ldsm4(a[0], a[1], a[2], a[3], smem(sA + (warp * 16 + lane % 16) * 24 + lane / 16 * 8));
    uint32_t r[2][4];
    for (int j = 0; j < 2; j++)
      ldsm4(r[j][0], r[j][1], r[j][2], r[j][3],
            smem(sB + (j * 16 + lane % 16) * 24 + lane / 16 * 8));
    for (int j = 0; j < 4; j++) {
      const uint32_t b[2] = {r[j / 2][j % 2], r[j / 2][j % 2 + 2]};
      mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 4; j++)
    for (int h = 0; h < 2; h++)
      store(&C[(warp * 16 + lane / 4 + h * 8) * 32 + j * 8 + lane % 4 * 2], c[j][2 * h],
            c[j][2 * h + 1]);
}

// CHECK-LABEL: void {{.*}} ofBoth(
// CHECK-NOT: uint32_t a[4]
// CHECK: lp::mma_m16n8k16_f32_f16_wave{{.*}}(c[j & ~3], {{.*}}, lp::scalars(a0, a1, a2, a3), b, j % 4 == 3);
__global__ void __launch_bounds__(64) ofBoth(const half *A, const half *B, float *C, int K) {
  BEGIN
  for (int k = 0; k < K; k += 16) {
    COPY
    uint32_t a0, a1, a2, a3;
    ldsm4(a0, a1, a2, a3, smem(sA + (warp * 16 + lane % 16) * 24 + lane / 16 * 8));
    uint32_t a[4] = {a0, a1, a2, a3};
    for (int j = 0; j < 4; j++) {
      uint32_t b[2];
      ldsm2(b, smem(sB + (j * 8 + lane % 8) * 24 + lane / 8 % 2 * 8));
      mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 4; j++)
    for (int h = 0; h < 2; h++)
      store(&C[(warp * 16 + lane / 4 + h * 8) * 32 + j * 8 + lane % 4 * 2], c[j][2 * h],
            c[j][2 * h + 1]);
}
