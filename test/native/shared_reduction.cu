// Two kernels whose rows are summed by one function: results of each are exchanged by it between the
// products, so it has one text, for the lanes that hold a row here.
//
// RUN: %prove --launch %S/shared_reduction.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

namespace {
constexpr int D = 16, PITCH = D + 8;

__device__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void ldsm2(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void ldsm2t(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ uint32_t pack(float x, float y) {
  const half2 h = __floats2half2_rn(x, y);
  return *(const uint32_t *)&h;
}
__device__ void fetch(half (*to)[PITCH], const half *from, int rows) {
  for (int i = threadIdx.x; i < rows * D / 8; i += 64)
    *(uint4 *)&to[i / 2][i % 2 * 8] = *(const uint4 *)&from[i * 8];
}

// CHECK-LABEL: quadSum(
// CHECK: x += lp::shfl_xor_wave(x, 2);
// CHECK-NEXT: return x + lp::shfl_xor_wave(x, 1);
__device__ float quadSum(float x) {
  x += __shfl_xor_sync(0xffffffff, x, 2);
  return x + __shfl_xor_sync(0xffffffff, x, 1);
}
} // namespace

// CHECK-LABEL: averaged(
// CHECK: sum[r] += quadSum(
// CHECK: lp::each_pair(o[j], j, [&](
// CHECK-NOT: to_warp_
__global__ void __launch_bounds__(64) averaged(const half *Q, const half *K, const half *V, float *O,
                                               int keys) {
  __shared__ __align__(16) half q[32][PITCH], k[16][PITCH], v[16][PITCH];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float o[2][4] = {}, sum[2] = {};
  fetch(q, Q, 32);
  for (int i = 0; i < keys; i += 16) {
    __syncthreads();
    fetch(k, K + i * D, 16);
    fetch(v, V + i * D, 16);
    __syncthreads();
    float s[2][4] = {};
    uint32_t a[4], b[2];
    ldsm4(a, &q[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, &k[j * 8 + lane % 8][lane / 8 % 2 * 8]);
      mma(s[j], a, b);
    }
    for (int r = 0; r < 2; ++r)
      sum[r] += quadSum(s[0][2 * r] + s[0][2 * r + 1] + s[1][2 * r] + s[1][2 * r + 1]);
    const uint32_t p[4] = {pack(s[0][0], s[0][1]), pack(s[0][2], s[0][3]), pack(s[1][0], s[1][1]),
                           pack(s[1][2], s[1][3])};
    for (int j = 0; j < 2; ++j) {
      ldsm2t(b, &v[lane % 16][j * 8]);
      mma(o[j], p, b);
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      O[(warp * 16 + lane / 4 + e / 2 * 8) * D + j * 8 + lane % 4 * 2 + e % 2] = o[j][e] / sum[e / 2];
}

// CHECK-LABEL: centred(
// CHECK: const float mean = quadSum(
// CHECK-NOT: to_warp_
__global__ void __launch_bounds__(64) centred(const half *Q, const half *K, const half *V, float *O) {
  __shared__ __align__(16) half q[32][PITCH], k[16][PITCH], v[16][PITCH];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fetch(q, Q, 32);
  fetch(k, K, 16);
  fetch(v, V, 16);
  __syncthreads();
  float s[2][4] = {}, o[2][4] = {};
  uint32_t a[4], b[2];
  ldsm4(a, &q[warp * 16 + lane % 16][lane / 16 * 8]);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, &k[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    mma(s[j], a, b);
  }
  for (int r = 0; r < 2; ++r) {
    const float mean = quadSum(s[0][2 * r] + s[0][2 * r + 1] + s[1][2 * r] + s[1][2 * r + 1]) / 16;
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 2; ++e)
        s[j][2 * r + e] -= mean;
  }
  const uint32_t p[4] = {pack(s[0][0], s[0][1]), pack(s[0][2], s[0][3]), pack(s[1][0], s[1][1]),
                         pack(s[1][2], s[1][3])};
  for (int j = 0; j < 2; ++j) {
    ldsm2t(b, &v[lane % 16][j * 8]);
    mma(o[j], p, b);
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      O[(warp * 16 + lane / 4 + e / 2 * 8) * D + j * 8 + lane % 4 * 2 + e % 2] = o[j][e];
}
