// Functions that read a step's operands, handed what the thread is: rows of its warp, its lane,
// a place in shared memory that it made itself. Registers of one step are multiplied while those
// of the next are read; the functions are handed the one half of them or the other.
//
// RUN: %prove --launch %S/handed.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
#include <cuda_fp16.h>
#include <stdint.h>

constexpr int kDepth = 64, kRows = 64, kColumns = 32;

__device__ __forceinline__ uint32_t swizzled(uint32_t base, int row, int column) {
  return base + (row * kDepth + (column ^ (row & 7) << 3)) * 2;
}

__device__ __forceinline__ void ldsm4(uint32_t *r, uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}

__device__ __forceinline__ void ldsm2(uint32_t *r, uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];\n"
               : "=r"(r[0]), "=r"(r[1]) : "r"(at));
}

__device__ __forceinline__ void mma(float *d, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Two tiles of A from row `row` on, for lane `lane`.
__device__ __forceinline__ void readA(uint32_t (*a)[4], uint32_t tile, int row, int step,
                                      int lane) {
#pragma unroll
  for (int i = 0; i < 2; ++i)
    ldsm4(a[i], swizzled(tile, row + i * 16 + lane % 16, step * 16 + lane / 16 * 8));
}

// Four tiles of B; `place` is the thread's own.
__device__ __forceinline__ void readB(uint32_t (&b)[4][2], uint32_t place, int step) {
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const uint32_t row = place + j * 8 * kDepth * 2;
    const uint32_t turn = row / (kDepth * 2) & 7;
    ldsm2(b[j], row + ((step * 16 + (threadIdx.x & 8)) ^ turn << 3) * 2);
  }
}

__global__ void __launch_bounds__(64) handed(const half *A, const half *B, float *C, int M, int N, int K) {
  __shared__ __align__(1024) half sA[kRows * kDepth], sB[kColumns * kDepth];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const uint32_t baseA = static_cast<uint32_t>(__cvta_generic_to_shared(sA));
  const uint32_t baseB = static_cast<uint32_t>(__cvta_generic_to_shared(sB));
  uint32_t a[2][2][4], b[2][4][2];
  float c[2][4][4] = {};
  for (int k0 = 0; k0 < K; k0 += kDepth) {
    for (int i = threadIdx.x; i < kRows * kDepth / 8; i += blockDim.x) {
      const int row = i / 8, chunk = i % 8;
      *reinterpret_cast<uint4 *>(sA + row * kDepth + (chunk ^ row & 7) * 8) =
          *reinterpret_cast<const uint4 *>(A + (blockIdx.y * kRows + row) * K + k0 + chunk * 8);
    }
    for (int i = threadIdx.x; i < kColumns * kDepth / 8; i += blockDim.x) {
      const int row = i / 8, chunk = i % 8;
      *reinterpret_cast<uint4 *>(sB + row * kDepth + (chunk ^ row & 7) * 8) =
          *reinterpret_cast<const uint4 *>(B + (blockIdx.x * kColumns + row) * K + k0 + chunk * 8);
    }
    __syncthreads();
    readA(a[0], baseA, warp * 32, 0, lane);
    readB(b[0], baseB + (lane & 7) * kDepth * 2, 0);
#pragma unroll
    for (int step = 0; step < kDepth / 16; ++step) {
      if (step + 1 < kDepth / 16) {
        readA(a[(step + 1) % 2], baseA, warp * 32, step + 1, lane);
        readB(b[(step + 1) % 2], baseB + (lane & 7) * kDepth * 2, step + 1);
      }
      const uint32_t(*now)[4] = a[step % 2];
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          mma(c[i][j], now[i], b[step % 2][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) {
      float *to = C + (blockIdx.y * kRows + warp * 32 + i * 16 + lane / 4) * N + blockIdx.x * kColumns +
                  j * 8 + lane % 4 * 2;
      *reinterpret_cast<float2 *>(to) = make_float2(c[i][j][0], c[i][j][1]);
      *reinterpret_cast<float2 *>(to + 8 * N) = make_float2(c[i][j][2], c[i][j][3]);
    }
}
