// Operands whose words are put together in variables of their own, half by half, and read by their
// address: float numbers that become halves, and a B that lies along n.
//
// RUN: %prove --launch %S/made_of_halves.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void mma(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// CHECK-LABEL: product(const float *A, const half *B, float *C, int N, int K) {
// CHECK:      lp::gather_a(a, [&](int lane, int warp, int r) {
// CHECK:        const auto p = A + (top + g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8;
// CHECK-NEXT:   auto h = __floats2half2_rn(p[0], p[1]);
// CHECK-NEXT:   return *reinterpret_cast<uint32_t *>(&h);
// CHECK-NEXT: });
// CHECK:      lp::gather_b(b, [&](int lane, int, int j, int reg) {
// CHECK:        const auto q = B + (k + t * 2) * N + blockIdx.x * 16 + j * 8 + g;
// CHECK-NEXT:   half2 lower = {q[0], q[N]};
// CHECK-NEXT:   half2 upper = {q[8 * N], q[9 * N]};
// CHECK-NEXT:   return reg == 0 ? *(uint32_t *)&lower : ((const uint32_t *)&upper)[0];
// CHECK-NEXT: }, j);
// CHECK-NEXT: lp::mma_m16n8k16_f32_f16_steps_wave(
__global__ void __launch_bounds__(128)
    product(const float *A, const half *B, float *C, int N, int K) {
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  const int top = blockIdx.y * 64 + threadIdx.x / 32 * 16;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4];
    for (int r = 0; r < 4; ++r) {
      const float *p = A + (top + g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8;
      half2 h = __floats2half2_rn(p[0], p[1]);
      a[r] = *reinterpret_cast<uint32_t *>(&h);
    }
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (k + t * 2) * N + blockIdx.x * 16 + j * 8 + g;
      half2 lower = {q[0], q[N]}, upper = {q[8 * N], q[9 * N]};
      uint32_t b[2];
      b[0] = *(uint32_t *)&lower;
      b[1] = ((const uint32_t *)&upper)[0];
      mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(top + g + e / 2 * 8) * N + blockIdx.x * 16 + j * 8 + t * 2 + e % 2] = c[j][e];
}

// *p++ reads, and changes p: where it is now, its thread is asked.
//
// CHECK-LABEL: walking(const half2 *A, const half *B, float *C, int N, int K) {
// CHECK:      skipped += __low2float(*p++);
// CHECK-NEXT: lp::gather_a(a, [&, p_ = p](int lane, int warp, int r) {
// CHECK-NEXT:   const auto p = lp::of_thread(p_, lane, warp);
__global__ void __launch_bounds__(128)
    walking(const half2 *A, const half *B, float *C, int N, int K) {
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  const int top = blockIdx.y * 64 + threadIdx.x / 32 * 16;
  float c[2][4] = {}, skipped = 0.f;
  const half2 *p = A + (top + g) * (K / 2) + t;
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    skipped += __low2float(*p++);
    for (int r = 0; r < 4; ++r)
      a[r] = *(const uint32_t *)(p + k / 2 + r % 2 * 4 * K + r / 2 * 4);
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (blockIdx.x * 16 + j * 8 + g) * K + k + t * 2;
      b[0] = *(const uint32_t *)q;
      b[1] = *(const uint32_t *)(q + 8);
      mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(top + g + e / 2 * 8) * N + blockIdx.x * 16 + j * 8 + t * 2 + e % 2] = c[j][e] + skipped;
}
