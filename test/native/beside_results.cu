// A product's operand that is made of results stands beside one that is read, in one call. What is
// read is the same for both warps, and does not meet the results there: it is the second operand.
//
// RUN: %prove --launch %S/beside_results.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t packed(float x, float y) {
  const half2 h = __floats2half2_rn(x, y);
  return *reinterpret_cast<const uint32_t *>(&h);
}
__device__ __forceinline__ void mma(float *d, uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3,
                                    uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// (A B) V for 32 x 16 of A, 64 threads.
// CHECK: lp::scalars(p0, p1, p2, p3), lp::operand_b([&](
// CHECK: return reg == 0 ? *(const uint32_t *)&V[(j * 8 + g) * 16 + 2 * t] : *(const uint32_t *)&V[(j * 8 + g) * 16 + 2 * t + 8];
// CHECK-NOT: of_element
__global__ void __launch_bounds__(64) twice(const half *A, const half *B, const half *V, float *C) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  const half *p = A + (warp * 16 + g) * 16 + 2 * t;
  float s[2][4] = {}, c[2][4] = {};
  uint32_t a[4];
  for (int r = 0; r < 4; ++r)
    a[r] = *(const uint32_t *)(p + r % 2 * 128 + r / 2 * 8);
  for (int j = 0; j < 2; ++j)
    mma(s[j], a[0], a[1], a[2], a[3], *(const uint32_t *)&B[(j * 8 + g) * 16 + 2 * t],
        *(const uint32_t *)&B[(j * 8 + g) * 16 + 2 * t + 8]);
  const uint32_t p0 = packed(s[0][0], s[0][1]);
  const uint32_t p1 = packed(s[0][2], s[0][3]);
  const uint32_t p2 = packed(s[1][0], s[1][1]);
  const uint32_t p3 = packed(s[1][2], s[1][3]);
  for (int j = 0; j < 2; ++j)
    mma(c[j], p0, p1, p2, p3, *(const uint32_t *)&V[(j * 8 + g) * 16 + 2 * t],
        *(const uint32_t *)&V[(j * 8 + g) * 16 + 2 * t + 8]);
  float *out = C + (warp * 16 + g) * 16 + t * 2;
  for (int j = 0; j < 2; ++j) {
    out[j * 8] = c[j][0];
    out[j * 8 + 1] = c[j][1];
    out[8 * 16 + j * 8] = c[j][2];
    out[8 * 16 + j * 8 + 1] = c[j][3];
  }
}
