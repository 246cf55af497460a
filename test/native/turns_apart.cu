// Warps that go through k by turns of their own: where one of a wave's two has a turn more than the
// other, that one's operands are zeros in it.
//
// RUN: %prove --launch %S/turns_apart.yaml 2>&1 | FileCheck %S/Inputs/native_halves_tested.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ uint32_t word(const half *p) { return *(const uint32_t *)p; }

// What the warps have is added in shared memory.
// CHECK-LABEL: byK(
// CHECK: for (int k = warp * 16; lp::either(k < K); k += 64) {
// CHECK: lp::gather_a(a, [&, k_ = k - warp * 16](int lane, int warp, int r) {
// CHECK: const int k = warp * 16 + k_;
// CHECK: return !(k < K) ? 0 : r == 0 ? word(A + g * K + k + t * 2)
// CHECK: lp::gather_b(b, [&, k_ = k - warp * 16](int lane, int warp, int j, int r) {
// CHECK: return !(k < K) ? 0 : r == 0 ? word(p) : word(p + 8);
__global__ void __launch_bounds__(128) byK(const half *A, const half *B, float *C, int K) {
  __shared__ float part[4][16 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[2][4] = {};
  for (int k = warp * 16; k < K; k += 64) {
    uint32_t a[4];
    a[0] = word(A + g * K + k + t * 2);
    a[1] = word(A + (g + 8) * K + k + t * 2);
    a[2] = word(A + g * K + k + t * 2 + 8);
    a[3] = word(A + (g + 8) * K + k + t * 2 + 8);
    for (int j = 0; j < 2; ++j) {
      const half *p = B + (j * 8 + g) * K + k + t * 2;
      uint32_t b[2] = {word(p), word(p + 8)};
      mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      part[warp][(g + e / 2 * 8) * 16 + j * 8 + t * 2 + e % 2] = c[j][e];
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 128)
    C[i] = part[0][i] + part[1][i] + part[2][i] + part[3][i];
}

// By the number of the step, in registers from around, with rows that are not there.
// CHECK-LABEL: byTiles(
// CHECK: for (int kt = warp; lp::either(kt < K / 16); kt += WARPS) {
// CHECK: lp::gather_a(a, [&, kt_ = kt - warp]({{.*}}) {
// CHECK: const int kt = warp + kt_;
// CHECK: const int k = kt * 16 + t * 2;
// CHECK: return !(kt < K / 16) ? 0 : r == 0 ? (g < M ? word(A + g * K + k) : 0)
// CHECK: for (int i = warp; i < 4; i += WARPS)
template <int WARPS>
__global__ void __launch_bounds__(WARPS * 32)
byTiles(const half *A, const half *B, float *C, int M, int K) {
  __shared__ float part[WARPS][16 * 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float c[4][4] = {};
  uint32_t a[4], b[2];
  for (int kt = warp; kt < K / 16; kt += WARPS) {
    const int k = kt * 16 + t * 2;
    a[0] = a[1] = a[2] = a[3] = 0;
    if (g < M) {
      a[0] = word(A + g * K + k);
      a[2] = word(A + g * K + k + 8);
    }
    if (g + 8 < M) {
      a[1] = word(A + (g + 8) * K + k);
      a[3] = word(A + (g + 8) * K + k + 8);
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      b[0] = word(B + (j * 8 + g) * K + k);
      b[1] = word(B + (j * 8 + g) * K + k + 8);
      mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int h = 0; h < 2; ++h)
      *(float2 *)&part[warp][(g + h * 8) * 32 + j * 8 + t * 2] =
          make_float2(c[j][h * 2], c[j][h * 2 + 1]);
  __syncthreads();
  for (int i = warp; i < 4; i += WARPS)
    for (int at = lane; at < 128; at += 32) {
      float sum = 0;
      for (int w = 0; w < WARPS; ++w)
        sum += part[w][i * 128 + at];
      C[i * 128 + at] = sum;
    }
}
template __global__ void byTiles<4>(const half *, const half *, float *, int, int);

// Bytes, up to an end of the block's own.
// CHECK-LABEL: bytes(
// CHECK: for (int k = begin + warp * 32; lp::either(k < end); k += 128) {
// CHECK: return !(k < end) ? 0 : *(const uint32_t *)(A + (g + r % 2 * 8) * K + k + t * 4 + r / 2 * 16);
__global__ void __launch_bounds__(128)
bytes(const int8_t *A, const int8_t *B, int *C, int K, int part) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3;
  const int begin = blockIdx.x * part, end = min(K, begin + part);
  int c[4] = {0, 0, 0, 0};
  for (int k = begin + warp * 32; k < end; k += 128) {
    uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r)
      a[r] = *(const uint32_t *)(A + (g + r % 2 * 8) * K + k + t * 4 + r / 2 * 16);
    for (int r = 0; r < 2; ++r)
      b[r] = *(const uint32_t *)(B + g * K + k + t * 4 + r * 16);
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  for (int e = 0; e < 4; ++e)
    atomicAdd(&C[(g + e / 2 * 8) * 8 + t * 2 + e % 2], c[e]);
}

// Each turn is a tile, with sums of its own that go to memory: the half wave whose warp has no turn
// does the other's once more.
// CHECK-LABEL: byOutput(
// CHECK: for (int own = blockIdx.x * 4 + warp; lp::either(own < tiles); own += gridDim.x * 4) {
// CHECK-NEXT: const int tile = lp::turn(own, own < tiles);
// CHECK-NEXT: const int row = tile / 2 * 16 + g, col = tile % 2 * 16;
// CHECK: lp::gather_a(a, [&, tile_ = tile](int lane, int warp, int r) {
// CHECK-NEXT: const auto tile = lp::of_warp(tile_, warp);
__global__ void __launch_bounds__(128)
byOutput(const half *A, const half *B, float *C, int tiles, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  for (int tile = blockIdx.x * 4 + warp; tile < tiles; tile += gridDim.x * 4) {
    const int row = tile / 2 * 16 + g, col = tile % 2 * 16;
    float c[2][4] = {};
    for (int k = 0; k < K; k += 16) {
      const half *p = A + row * K + k + t * 2;
      uint32_t a[4] = {word(p), word(p + 8 * K), word(p + 8), word(p + 8 * K + 8)};
      for (int j = 0; j < 2; ++j) {
        const half *q = B + (col + j * 8 + g) * K + k + t * 2;
        uint32_t b[2] = {word(q), word(q + 8)};
        mma(c[j], a, b);
      }
    }
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        C[(row + e / 2 * 8) * 32 + col + j * 8 + t * 2 + e % 2] += c[j][e];
  }
}

// Operands and results by lambdas: from in front of the loop, and from within.
// CHECK-LABEL: byLambda(
// CHECK: const int tile = lp::turn(own, own < tiles);
// CHECK: lp::gather_a(a, [&, tile_ = tile](int lane, int warp, int r) {
// CHECK: wordOf(row + 8, k + t * 2)
__global__ void __launch_bounds__(128)
byLambda(const half *A, const half *B, const float *bias, float *C, int M, int tiles, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  auto wordOf = [&](int row, int k) -> uint32_t {
    return row < M ? *(const uint32_t *)(A + row * K + k) : 0u;
  };
  auto wordOfB = [&](int column, int k) {
    uint32_t low = 0, high = 0;
    if (k < K) {
      low = *(const uint16_t *)(B + column * K + k);
      high = *(const uint16_t *)(B + column * K + k + 1);
    }
    return low | high << 16;
  };
  for (int tile = blockIdx.x * 4 + warp; tile < tiles; tile += gridDim.x * 4) {
    const int row = tile / 2 * 16 + g, col = tile % 2 * 16;
    float c[2][4] = {};
    for (int k = 0; k < K; k += 16) {
      const uint32_t a[4] = {wordOf(row, k + t * 2), wordOf(row + 8, k + t * 2),
                             wordOf(row, k + t * 2 + 8), wordOf(row + 8, k + t * 2 + 8)};
      for (int j = 0; j < 2; ++j) {
        const uint32_t b[2] = {wordOfB(col + j * 8 + g, k + t * 2),
                               wordOfB(col + j * 8 + g, k + t * 2 + 8)};
        mma(c[j], a, b);
      }
    }
    auto store = [&](int m, int n, float v) {
      if (m < M)
        C[m * 32 + n] = v + bias[n];
    };
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        store(row + e / 2 * 8, col + j * 8 + t * 2 + e % 2, c[j][e]);
  }
}
