// A class whose objects know where their thread stands, and whose method puts both operands together from
// what it is handed: the row and the column are members, set once by the constructor.
//
// RUN: %prove --launch %S/built_by_method.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

template <int TilesM, int TilesN> class WarpTile {
public:
  __device__ explicit WarpTile(int lane) : row(lane >> 2), pair(lane & 3) {
    for (int i = 0; i < TilesM; ++i)
      for (int j = 0; j < TilesN; ++j)
        for (int e = 0; e < 4; ++e)
          sums[i][j][e] = 0.f;
  }
  // CHECK-LABEL: void step(
  // CHECK: lp::gather_a(a[i], [&, sA_ = sA](int givenLane, int warp, int i, int r) {
  // CHECK: const int row = givenLane >> 2;
  // CHECK: const int pair = givenLane & 3;
  // CHECK: lp::gather_b(b[j], [&, sB_ = sB](int givenLane, int warp,
  template <int LdA, int LdB> __device__ void step(const half *sA, const half *sB) {
    uint32_t a[TilesM][4], b[TilesN][2];
#pragma unroll
    for (int i = 0; i < TilesM; ++i) {
      a[i][0] = word(sA + (i * 16 + row) * LdA + pair * 2);
      a[i][1] = word(sA + (i * 16 + row + 8) * LdA + pair * 2);
      a[i][2] = word(sA + (i * 16 + row) * LdA + pair * 2 + 8);
      a[i][3] = word(sA + (i * 16 + row + 8) * LdA + pair * 2 + 8);
    }
#pragma unroll
    for (int j = 0; j < TilesN; ++j) {
      b[j][0] = word(sB + (j * 8 + row) * LdB + pair * 2);
      b[j][1] = word(sB + (j * 8 + row) * LdB + pair * 2 + 8);
    }
#pragma unroll
    for (int i = 0; i < TilesM; ++i)
#pragma unroll
      for (int j = 0; j < TilesN; ++j)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                     "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(sums[i][j][0]), "+f"(sums[i][j][1]), "+f"(sums[i][j][2]),
                       "+f"(sums[i][j][3])
                     : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j][0]),
                       "r"(b[j][1]));
  }
  __device__ void store(float *C, int ld) const {
    for (int i = 0; i < TilesM; ++i)
      for (int j = 0; j < TilesN; ++j)
        for (int h = 0; h < 2; ++h)
          *reinterpret_cast<float2 *>(C + (i * 16 + row + h * 8) * ld + j * 8 + pair * 2) =
              make_float2(sums[i][j][2 * h], sums[i][j][2 * h + 1]);
  }

private:
  static __device__ uint32_t word(const half *p) { return *reinterpret_cast<const uint32_t *>(p); }
  int row, pair;
  float sums[TilesM][TilesN][4];
};

__global__ void __launch_bounds__(128) multiply(const half *A, const half *B, float *C, int N, int K) {
  constexpr int kLd = 40;
  __shared__ __align__(16) half sA[64 * kLd], sB[64 * kLd];
  const int t = threadIdx.x, w = t / 32;
  WarpTile<2, 4> tile(t % 32);
  for (int k = 0; k < K; k += 32) {
    for (int v = t; v < 256; v += 128) {
      *(uint4 *)&sA[v / 4 * kLd + v % 4 * 8] =
          *(const uint4 *)&A[(blockIdx.y * 64 + v / 4) * K + k + v % 4 * 8];
      *(uint4 *)&sB[v / 4 * kLd + v % 4 * 8] =
          *(const uint4 *)&B[(blockIdx.x * 64 + v / 4) * K + k + v % 4 * 8];
    }
    __syncthreads();
    for (int i = 0; i < 32; i += 16)
      tile.step<kLd, kLd>(sA + w / 2 * 32 * kLd + i, sB + w % 2 * 32 * kLd + i);
    __syncthreads();
  }
  tile.store(C + (blockIdx.y * 64 + w / 2 * 32) * N + blockIdx.x * 64 + w % 2 * 32, N);
}
