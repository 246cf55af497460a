// The spellings of swizzled shared-memory addresses, one kernel each: bit masks over the byte
// offset, precedence that XORs the whole address, `&` that binds less than `/`, a branch on the
// lane, a walk along k, an XOR in the index of the thread that fills the tile.
//
// RUN: %prove --launch %S/addresses.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdint>

static constexpr int kRow = 64; // halves in a row of shared memory: 8 chunks of 16 bytes
enum Form { masks, whole, bound, branch, walk };

// Byte offset of column `col` of row `row`.
template <Form form> __device__ inline uint32_t at(int row, int col) {
  const uint32_t off = (row * kRow + col) * 2;
  if (form == masks)
    return off ^ ((off & 0x380) >> 3);
  if (form == whole)
    return row * kRow * 2 + col * 2 ^ (row & 3) << 5;
  if (form == bound)
    return row * kRow * 2 + ((col / 8 ^ row / 2 & 3) << 4) + col % 8 * 2;
  return row * kRow * 2 + (col * 2 ^ (row % 8) << 4);
}

__device__ inline void ldsm4(uint32_t (&r)[4], uint32_t addr) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(addr));
}

__device__ inline void hmma(float (&c)[4], const uint32_t (&a)[4], uint32_t b0,
                            uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

template <Form form>
__device__ void multiply(const half *a, const half *b, float *c, int n, int k) {
  __shared__ __align__(128) half tileA[64 * kRow], tileB[32 * kRow];
  const uint32_t sa = __cvta_generic_to_shared(tileA), sb = __cvta_generic_to_shared(tileB);
  const int t = threadIdx.x, lane = t & 31, warp = t / 32;
  a += blockIdx.y * 64 * k;
  b += blockIdx.x * 32 * k;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < k; k0 += kRow) {
    for (int i = t; i < 64 * 8; i += 128)
      *(int4 *)((char *)tileA + at<form>(i / 8, i % 8 * 8)) =
          *(const int4 *)(a + i / 8 * k + k0 + i % 8 * 8);
    for (int i = t; i < 32 * 8; i += 128)
      *(int4 *)((char *)tileB + at<form>(i / 8, i % 8 * 8)) =
          *(const int4 *)(b + i / 8 * k + k0 + i % 8 * 8);
    __syncthreads();
    uint32_t step = sa + at<form>(warp * 16 + lane % 16, lane / 16 * 8);
#pragma unroll
    for (int kk = 0; kk < kRow / 16; kk++) {
      uint32_t ra[4], rb[4];
      if (form == walk) {
        ldsm4(ra, step);
        step ^= kk & 1 ? 0x60 : 0x20;
      } else if (form == branch) {
        int col = kk * 16;
        if (lane > 15)
          col += 8;
        ldsm4(ra, sa + at<form>(warp * 16 + lane % 16, col));
      } else {
        ldsm4(ra, sa + at<form>(warp * 16 + lane % 16, kk * 16 + lane / 16 * 8));
      }
#pragma unroll
      for (int j = 0; j < 4; j += 2) {
        ldsm4(rb, sb + at<form>(j * 8 + lane % 8 + lane / 16 * 8, kk * 16 + lane / 8 % 2 * 8));
        hmma(acc[j], ra, rb[0], rb[1]);
        hmma(acc[j + 1], ra, rb[2], rb[3]);
      }
    }
    __syncthreads();
  }
  c += (blockIdx.y * 64 + warp * 16 + lane / 4) * n + blockIdx.x * 32 + lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < 4; j++) {
    *(float2 *)(c + j * 8) = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)(c + j * 8 + 8 * n) = make_float2(acc[j][2], acc[j][3]);
  }
}

__global__ __launch_bounds__(128) void with_masks(const half *a, const half *b, float *c, int n,
                                                int k) {
  multiply<masks>(a, b, c, n, k);
}
__global__ __launch_bounds__(128) void with_whole(const half *a, const half *b, float *c, int n,
                                                int k) {
  multiply<whole>(a, b, c, n, k);
}
__global__ __launch_bounds__(128) void with_bound(const half *a, const half *b, float *c, int n,
                                                int k) {
  multiply<bound>(a, b, c, n, k);
}
__global__ __launch_bounds__(128) void with_branch(const half *a, const half *b, float *c, int n,
                                                int k) {
  multiply<branch>(a, b, c, n, k);
}
__global__ __launch_bounds__(128) void with_walk(const half *a, const half *b, float *c, int n,
                                                int k) {
  multiply<walk>(a, b, c, n, k);
}
