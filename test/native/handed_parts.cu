// Functions that are handed an array of a struct's, of one that is chosen by its number, too; and
// names of a class template's constants in a kernel that is a template itself.
//
// RUN: %prove --launch %S/handed_parts.yaml 2>&1 | FileCheck --check-prefix=HOLDS %s
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

// What is made of four bytes of a word is tested, not proved.
// HOLDS-NOT: is not native
// HOLDS: compiled: gfx90a yes gfx942 yes gfx950 yes
// HOLDS: verify gfx90a: tested:
// HOLDS: verify gfx942: tested:
// HOLDS: verify gfx950: tested:

struct Fragments {
  uint32_t x[2][4];
  half2 gate[4][2];
  half2 up[4][2];
};

__device__ __forceinline__ void ldsm4(uint32_t at, uint32_t &r0, uint32_t &r1, uint32_t &r2,
                                      uint32_t &r3) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(at));
}
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const half2 (&b)[2]) {
  const uint32_t *words = reinterpret_cast<const uint32_t *>(b);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(words[0]), "r"(words[1]));
}

// CHECK-LABEL: void weights(
// CHECK: lp::load_b_tiles(w[j], w[j + 1], [&]
__device__ __forceinline__ void weights(uint32_t tile, int lane, int k, half2 (&w)[4][2]) {
  for (int j = 0; j < 4; j += 2) {
    const int row = j * 8 + (lane & 7) + ((lane & 16) >> 1);
    ldsm4(tile + row * 80 + k * 32 + (lane >> 3 & 1) * 16,
          *reinterpret_cast<uint32_t *>(&w[j][0]), *reinterpret_cast<uint32_t *>(&w[j][1]),
          *reinterpret_cast<uint32_t *>(&w[j + 1][0]), *reinterpret_cast<uint32_t *>(&w[j + 1][1]));
  }
}
// CHECK-LABEL: void fragments(
// CHECK: lp::load_a(f.x[i], [&]
// CHECK: weights(base + 64 * 80, lane, k, f.gate);
__device__ __forceinline__ void fragments(uint32_t base, int warp, int lane, int k, Fragments &f) {
#pragma unroll
  for (int i = 0; i < 2; ++i)
    ldsm4(base + (warp * 32 + i * 16 + (lane & 15)) * 80 + k * 32 + (lane >> 4) * 16, f.x[i][0],
          f.x[i][1], f.x[i][2], f.x[i][3]);
  weights(base + 64 * 80, lane, k, f.gate);
  weights(base + 96 * 80, lane, k, f.up);
}

// CHECK-LABEL: twoSums(
// CHECK: fragments(base, warp, lane, k + 1, f[(k + 1) & 1]);
// CHECK: lp::mma_m16n8k16_f32_f16_wave(gate[i][j & ~3], {{.*}}, f[k & 1].x[i], f[k & 1].gate[j & ~1], f[k & 1].gate[j | 1], j % 4 == 3);
__global__ void __launch_bounds__(64)
twoSums(const half *X, const half *G, const half *U, float *Y) {
  __shared__ __align__(16) half rows[128][40];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int e = threadIdx.x; e < 128 * 32; e += 64) {
    const int row = e / 32, k = e % 32;
    rows[row][k] = row < 64 ? X[row * 32 + k] : row < 96 ? G[(row - 64) * 32 + k]
                                                         : U[(row - 96) * 32 + k];
  }
  __syncthreads();
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(&rows[0][0]);
  float gate[2][4][4] = {}, up[2][4][4] = {};
  Fragments f[2];
  fragments(base, warp, lane, 0, f[0]);
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    if (k + 1 < 2)
      fragments(base, warp, lane, k + 1, f[(k + 1) & 1]);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j) {
        mma(gate[i][j], f[k & 1].x[i], f[k & 1].gate[j]);
        mma(up[i][j], f[k & 1].x[i], f[k & 1].up[j]);
      }
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) {
      float *y = Y + (warp * 32 + i * 16 + lane / 4) * 32 + j * 8 + lane % 4 * 2;
      y[0] = gate[i][j][0] * up[i][j][0];
      y[1] = gate[i][j][1] * up[i][j][1];
      y[8 * 32] = gate[i][j][2] * up[i][j][2];
      y[8 * 32 + 1] = gate[i][j][3] * up[i][j][3];
    }
}

template <int Rows, int Words, class T> struct Tile {
  static constexpr int I = Rows, J = Words, count = Rows * Words / 32;
  T x[count] = {0};
};
template <class T>
__device__ __forceinline__ void load(Tile<16, 8, T> &t, const T *tile, int stride) {
  int *words = (int *)t.x;
  const int *row = (const int *)tile + threadIdx.x % t.I * stride + threadIdx.x / t.I * (t.J / 2);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3]) : "l"(row));
}
template <class T>
__device__ __forceinline__ void load(Tile<8, 8, T> &t, const T *tile, int stride) {
  int *words = (int *)t.x;
  const int *row =
      (const int *)tile + threadIdx.x % t.I * stride + threadIdx.x / t.I * (t.J / 2) % t.J;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.b16 {%0,%1}, [%2];"
               : "=r"(words[0]), "=r"(words[1]) : "l"(row));
}

// CHECK-LABEL: ofTemplate(
// CHECK: lp::load_a_2(A.x, [&](int lane, int warp) {
// CHECK: const auto tile = sx + warp * TileA::I * stride;
// CHECK: lane % A.I * stride + lane / A.I * (A.J / 2)
template <bool Scaled>
__global__ void __launch_bounds__(64) ofTemplate(const int *x, const int *y, int *out, int scale) {
  typedef Tile<16, 8, int> TileA;
  typedef Tile<8, 8, int> TileB;
  constexpr int stride = 12;
  __shared__ __align__(16) int sx[32 * stride], sy[16 * stride];
  for (int e = threadIdx.y * 32 + threadIdx.x; e < 32 * 8; e += 64) {
    sx[e / 8 * stride + e % 8] = x[e];
    if (e < 16 * 8)
      sy[e / 8 * stride + e % 8] = y[e];
  }
  __syncthreads();
  TileA A;
  load(A, sx + threadIdx.y * TileA::I * stride, stride);
  for (int j = 0; j < 2; ++j) {
    TileB B;
    load(B, sy + j * TileB::I * stride, stride);
    Tile<16, 8, int> C;
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+r"(C.x[0]), "+r"(C.x[1]), "+r"(C.x[2]), "+r"(C.x[3])
        : "r"(A.x[0]), "r"(A.x[1]), "r"(A.x[2]), "r"(A.x[3]), "r"(B.x[0]), "r"(B.x[1]));
    for (int l = 0; l < C.count; ++l) {
      const int row = threadIdx.y * 16 + l / 2 * 8 + threadIdx.x / 4;
      out[row * 16 + j * 8 + threadIdx.x % 4 * 2 + l % 2] = Scaled ? C.x[l] * scale : C.x[l];
    }
  }
}
template __global__ void ofTemplate<true>(const int *, const int *, int *, int);
template __global__ void ofTemplate<false>(const int *, const int *, int *, int);
