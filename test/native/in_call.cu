// Operands that are written straight into the product's call, or into its asm: words of global and
// of shared memory behind casts, zeros, what the wrapper converts; attention whose K and V are.
//
// RUN: %prove --launch %S/in_call.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.one.hip --target gfx942
// RUN: %ported %t.one.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

static __device__ __forceinline__ uint32_t ld32(const half *p) {
  return *reinterpret_cast<const uint32_t *>(p);
}
static __device__ __forceinline__ uint32_t two(half low, half high) {
  const half2 both = __halves2half2(low, high);
  return *(const uint32_t *)&both;
}
static __device__ __forceinline__ uint32_t packed(float low, float high) {
  const half2 both = __floats2half2_rn(low, high);
  return *(const uint32_t *)&both;
}
static __device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                           uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
static __device__ __forceinline__ void mmaTf32(float (&d)[4], float a0, float a1, float a2,
                                               float a3, float b0, float b1) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(__float_as_uint(a0)), "r"(__float_as_uint(a1)), "r"(__float_as_uint(a2)),
                 "r"(__float_as_uint(a3)), "r"(__float_as_uint(b0)), "r"(__float_as_uint(b1)));
}

// CHECK-LABEL: secondInCall(
// CHECK: lp::mma_m16n8k16_f32_f16_wave(d[i][j], a[i], lp::operand_b([&](int lane, int, int j, int r) {
// CHECK: return r == 0 ? ld32(p) : ld32(p + 8);
// CHECK-NEXT: }, j), j & 1);
__global__ void __launch_bounds__(64)
    secondInCall(const half *x, const half *w, float *y, int cols, int depth) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane / 4, t = lane % 4;
  const int row = blockIdx.x * 64 + warp * 32, col = blockIdx.y * 16;
  float d[2][2][4] = {};
  for (int k = 0; k < depth; k += 16) {
    uint32_t a[2][4];
#pragma unroll
    for (int i = 0; i < 2; i++) {
      const half *p = x + (row + i * 16 + g) * depth + k + t * 2;
      a[i][0] = ld32(p);
      a[i][1] = ld32(p + 8 * depth);
      a[i][2] = ld32(p + 8);
      a[i][3] = ld32(p + 8 * depth + 8);
    }
#pragma unroll
    for (int j = 0; j < 2; j++) {
      const half *p = w + (col + j * 8 + g) * depth + k + t * 2;
#pragma unroll
      for (int i = 0; i < 2; i++)
        mma(d[i][j], a[i], ld32(p), ld32(p + 8));
    }
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      float *p = y + (row + i * 16 + g) * cols + col + j * 8 + t * 2;
      p[0] = d[i][j][0];
      p[1] = d[i][j][1];
      p[8 * cols] = d[i][j][2];
      p[8 * cols + 1] = d[i][j][3];
    }
}

// Both operands in the author's own asm, half of k being zeros.
// CHECK-LABEL: bothInAsm(
// CHECK: lp::mma_m16n8k16_f32_f16_wave(d[j], lp::operand_a([&](
// CHECK: r == 2 ? 0u
// CHECK: lp::operand_b([&](
// CHECK: return r == 0 ? *(uint32_t *)&sB[j * 8 + g][t * 2] : 0u;
__global__ void __launch_bounds__(64)
    bothInAsm(const half *x, const half *w, float *y, int cols, int depth) {
  __shared__ half sB[16][8 + 8];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane / 4, t = lane % 4;
  const int row = blockIdx.x * 32 + warp * 16, col = blockIdx.y * 16;
  float d[2][4] = {};
  for (int k = 0; k < depth; k += 8) {
    for (int e = threadIdx.x; e < 128; e += 64)
      sB[e / 8][e % 8] = w[(col + e / 8) * depth + k + e % 8];
    __syncthreads();
    const uint32_t *p = reinterpret_cast<const uint32_t *>(x + (row + g) * depth + k + t * 2);
#pragma unroll
    for (int j = 0; j < 2; j++)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                   "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                   : "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3])
                   : "r"(p[0]), "r"(p[4 * depth]), "r"(0u), "r"(0u),
                     "r"(*(uint32_t *)&sB[j * 8 + g][t * 2]), "r"(0u));
    __syncthreads();
  }
  for (int j = 0; j < 2; j++)
    for (int e = 0; e < 4; e++)
      y[(row + g + e / 2 * 8) * cols + col + j * 8 + t * 2 + e % 2] = d[j][e];
}

// What the wrapper makes of its parameters.
// CHECK-LABEL: converted(
// CHECK: const auto b0 = q[j * 8 * depth];
// CHECK: return r == 0 ? __float_as_uint(b0) : __float_as_uint(b1);
__global__ void __launch_bounds__(64)
    converted(const float *x, const float *w, float *y, int cols, int depth) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane / 4, t = lane % 4;
  float d[2][4] = {};
  for (int k = 0; k < depth; k += 8) {
    const float *p = x + (warp * 16 + g) * depth + k + t, *q = w + g * depth + k + t;
    for (int j = 0; j < 2; j++)
      mmaTf32(d[j], p[0], p[8 * depth], p[4], p[8 * depth + 4], q[j * 8 * depth],
              q[j * 8 * depth + 4]);
  }
  for (int j = 0; j < 2; j++)
    for (int e = 0; e < 4; e++)
      y[(warp * 16 + g + e / 2 * 8) * cols + j * 8 + t * 2 + e % 2] = d[j][e];
}

// Scores and P stay where they are; K and V, of 16 columns, are read in the calls.
__global__ void __launch_bounds__(64)
    attention(const half *Q, const half *K, const half *V, float *O, int n) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3;
  float o[2][4] = {}, sum[2] = {};
  uint32_t q[4];
  for (int r = 0; r < 4; ++r)
    q[r] = ld32(Q + (blockIdx.x * 32 + warp * 16 + g + r % 2 * 8) * 16 + t * 2 + r / 2 * 8);
  for (int b = 0; b < n; b += 16) {
    float s[2][4] = {};
    for (int j = 0; j < 2; ++j) {
      const half *k = K + (b + j * 8 + g) * 16 + t * 2;
      mma(s[j], q, ld32(k), ld32(k + 8));
    }
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e) {
        s[j][e] *= 0.25f;
        sum[e >> 1] += s[j][e];
      }
    const uint32_t p[4] = {packed(s[0][0], s[0][1]), packed(s[0][2], s[0][3]),
                           packed(s[1][0], s[1][1]), packed(s[1][2], s[1][3])};
    for (int d = 0; d < 2; ++d) {
      const half *v = V + (b + t * 2) * 16 + d * 8 + g;
      mma(o[d], p, two(v[0], v[16]), two(v[8 * 16], v[9 * 16]));
    }
  }
  for (int r = 0; r < 2; ++r) {
    sum[r] += __shfl_xor_sync(~0u, sum[r], 1);
    sum[r] += __shfl_xor_sync(~0u, sum[r], 2);
  }
  for (int d = 0; d < 2; ++d)
    for (int e = 0; e < 4; ++e)
      O[(blockIdx.x * 32 + warp * 16 + g + (e >> 1) * 8) * 16 + d * 8 + t * 2 + (e & 1)] =
          o[d][e] + sum[e >> 1];
}
