// Sums in structs of vectors, and of an array of them: all that is in one are a tile's registers.
//
// RUN: %prove --launch %S/sums_of_vectors.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

struct Quad {
  uint32_t x, y, z, w;
  __device__ static Quad read(uint32_t address) {
    Quad f;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(f.x), "=r"(f.y), "=r"(f.z), "=r"(f.w)
                 : "r"(address));
    return f;
  }
};

struct Sum {
  float2 top, bottom;
  __device__ void add(const Quad &a, uint32_t b0, uint32_t b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(top.x), "+f"(top.y), "+f"(bottom.x), "+f"(bottom.y)
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
  }
};
struct Rows {
  float2 of[2];
};
__device__ void add(Rows &d, const Quad &a, uint32_t b0, uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(d.of[0].x), "+f"(d.of[0].y), "+f"(d.of[1].x), "+f"(d.of[1].y)
      : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
}

constexpr int kPitch = 72;
#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(64)                                                            \
      name(const __nv_bfloat16 *A, const __nv_bfloat16 *B, __nv_bfloat16 *C, int K)
#define SETUP                                                                                      \
  __shared__ __align__(16) __nv_bfloat16 tile[2][32 * kPitch];                                     \
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;                                      \
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(tile),                                  \
                 atA = base + ((warp * 16 + lane % 16) * kPitch + lane / 16 * 8) * 2,              \
                 atB = base + (32 * kPitch + (lane % 8 + lane / 16 * 8) * kPitch + (lane & 8)) * 2
#define FILL                                                                                       \
  __syncthreads();                                                                                 \
  for (int i = threadIdx.x; i < 32 * 64; i += 64) {                                                \
    tile[0][i / 64 * kPitch + i % 64] = A[i / 64 * K + k + i % 64];                                \
    tile[1][i / 64 * kPitch + i % 64] = B[i / 64 * K + k + i % 64];                                \
  }                                                                                                \
  __syncthreads()

// CHECK-LABEL: (ofMembers)
// CHECK: Sum sum[4] = {};
// CHECK: lp::mma_m16n8k16_f32_bf16{{.*}}(lp::regs<float>(sum[
KERNEL(ofMembers) {
  SETUP;
  Sum sum[4] = {};
  for (int k = 0; k < K; k += 64) {
    FILL;
    for (int s = 0; s < 4; ++s) {
      const Quad a = Quad::read(atA + s * 32);
      for (int j = 0; j < 2; ++j) {
        const Quad b = Quad::read(atB + (j * 16 * kPitch + s * 16) * 2);
        sum[2 * j].add(a, b.x, b.y);
        sum[2 * j + 1].add(a, b.z, b.w);
      }
    }
  }
  for (int j = 0; j < 4; ++j) {
    __nv_bfloat16 *to = C + (warp * 16 + lane / 4) * 32 + j * 8 + lane % 4 * 2;
    *(__nv_bfloat162 *)to = __float22bfloat162_rn(sum[j].top);
    *(__nv_bfloat162 *)(to + 8 * 32) = __float22bfloat162_rn(sum[j].bottom);
  }
}

// CHECK-LABEL: (ofArray)
// CHECK: Rows sum[4];
// CHECK: lp::mma_m16n8k16_f32_bf16{{.*}}(lp::tile<float, 4>(sum,
KERNEL(ofArray) {
  SETUP;
  Rows sum[4];
  for (int j = 0; j < 4; ++j)
    sum[j].of[0] = sum[j].of[1] = make_float2(0.f, 0.f);
  for (int k = 0; k < K; k += 64) {
    FILL;
    for (int s = 0; s < 4; ++s) {
      const Quad a = Quad::read(atA + s * 32);
      for (int j = 0; j < 2; ++j) {
        const Quad b = Quad::read(atB + (j * 16 * kPitch + s * 16) * 2);
        add(sum[2 * j], a, b.x, b.y);
        add(sum[2 * j + 1], a, b.z, b.w);
      }
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int h = 0; h < 2; ++h) {
      __nv_bfloat16 *to = C + (warp * 16 + lane / 4 + h * 8) * 32 + j * 8 + lane % 4 * 2;
      to[0] = __float2bfloat16(sum[j].of[h].x);
      to[1] = __float2bfloat16(sum[j].of[h].y);
    }
}
