// Results that are scaled, reduced over rows and packed into the next product's operand:
// the text stays, but for the lanes of its shuffles.
// RUN: %layout-port %s -o %t.hip --target gfx90a,gfx942,gfx950 --verify --launch %S/Inputs/between.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: %ported %t.hip | FileCheck %s
//
// REPORT: native
// REPORT-NOT: bridged
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes
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
__device__ void ldsm2t(uint32_t (&r)[2], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ uint32_t pack(float lower, float upper) {
  const half2 both = __floats2half2_rn(lower, upper);
  return *reinterpret_cast<const uint32_t *>(&both);
}
// CHECK-LABEL: float rowSum(
__device__ float rowSum(float x) {
  // CHECK: x += lp::shfl_xor_wave(x, 2);
  x += __shfl_xor_sync(0xffffffff, x, 2);
  // CHECK: return x + lp::shfl_xor_wave(x, 1);
  return x + __shfl_xor_sync(0xffffffff, x, 1);
}

// (Q K^T) normed by its row sums, times V: Q of 16 rows a warp, K and V of 64 keys.
// CHECK-LABEL: chain(
__global__ void chain(const half *Q, const half *K, const half *V, float *O, float *sums) {
  __shared__ half q[64 * 16], k[64 * 16], v[64 * 64];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 64 * 16; i += blockDim.x)
    q[i] = Q[blockIdx.x * 64 * 16 + i], k[i] = K[i];
  for (int i = threadIdx.x; i < 64 * 64; i += blockDim.x)
    v[i] = V[i];
  __syncthreads();
  uint32_t a[4], b[2];
  float s[8][4] = {}, o[8][4] = {};
  ldsm4(a, (uint32_t)__cvta_generic_to_shared(&q[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    ldsm2(b, (uint32_t)__cvta_generic_to_shared(&k[(j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8]));
    // CHECK: lp::mma_m16n8k16_f32_f16_wave(s[j & ~1], s[j | 1], a, b, j & 1);
    mma(s[j], a, b);
  }
  // CHECK-NEXT: }
  // CHECK-NEXT: float lower = 0, upper = 0;
  float lower = 0, upper = 0;
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    lower += s[j][0] + s[j][1];
    upper += s[j][2] + s[j][3];
  }
  lower = rowSum(lower);
  upper = rowSum(upper);
#pragma unroll
  for (int step = 0; step < 4; ++step) {
    uint32_t p[4];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float *tile = s[2 * step + half];
      p[2 * half] = pack(tile[0] * lower, tile[1] * lower);
      p[2 * half + 1] = pack(tile[2] * upper, tile[3] * upper);
    }
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      ldsm2t(b, (uint32_t)__cvta_generic_to_shared(&v[(step * 16 + lane % 16) * 64 + j * 8]));
      // CHECK: lp::mma_m16n8k16_f32_f16_steps_wave{{.*}}(o[j & ~1], o[j | 1], p, b, j & 1, held[j], step);
      mma(o[j], p, b);
    }
  }
  // CHECK-NOT: const int row =
  const int row = blockIdx.x * 64 + warp * 16 + lane / 4;
  // CHECK: lp::each_row([&](int lane, int warp, int [[LOW:[a-z_0-9]+]], int [[PAIR:[a-z]+]]) {
  if (lane % 4 == 0) {
    // CHECK: sums[row + 8 * [[LOW]]] = ([[PAIR]] ? upper : lower);
    sums[row] = lower;
    sums[row + 8] = upper;
  }
  // CHECK: lp::each_pair(o[j], o[j + 1],
  for (int j = 0; j < 8; ++j)
    for (int r = 0; r < 4; ++r)
      O[(row + r / 2 * 8) * 64 + j * 8 + lane % 4 * 2 + r % 2] = o[j][r];
}
