// Weights that become halves in variables of their own on the way into the product: one word of eight
// nibbles makes both tiles of a pair; bytes are widened. What is read is read for the lane whose weights
// it holds; what makes two tiles cannot be read for one of them, so those meet in the product.
//
// RUN: %prove --launch %S/dequant_pairs.yaml 2>&1 | FileCheck %S/Inputs/native_tested.txt
// RUN: %layout-port %s -o %t.one.hip --target gfx942
// RUN: %ported %t.one.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                    uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
// Nibbles 0 and 4 as halves: 0x6400 is 1024, whose last bits count in ones.
__device__ __forceinline__ uint32_t halvesOf(uint32_t q) {
  const uint32_t bits = (q & 0x000f000f) | 0x64006400;
  const half2 both = __hsub2(*(const half2 *)&bits, __floats2half2_rn(1032.f, 1032.f));
  return *(const uint32_t *)&both;
}
__device__ void fill(half (*tile)[24], const half *A, int K, int k) {
  __syncthreads();
  for (int e = threadIdx.x; e < 32 * 16; e += 64)
    tile[e / 16][e % 16] = A[e / 16 * K + k + e % 16];
  __syncthreads();
}

// packed[(k / 16 * 2 + pair of tiles) * 32 + lane]
// CHECK-LABEL: pairs(
// CHECK: const uint32_t q = lp::read_b([&](int lane, int
// CHECK: const uint32_t b0 = halvesOf(q), b1 = halvesOf(q >> 4), b2 = halvesOf(q >> 8), b3 = halvesOf(q >> 12);
// CHECK: lp::mma_m16n8k16_f32_f16_two_wave(c[j], c[j + 1], a, lp::scalars(b0, b1), lp::scalars(b2, b3));
__global__ void __launch_bounds__(64)
    pairs(const half *A, const uint32_t *packed, float *C, int K) {
  __shared__ __align__(16) half sA[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    fill(sA, A, K, k);
    uint32_t a[4];
    ldsm4(a, &sA[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; j += 2) {
      const uint32_t q = packed[(k / 16 * 2 + j / 2) * 32 + lane];
      const uint32_t b0 = halvesOf(q), b1 = halvesOf(q >> 4), b2 = halvesOf(q >> 8), b3 = halvesOf(q >> 12);
      mma(c[j], a, b0, b1);
      mma(c[j + 1], a, b2, b3);
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK-LABEL: bytes(
// CHECK: const char2 low = lp::read_b{{.*}}([&](int lane, int, int j) {
__global__ void __launch_bounds__(64)
    bytes(const half *A, const signed char *weights, float *C, int K) {
  __shared__ __align__(16) half sA[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    fill(sA, A, K, k);
    uint32_t a[4];
    ldsm4(a, &sA[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j) {
      const signed char *p = weights + (j * 8 + lane / 4) * K + k + lane % 4 * 2;
      const char2 low = *(const char2 *)p, high = *(const char2 *)(p + 8);
      const half2 l = __halves2half2(__int2half_rn(low.x), __int2half_rn(low.y));
      const half2 h = __halves2half2(__int2half_rn(high.x), __int2half_rn(high.y));
      const uint32_t b0 = *(const uint32_t *)&l, b1 = *(const uint32_t *)&h;
      mma(c[j], a, b0, b1);
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}
