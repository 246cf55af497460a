// Register tiles of 16 x 16 as ThunderKittens has them: a struct of vectors, two n8 tiles in one,
// whose registers of B alternate; tiles are a member of what holds several, and one function reads
// both operands.
//
// RUN: %prove --launch %S/register_tiles.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

using bf16 = __nv_bfloat16;
using bf16_2 = __nv_bfloat162;
constexpr int kPitch = 40;

template <typename T2> struct rt_base {
  T2 data[4];
};
template <typename T2, int H, int W> struct rt {
  rt_base<T2> tiles[H][W];
};

__device__ inline void hmma16816(float2 &d0, float2 &d1, const bf16_2 &a0, const bf16_2 &a1,
                                 const bf16_2 &a2, const bf16_2 &a3, const bf16_2 &b0,
                                 const bf16_2 &b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
               "{%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
               : "+f"(d0.x), "+f"(d0.y), "+f"(d1.x), "+f"(d1.y)
               : "r"(*(uint32_t *)(&a0)), "r"(*(uint32_t *)(&a1)), "r"(*(uint32_t *)(&a2)),
                 "r"(*(uint32_t *)(&a3)), "r"(*(uint32_t *)(&b0)), "r"(*(uint32_t *)(&b1)),
                 "f"(d0.x), "f"(d0.y), "f"(d1.x), "f"(d1.y));
}
__device__ inline void mma_base(rt_base<float2> &d, const rt_base<bf16_2> &a,
                                const rt_base<bf16_2> &b) {
  hmma16816(d.data[0], d.data[1], a.data[0], a.data[1], a.data[2], a.data[3], b.data[0], b.data[2]);
  hmma16816(d.data[2], d.data[3], a.data[0], a.data[1], a.data[2], a.data[3], b.data[1], b.data[3]);
}
// CHECK: if constexpr (H == 1) {
// CHECK-NEXT: lp::load_a(dst.tiles[i][j].data,
// CHECK: } else {
// CHECK-NEXT: lp::load_b_tiles(lp::tile<__hip_bfloat162, 2>(dst.tiles,
template <int H, int W>
__device__ inline void load(rt<bf16_2, H, W> &dst, const bf16 (*src)[kPitch]) {
  for (int i = 0; i < H; ++i)
    for (int j = 0; j < W; ++j) {
      bf16_2 *d = dst.tiles[i][j].data;
      const uint32_t p = (uint32_t)__cvta_generic_to_shared(
          &src[i * 16 + threadIdx.x % 16][j * 16 + threadIdx.x % 32 / 16 * 8]);
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(*(uint32_t *)&d[0]), "=r"(*(uint32_t *)&d[1]),
                     "=r"(*(uint32_t *)&d[2]), "=r"(*(uint32_t *)&d[3])
                   : "r"(p)
                   : "memory");
    }
}
template <int H, int W>
__device__ inline void store(float *to, const rt<float2, H, W> &src, int lane) {
  for (int i = 0; i < H; ++i)
    for (int j = 0; j < W; ++j)
      for (int k = 0; k < 4; ++k) {
        const int r = i * 16 + lane / 4 + (k & 1) * 8, c = j * 16 + lane % 4 * 2 + (k >> 1) * 8;
        to[r * 32 + c] = src.tiles[i][j].data[k].x;
        to[r * 32 + c + 1] = src.tiles[i][j].data[k].y;
      }
}
__device__ void fill(bf16 (*a)[kPitch], bf16 (*b)[kPitch], const bf16 *A, const bf16 *B, int K,
                     int k) {
  __syncthreads();
  for (int i = threadIdx.x; i < 32 * 32; i += 64) {
    a[i / 32][i % 32] = A[i / 32 * K + k + i % 32];
    b[i / 32][i % 32] = B[i / 32 * K + k + i % 32];
  }
  __syncthreads();
}
#define SETUP                                                                                      \
  __shared__ __align__(16) bf16 a_s[32][kPitch], b_s[32][kPitch];                                  \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32

// Both warps take all of B: its two tiles share an MFMA.
// CHECK-LABEL: sharedB(
// CHECK: lp::mma_m16n8k16_f32_bf16_two_steps_wave(lp::tile<float, 4>(c.tiles, j * 2), lp::tile<float, 4>(c.tiles, j * 2 + 1),
// CHECK: lp::to_warp_layout(lp::tile<float, 4>(c.tiles, i));
__global__ void __launch_bounds__(64) sharedB(const bf16 *A, const bf16 *B, float *C, int K) {
  SETUP;
  rt<float2, 1, 2> c{};
  for (int k = 0; k < K; k += 32) {
    fill(a_s, b_s, A, B, K, k);
    rt<bf16_2, 1, 2> a;
    rt<bf16_2, 2, 2> b;
    load(a, a_s + warp * 16);
    load(b, b_s);
    for (int j = 0; j < 2; ++j)
      for (int s = 0; s < 2; ++s)
        mma_base(c.tiles[0][j], a.tiles[0][s], b.tiles[j][s]);
  }
  store(C + warp * 16 * 32, c, lane);
}

