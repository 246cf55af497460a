// One loop over tiles of two dimensions, t / 2 and t % 2: products, operands and the epilogue that
// are numbered so, and an object of the place in a list of tiles that refers to what the kernel is
// launched with.
//
// RUN: %prove --launch %S/tile_digits.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s --check-prefix=TEXT
// TEXT-NOT: to_warp_layout(acc
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

struct Problem {
  int rows, columns, depth;
};
struct Places {
  const Problem &problem;
  int tile, wide;
  __device__ explicit Places(const Problem &p)
      : problem(p), tile(blockIdx.x), wide(p.columns / 64) {}
  __device__ bool areLeft() const { return tile < problem.rows / 32 * wide; }
  __device__ void next() { tile += gridDim.x; }
};

__device__ __forceinline__ void ldsm4(uint32_t *r, const half *p) {
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

// The warps of a wave have one A: each tile is a product by itself.
// TEXT-LABEL: columns(
// TEXT: lp::mfma_f16_steps_held held[2][2];
// TEXT: for (int t = 0; t < 4; ++t) {
// TEXT-NOT: float (&d)[4]
// TEXT: lp::mma_m16n8k16_f32_f16_steps_wave(acc[t / 2][t % 2], fa[t / 2], lp::tile<unsigned int, 2>(fb, t % 2), held[t / 2][t % 2], kk / 16);
// TEXT: for (int t = 0; t < 4; ++t)
// TEXT: lp::each_pair(acc[t / 2][t % 2], [&](int lane, int lower, const auto &v) {
// TEXT: const int r = t / 2 * 16 + lane / 4 + h * 8;
__global__ void __launch_bounds__(128)
    columns(const half *A, const half *B, half *C, Problem problem) {
  __shared__ __align__(16) half sA[32 * 40], sB[64 * 40];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int K = problem.depth, N = problem.columns;
  for (Places places(problem); places.areLeft(); places.next()) {
    const int bm = places.tile / places.wide * 32, bn = places.tile % places.wide * 64;
    const int rows = problem.rows - bm;
    float acc[2][2][4] = {};
    for (int k = 0; k < K; k += 32) {
      __syncthreads();
      if (threadIdx.x / 4 < rows)
        *(uint4 *)&sA[threadIdx.x / 4 * 40 + threadIdx.x % 4 * 8] =
            *(const uint4 *)&A[(bm + threadIdx.x / 4) * K + k + threadIdx.x % 4 * 8];
      for (int i = threadIdx.x; i < 64 * 4; i += 128)
        *(uint4 *)&sB[i / 4 * 40 + i % 4 * 8] =
            *(const uint4 *)&B[(bn + i / 4) * K + k + i % 4 * 8];
      __syncthreads();
#pragma unroll
      for (int kk = 0; kk < 32; kk += 16) {
        uint32_t fa[2][4], fb[4];
        ldsm4(fa[0], &sA[lane % 16 * 40 + kk + lane / 16 * 8]);
        ldsm4(fa[1], &sA[(16 + lane % 16) * 40 + kk + lane / 16 * 8]);
        ldsm4(fb, &sB[(warp * 16 + lane / 16 * 8 + lane % 8) * 40 + kk + lane / 8 % 2 * 8]);
#pragma unroll
        for (int t = 0; t < 4; ++t) {
          float(&d)[4] = acc[t / 2][t % 2];
          mma(d, fa[t / 2], fb[t % 2 * 2], fb[t % 2 * 2 + 1]);
        }
      }
    }
    half *c = C + bm * N + bn + warp * 16;
#pragma unroll
    for (int t = 0; t < 4; ++t)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const int r = t / 2 * 16 + lane / 4 + h * 8;
        if (r < rows)
          *(half2 *)&c[r * N + t % 2 * 8 + lane % 4 * 2] =
              __floats2half2_rn(acc[t / 2][t % 2][2 * h], acc[t / 2][t % 2][2 * h + 1]);
      }
  }
}

// They have one B: two tiles share an MFMA, and a lane of the epilogue acts for another t, whose
// lower digit is another tile along n.
// TEXT-LABEL: rows(
// TEXT: lp::mma_m16n8k16_f32_f16_wave(acc[t >> 2][(t & 3) & ~3], {{.*}}, fa[t >> 2], fb[(t & 3) & ~1], fb[(t & 3) | 1], (t & 3) % 4 == 3);
// TEXT: lp::each_pair_2(acc[t >> 2][t & 3], [&](int lane, int warp, int lower, const auto &v) {
// TEXT: const int column = (t & 3) * 8 + lane % 4 * 2;
__global__ void __launch_bounds__(64) rows(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half sA[64 * 40], sB[32 * 40];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[2][4][4] = {};
  for (int k = 0; k < K; k += 32) {
    __syncthreads();
    for (int i = threadIdx.x; i < 64 * 4; i += 64)
      *(uint4 *)&sA[i / 4 * 40 + i % 4 * 8] = *(const uint4 *)&A[i / 4 * K + k + i % 4 * 8];
    for (int i = threadIdx.x; i < 32 * 4; i += 64)
      *(uint4 *)&sB[i / 4 * 40 + i % 4 * 8] = *(const uint4 *)&B[i / 4 * K + k + i % 4 * 8];
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t fa[2][4], fb[4][2];
      for (int i = 0; i < 2; ++i)
        ldsm4(fa[i], &sA[(warp * 32 + i * 16 + lane % 16) * 40 + kk + lane / 16 * 8]);
      for (int j = 0; j < 4; ++j)
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                     : "=r"(fb[j][0]), "=r"(fb[j][1])
                     : "r"((uint32_t)__cvta_generic_to_shared(
                         &sB[(j * 8 + lane % 8) * 40 + kk + lane / 8 % 2 * 8])));
      for (int t = 0; t < 8; ++t)
        mma(acc[t >> 2][t & 3], fa[t >> 2], fb[t & 3][0], fb[t & 3][1]);
    }
  }
  for (int t = 0; t < 8; ++t) {
    const int column = (t & 3) * 8 + lane % 4 * 2;
    float *c = C + (warp * 32 + (t >> 2) * 16 + lane / 4) * 32 + column;
    *(float2 *)c = make_float2(acc[t >> 2][t & 3][0], acc[t >> 2][t & 3][1]);
    *(float2 *)(c + 8 * 32) = make_float2(acc[t >> 2][t & 3][2], acc[t >> 2][t & 3][3]);
  }
}
