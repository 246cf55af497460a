// Depths that are no multiple of the instruction's: what is left of k goes through one that is half
// as deep, into the same sums. Results lie alike, whatever k is; operands of either lie as its own
// MFMA wants them.
//
// RUN: %prove --launch %S/rest_of_k.yaml 2>&1 | FileCheck %S/Inputs/native_tested.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t shared(const void *p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}
template <typename T> __device__ __forceinline__ uint32_t word(const T *p) {
  return *reinterpret_cast<const uint32_t *>(p);
}

#define MMA(SHAPE, TYPES)                                                                          \
  asm volatile("mma.sync.aligned." SHAPE ".row.col." TYPES " {%0,%1,%2,%3}, {%4,%5,%6,%7}, "       \
               "{%8,%9}, {%0,%1,%2,%3};"                                                           \
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                    \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define MMA_HALF(SHAPE, TYPES)                                                                     \
  asm volatile("mma.sync.aligned." SHAPE ".row.col." TYPES " {%0,%1,%2,%3}, {%4,%5}, {%6}, "       \
               "{%0,%1,%2,%3};"                                                                    \
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                    \
               : "r"(a[0]), "r"(a[1]), "r"(b))

__device__ __forceinline__ void multiply(float (&c)[4], const uint32_t (&a)[4],
                                         const uint32_t (&b)[2]) {
  MMA("m16n8k16", "f32.f16.f16.f32");
}
__device__ __forceinline__ void multiply(float (&c)[4], const uint32_t (&a)[2], uint32_t b) {
  MMA_HALF("m16n8k8", "f32.f16.f16.f32");
}

// Behind the loop.
// CHECK-LABEL: behind(
// CHECK: lp::mma_m16n8k16_f32_f16_wave(acc[j], a, b, j & 1);
// CHECK: lp::mma_m16n8k8_f32_f16_wave(acc[j], a,
// CHECK: lp::each_pair(acc[j], j,
__global__ void __launch_bounds__(128)
    behind(const half *A, const half *B, float *C, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const int m0 = blockIdx.y * 64 + warp * 16, n0 = blockIdx.x * 32;
  float acc[4][4] = {};
  int k = 0;
  for (; k + 16 <= K; k += 16) {
    uint32_t a[4];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (m0 + g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 4; ++j) {
      uint32_t b[2];
      for (int r = 0; r < 2; ++r)
        b[r] = word(B + (n0 + j * 8 + g) * K + k + t * 2 + r * 8);
      multiply(acc[j], a, b);
    }
  }
  if (k < K) {
    uint32_t a[2];
    for (int r = 0; r < 2; ++r)
      a[r] = word(A + (m0 + g + r * 8) * K + k + t * 2);
    for (int j = 0; j < 4; ++j)
      multiply(acc[j], a, word(B + (n0 + j * 8 + g) * K + k + t * 2));
  }
  for (int j = 0; j < 4; ++j) {
    *(float2 *)&C[(m0 + g) * N + n0 + j * 8 + t * 2] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&C[(m0 + g + 8) * N + n0 + j * 8 + t * 2] = make_float2(acc[j][2], acc[j][3]);
  }
}

// As another branch of the loop, by ldmatrix; the sums are exchanged behind it, where they lie.
// CHECK-LABEL: branches(
// CHECK: lp::mma_m16n8k16_f32_f16_wave_2(acc[j & ~1], acc[j | 1], a, b, j & 1);
// CHECK: lp::mma_m16n8k8_f32_f16_wave_2(acc[j & ~1], acc[j | 1], a, lp::scalars(b), j & 1);
// CHECK: lp::shfl_xor_wave(acc[j][e], 5);
__global__ void __launch_bounds__(128)
    branches(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[64][24], sB[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int m0 = blockIdx.y * 64, n0 = blockIdx.x * 32;
  float acc[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    const int width = min(16, K - k), row = threadIdx.x / 2, col = threadIdx.x % 2 * 8;
    if (col < width) {
      *(uint4 *)&sA[row][col] = *(const uint4 *)&A[(m0 + row) * K + k + col];
      if (row < 32)
        *(uint4 *)&sB[row][col] = *(const uint4 *)&B[(n0 + row) * K + k + col];
    }
    __syncthreads();
    if (width == 16) {
      uint32_t a[4];
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                   : "r"(shared(&sA[warp * 16 + lane % 16][lane / 16 * 8])));
      for (int j = 0; j < 4; ++j) {
        uint32_t b[2];
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                     : "=r"(b[0]), "=r"(b[1])
                     : "r"(shared(&sB[j * 8 + lane % 8][lane / 8 % 2 * 8])));
        multiply(acc[j], a, b);
      }
    } else {
      uint32_t a[2];
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                   : "=r"(a[0]), "=r"(a[1])
                   : "r"(shared(&sA[warp * 16 + lane % 16][0])));
      for (int j = 0; j < 4; ++j) {
        uint32_t b;
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                     : "=r"(b)
                     : "r"(shared(&sB[j * 8 + lane % 8][0])));
        multiply(acc[j], a, b);
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e) {
      const int other = lane ^ 5;
      C[(m0 + warp * 16 + other / 4 + e / 2 * 8) * N + n0 + j * 8 + other % 4 * 2 + e % 2] =
          __shfl_xor_sync(~0u, acc[j][e], 5);
    }
}

// In front of the loop, by a template's depth; sums begin as C.
template <int K>
__global__ void __launch_bounds__(64)
    begun(const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C, int N) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3;
  const int m0 = blockIdx.y * 32 + warp * 16, n0 = blockIdx.x * 16;
  float acc[2][4];
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      acc[j][e] = C[(m0 + g + e / 2 * 8) * N + n0 + j * 8 + t * 2 + e % 2];
  int k = 0;
  if constexpr (K % 16 != 0) {
    const uint32_t a[2] = {word(A + (m0 + g) * K + t * 2), word(A + (m0 + g + 8) * K + t * 2)};
    for (int j = 0; j < 2; ++j) {
      float(&c)[4] = acc[j];
      const uint32_t b = word(B + (n0 + j * 8 + g) * K + t * 2);
      MMA_HALF("m16n8k8", "f32.bf16.bf16.f32");
    }
    k = 8;
  }
  for (; k < K; k += 16) {
    uint32_t a[4];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (m0 + g + (r & 1) * 8) * K + k + t * 2 + (r >> 1) * 8);
    for (int j = 0; j < 2; ++j) {
      float(&c)[4] = acc[j];
      const __nv_bfloat16 *p = B + (n0 + j * 8 + g) * K + k + t * 2;
      const uint32_t b[2] = {word(p), word(p + 8)};
      MMA("m16n8k16", "f32.bf16.bf16.f32");
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(m0 + g + e / 2 * 8) * N + n0 + j * 8 + t * 2 + e % 2] = acc[j][e];
}
template __global__ void begun<40>(const __nv_bfloat16 *, const __nv_bfloat16 *, float *, int);
template __global__ void begun<32>(const __nv_bfloat16 *, const __nv_bfloat16 *, float *, int);

// Bytes: 48 of k are one instruction of 32 and one of 16, in each turn. B of either along k.
__global__ void __launch_bounds__(64)
    bytes(const int8_t *A, const int8_t *B, int *C, int N, int K) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3;
  const int m0 = blockIdx.y * 32 + warp * 16, n0 = blockIdx.x * 16;
  int acc[2][4] = {};
  for (int k = 0; k < K; k += 48) {
    const int8_t *top = A + (m0 + g) * K + k + t * 4, *low = top + 8 * K;
    const uint32_t a[4] = {word(top), word(low), word(top + 16), word(low + 16)};
    const uint32_t rest[2] = {word(top + 32), word(low + 32)};
    for (int j = 0; j < 2; ++j) {
      const int8_t *p = B + (n0 + j * 8 + g) * K + k + t * 4;
      const uint32_t b[2] = {word(p), word(p + 16)};
      const uint32_t last = word(p + 32);
      asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                   "{%8,%9}, {%0,%1,%2,%3};"
                   : "+r"(acc[j][0]), "+r"(acc[j][1]), "+r"(acc[j][2]), "+r"(acc[j][3])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
      asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
                   "{%0,%1,%2,%3};"
                   : "+r"(acc[j][0]), "+r"(acc[j][1]), "+r"(acc[j][2]), "+r"(acc[j][3])
                   : "r"(rest[0]), "r"(rest[1]), "r"(last));
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(m0 + g + e / 2 * 8) * N + n0 + j * 8 + t * 2 + e % 2] = acc[j][e];
}

// Two sets of sums, of which one has a rest and begins as C; both go to CUDA's layout, each once.
// CHECK-LABEL: void __launch_bounds__(64){{[[:space:]]+}}exchanged(
// CHECK: lp::mma_m16n8k8_f32_f16_wave
// CHECK: lp::to_warp_layout(acc[i]);
// CHECK: lp::to_warp_layout(other[i]);
// CHECK-NOT: lp::to_warp_layout
__global__ void __launch_bounds__(64)
    exchanged(const half *A, const half *B, float *C, int N, int K) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3;
  const int m0 = blockIdx.y * 32 + warp * 16, n0 = blockIdx.x * 16;
  float acc[2][4], other[2][4] = {};
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      acc[j][e] = C[(m0 + g + e / 2 * 8) * N + n0 + j * 8 + t * 2 + e % 2];
  int k = 0;
  for (; k + 16 <= K; k += 16) {
    uint32_t a[4];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (m0 + g + (r & 1) * 8) * K + k + t * 2 + (r >> 1) * 8);
    for (int j = 0; j < 2; ++j) {
      const half *p = B + (n0 + j * 8 + g) * K + k + t * 2;
      const uint32_t b[2] = {word(p), word(p + 8)};
      multiply(acc[j], a, b);
      multiply(other[j], a, b);
    }
  }
  if (k < K) {
    const uint32_t a[2] = {word(A + (m0 + g) * K + k + t * 2),
                           word(A + (m0 + g + 8) * K + k + t * 2)};
    for (int j = 0; j < 2; ++j)
      multiply(acc[j], a, word(B + (n0 + j * 8 + g) * K + k + t * 2));
  }
  if (K > 16)
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        C[(m0 + (lane ^ 5) / 4 + e / 2 * 8) * N + n0 + j * 8 + (lane ^ 5) % 4 * 2 + e % 2] =
            __shfl_xor_sync(~0u, acc[j][e] - 2 * other[j][e], 5);
}
