// fp8: e4m3 by e4m3 and e5m2 by e4m3 with f32 sums, scaled by the product of both amax; and
// m16n8k16 with f16 sums. gfx950 multiplies the bytes as they are; gfx942 has FNUZ numbers, half
// as large; where that will not do, every other byte of a word becomes a word of bf16.
//
// RUN: %prove --launch %S/fp8.yaml 2>&1 | FileCheck %s
// CHECK-NOT: {{refuted|: manual:|could not|tensor-mma|is not native}}
// CHECK: native {{.*}} one full MFMA for two warps' worth (two of bf16 on gfx90a
// CHECK-NOT: {{refuted|: manual:|could not|tensor-mma|is not native}}
// CHECK: compiled: gfx90a yes gfx942 yes gfx950 yes
// CHECK: verify gfx90a: tested:
// CHECK: verify gfx942: tested:
// CHECK: verify gfx950: proved:
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void loadA(uint32_t (&a)[4], const uint8_t *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
               : "r"((uint32_t)__cvta_generic_to_shared(row)));
}
__device__ __forceinline__ void loadB(uint32_t (&b)[2], const uint8_t *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];\n"
               : "=r"(b[0]), "=r"(b[1])
               : "r"((uint32_t)__cvta_generic_to_shared(row)));
}

__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, "
               "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__global__ void __launch_bounds__(128)
    fp8Gemm(const uint8_t *A, const uint8_t *B, float *C, float scaleA, float scaleB, int N, int K) {
  __shared__ __align__(16) uint8_t sA[32][64 + 16], sB[32][64 + 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 16, wn = warp % 2 * 16;
  float acc[2][4] = {};
  for (int k0 = 0; k0 < K; k0 += 64) {
    const int r = threadIdx.x / 4, c = threadIdx.x % 4 * 16;
    *(uint4 *)&sA[r][c] = *(const uint4 *)&A[(blockIdx.y * 32 + r) * K + k0 + c];
    *(uint4 *)&sB[r][c] = *(const uint4 *)&B[(blockIdx.x * 32 + r) * K + k0 + c];
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 64; kk += 32) {
      uint32_t a[4], b[2];
      loadA(a, &sA[wm + lane % 16][kk + lane / 16 * 16]);
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        loadB(b, &sB[wn + j * 8 + lane % 8][kk + lane / 8 % 2 * 16]);
        mma(acc[j], a, b);
      }
    }
    __syncthreads();
  }
  const float scale = scaleA * scaleB;
#pragma unroll
  for (int j = 0; j < 2; ++j)
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int row = blockIdx.y * 32 + wm + lane / 4 + h * 8;
      const int col = blockIdx.x * 32 + wn + j * 8 + lane % 4 * 2;
      *(float2 *)&C[row * N + col] = make_float2(acc[j][2 * h] * scale, acc[j][2 * h + 1] * scale);
    }
}
// Gradients by weights, as the backward pass has them.
__global__ void __launch_bounds__(64)
    gradients(const uint8_t *A, const uint8_t *B, float *C, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, q = lane % 4;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 32) {
    const uint8_t *row = A + (warp * 16 + g) * K + k + q * 4;
    uint32_t a[4];
    a[0] = *(const uint32_t *)row;
    a[1] = *(const uint32_t *)(row + 8 * K);
    a[2] = *(const uint32_t *)(row + 16);
    a[3] = *(const uint32_t *)(row + 8 * K + 16);
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const uint8_t *column = B + (j * 8 + g) * K + k + q * 4;
      uint32_t b[2];
      b[0] = *(const uint32_t *)column;
      b[1] = *(const uint32_t *)(column + 16);
      asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32 {%0,%1,%2,%3}, "
                   "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                   : "+f"(acc[j][0]), "+f"(acc[j][1]), "+f"(acc[j][2]), "+f"(acc[j][3])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
  }
#pragma unroll
  for (int j = 0; j < 2; ++j)
#pragma unroll
    for (int r = 0; r < 4; ++r)
      C[(warp * 16 + g + r / 2 * 8) * N + j * 8 + q * 2 + r % 2] = acc[j][r];
}

__global__ void __launch_bounds__(64)
    halfSums(const uint8_t *A, const uint8_t *B, uint32_t *C, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, q = lane % 4;
  uint32_t acc[2][2] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[2];
    a[0] = *(const uint32_t *)&A[(warp * 16 + g) * K + k + q * 4];
    a[1] = *(const uint32_t *)&A[(warp * 16 + g + 8) * K + k + q * 4];
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      uint32_t b[1];
      b[0] = *(const uint32_t *)&B[(j * 8 + g) * K + k + q * 4];
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e4m3.f16 {%0,%1}, {%2,%3}, {%4}, "
                   "{%0,%1};\n"
                   : "+r"(acc[j][0]), "+r"(acc[j][1])
                   : "r"(a[0]), "r"(a[1]), "r"(b[0]));
    }
  }
#pragma unroll
  for (int j = 0; j < 2; ++j)
#pragma unroll
    for (int h = 0; h < 2; ++h)
      C[((warp * 16 + g + h * 8) * N + j * 8) / 2 + q] = acc[j][h];
}
