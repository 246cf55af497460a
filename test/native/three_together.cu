// A loop that fills the registers of three operands, of which the last is multiplied first; of two
// products in one MFMA, the sums of the first go back to CUDA's lanes behind it.
//
// RUN: %prove --launch %S/three_together.yaml 2>&1 | FileCheck %S/Inputs/native_halves_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t word(const half *p) { return *reinterpret_cast<const uint32_t *>(p); }

__device__ __forceinline__ void mma(float (&c)[4], const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ void store(float *C, const float (&c)[4], int n, int lane, int warp) {
  float *out = C + (warp * 16 + lane / 4) * 24 + n * 8 + lane % 4 * 2;
  out[0] = c[0];
  out[1] = c[1];
  out[8 * 24] = c[2];
  out[8 * 24 + 1] = c[3];
}

// CHECK-LABEL: three(const half
// CHECK: lp::gather_b{{[_0-9]*}}(query, [&](
// CHECK: }),
// CHECK: lp::gather_b{{[_0-9]*}}({{key|value}}, [&](
// CHECK: }),
// CHECK: lp::gather_b{{[_0-9]*}}({{key|value}}, [&](
// CHECK: });
// CHECK: lp::mma_m16n8k16_f32_f16_two_wave(v, q, a, value, query);
// CHECK-NEXT: // lp: accumulators in the layout of CUDA
// CHECK-NEXT: lp::to_warp_layout(v);
__global__ void __launch_bounds__(64) three(const half *A, const half *B, float *C) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float q[4] = {}, k[4] = {}, v[4] = {};
  uint32_t a[4], query[2], key[2], value[2];
  for (int r = 0; r < 4; ++r)
    a[r] = word(A + (warp * 16 + lane / 4 + r % 2 * 8) * 16 + lane % 4 * 2 + r / 2 * 8);
  for (int r = 0; r < 2; ++r) {
    query[r] = word(B + lane / 4 * 16 + lane % 4 * 2 + r * 8);
    key[r] = word(B + (8 + lane / 4) * 16 + lane % 4 * 2 + r * 8);
    value[r] = word(B + (16 + lane / 4) * 16 + lane % 4 * 2 + r * 8);
  }
  mma(v, a, value);
  mma(q, a, query);
  mma(k, a, key);
  store(C, q, 0, lane, warp);
  store(C, k, 1, lane, warp);
  const float *last = v; // by a pointer: back to CUDA's lanes first
  for (int i = 0; i < 4; ++i)
    C[(warp * 16 + lane / 4 + i / 2 * 8) * 24 + 16 + lane % 4 * 2 + i % 2] = last[i];
}
