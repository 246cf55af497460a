// Warps that return at once, each on its own, because there are more of them than tiles: one whose
// neighbour in the wave stays does as that one.
//
// RUN: %prove --launch %S/leaving.yaml 2>&1 | FileCheck %S/Inputs/native_halves_proved.txt
// RUN: %ported %t.hip | FileCheck %s --check-prefix=TEXT
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ uint32_t word(const half *p) { return *(const uint32_t *)p; }

// TEXT-LABEL: rowTiles(
// TEXT-NEXT: lp::require_one_row();
// TEXT-NEXT: // Of the wave's two warps, one that leaves alone does as the other.
// TEXT-NEXT: const lp::staying stays([&](int, int warp) {
// TEXT-NEXT:   const int m0 = (blockIdx.x * 4 + warp) * 16;
// TEXT-NEXT:   return m0 >= M;
// TEXT-NEXT: });
// TEXT-NEXT: const int lane = threadIdx.x % 32, warp = stays.thread() / 32;
// TEXT: if (m0 >= M)
// TEXT-NEXT: return;
// TEXT: lp::gather_a(a, [&](int lane, int own, int {{.*}}) {
// TEXT-NEXT: const int warp = stays(own);
// TEXT: lp::each_pair(acc[j], j, [&](int lane, int own, int j,
// TEXT: const int warp = stays(own);
__global__ void __launch_bounds__(128)
    rowTiles(const half *A, const half *B, float *C, int M, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int m0 = (blockIdx.x * 4 + warp) * 16;
  if (m0 >= M)
    return;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    const half *p = A + (m0 + lane / 4) * K + k + lane % 4 * 2;
    uint32_t a[4];
    a[0] = word(p);
    a[1] = word(p + 8 * K);
    a[2] = word(p + 8);
    a[3] = word(p + 8 * K + 8);
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + lane / 4) * K + k + lane % 4 * 2;
      mma(acc[j], a, word(q), word(q + 8));
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(m0 + lane / 4 + e / 2 * 8) * N + j * 8 + lane % 4 * 2 + e % 2] = acc[j][e];
}

// The number of the warp in the whole grid, and a bound that the kernel computes itself. What is
// staged in shared memory is each warp's own.
// TEXT-LABEL: staged(
// TEXT: const lp::staying stays([&](int lane, int warp) {
// TEXT: const int tiles = (M + 15) / 16;
// TEXT: return w >= tiles;
// TEXT-NEXT: });
// TEXT: const int thread = blockIdx.x * blockDim.x + stays.thread();
__global__ void __launch_bounds__(192) staged(const half *A, const half *B, float *C, int M, int K) {
  __shared__ __align__(16) half s[6][16][24];
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int w = thread >> 5, lane = threadIdx.x & 31, mine = threadIdx.x / 32;
  const int tiles = (M + 15) / 16;
  if (w >= tiles)
    return;
  if (!B)
    return;
  float acc[3][4] = {};
  for (int k = 0; k < K; k += 16) {
    __syncwarp();
    *(uint4 *)&s[mine][lane / 2][lane % 2 * 8] = *(const uint4 *)&A[(w * 16 + lane / 2) * K + k + lane % 2 * 8];
    __syncwarp();
    uint32_t a[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(&s[mine][lane % 16][lane / 16 * 8])));
    for (int j = 0; j < 3; ++j) {
      const half *q = B + (j * 8 + lane / 4) * K + k + lane % 4 * 2;
      mma(acc[j], a, word(q), word(q + 8));
    }
  }
  for (int j = 0; j < 3; ++j) {
    float *c = C + (w * 16 + lane / 4) * 24 + j * 8 + lane % 4 * 2;
    *(float2 *)c = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)(c + 8 * 24) = make_float2(acc[j][2], acc[j][3]);
  }
}

// Rows of the block are warps, and what stays is said instead of what leaves.
// TEXT-LABEL: columns(
// TEXT: lp::require_warp_rows();
// TEXT: const lp::staying stays([&](int, int warp) {
// TEXT: return !(n0 < N);
// TEXT: const int n0 = (blockIdx.x * blockDim.y + stays.row()) * 8;
__global__ void columns(const half *A, const half *B, float *C, int N, int K) {
  const int n0 = (blockIdx.x * blockDim.y + threadIdx.y) * 8;
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  if (n0 < N) {
    float acc[4] = {};
    for (int k = 0; k < K; k += 16) {
      const half *p = A + g * K + k + t * 2, *q = B + (n0 + g) * K + k + t * 2;
      const uint32_t a[4] = {word(p), word(p + 8 * K), word(p + 8), word(p + 8 * K + 8)};
      mma(acc, a, word(q), word(q + 8));
    }
    *(float2 *)&C[g * N + n0 + t * 2] = make_float2(acc[0], acc[1]);
    *(float2 *)&C[(g + 8) * N + n0 + t * 2] = make_float2(acc[2], acc[3]);
  }
}

// What stands in methods speaks of the lane alone, where rows are warps.
struct Rows {
  uint32_t reg[4];
  __device__ void load(const half *p, int ld) {
    const half *q = p + threadIdx.x / 4 * ld + threadIdx.x % 4 * 2;
    reg[0] = word(q);
    reg[1] = word(q + 8 * ld);
    reg[2] = word(q + 8);
    reg[3] = word(q + 8 * ld + 8);
  }
};

// TEXT-LABEL: batch(
// TEXT: const lp::staying stays([&](int, int warp) {
// TEXT: const int which = blockIdx.x * blockDim.y + stays.row();
__global__ void __launch_bounds__(128) batch(const half *A, const half *B, float *C, int count) {
  const int which = blockIdx.x * blockDim.y + threadIdx.y;
  if (which >= count)
    return;
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  Rows a;
  a.load(A + which * 256, 16);
  for (int j = 0; j < 2; ++j) {
    const half *q = B + which * 256 + (j * 8 + g) * 16 + t * 2;
    float acc[4] = {};
    mma(acc, a.reg, word(q), word(q + 8));
    for (int e = 0; e < 4; ++e)
      C[which * 256 + (g + e / 2 * 8) * 16 + j * 8 + t * 2 + e % 2] = acc[e];
  }
}
