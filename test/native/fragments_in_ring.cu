// A ring of three stages whose fragments are an object of two, read and multiplied by its methods:
// the next slice's are read while this one's are multiplied, across the border between two stages,
// too.
//
// RUN: %prove --launch %S/fragments_in_ring.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
//
// CHECK: void multiply(float (&acc)[2][4][4]
// CHECK: lp::mma_m16n8k16_f32_f16
// CHECK: Fragments f[2];
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kM = 64, kN = 64, kK = 32;
constexpr int kStages = 3;
constexpr int kSlices = kK / 16; // even, so that the parity of a slice does not depend on the stage
constexpr int kBytesA = kM * kK * 2;
constexpr int kBytesB = kK * kN * 2;
constexpr int kStageBytes = kBytesA + kBytesB;

__device__ __forceinline__ void copy16(uint32_t to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
}

__device__ __forceinline__ void close() { asm volatile("cp.async.commit_group;\n" ::); }

template <int Left> __device__ __forceinline__ void settle() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(Left));
  __syncthreads();
}

// A stage of A: 64 bytes a row, four chunks, moved by every second row.
__device__ __forceinline__ uint32_t inA(uint32_t row, uint32_t chunk) {
  return row * 64 + (((row >> 1 & 3) ^ chunk) * 16);
}
// A stage of B: 128 bytes a row, eight chunks.
__device__ __forceinline__ uint32_t inB(uint32_t row, uint32_t chunk) {
  return row * 128 + (((row & 7) ^ chunk) * 16);
}

struct Fragments {
  uint32_t a[2][4];
  uint32_t b[4][2];

  __device__ __forceinline__ void load(uint32_t stage, uint32_t slice, uint32_t lane, uint32_t wm,
                                       uint32_t wn) {
    for (uint32_t i = 0; i < 2; ++i)
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                   : "=r"(a[i][0]), "=r"(a[i][1]), "=r"(a[i][2]), "=r"(a[i][3])
                   : "r"(stage + inA(wm * 32 + i * 16 + (lane & 15), slice * 2 + (lane >> 4))));
    for (uint32_t j = 0; j < 2; ++j)
      asm volatile(
          "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];\n"
          : "=r"(b[2 * j][0]), "=r"(b[2 * j][1]), "=r"(b[2 * j + 1][0]), "=r"(b[2 * j + 1][1])
          : "r"(stage + kBytesA + inB(slice * 16 + (lane & 15), wn * 4 + j * 2 + (lane >> 4))));
  }

  __device__ __forceinline__ void multiply(float (&acc)[2][4][4]) const {
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j)
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, {%10,%11,%12,%13};\n"
            : "=f"(acc[i][j][0]), "=f"(acc[i][j][1]), "=f"(acc[i][j][2]), "=f"(acc[i][j][3])
            : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j][0]), "r"(b[j][1]),
              "f"(acc[i][j][0]), "f"(acc[i][j][1]), "f"(acc[i][j][2]), "f"(acc[i][j][3]));
  }
};

struct Filler {
  const half *A, *B;
  int N, K, m0, n0;
  uint32_t pool;

  __device__ __forceinline__ void operator()(int step) const {
    const uint32_t stage = pool + step % kStages * kStageBytes;
    const int k0 = step * kK;
    for (int i = threadIdx.x; i < kM * 4; i += 128) {
      const int r = i >> 2, c = i & 3;
      copy16(stage + inA(r, c), A + (m0 + r) * K + k0 + c * 8);
    }
    for (int i = threadIdx.x; i < kK * 8; i += 128) {
      const int r = i >> 3, c = i & 7;
      copy16(stage + kBytesA + inB(r, c), B + (k0 + r) * N + n0 + c * 8);
    }
  }
};

__global__ void __launch_bounds__(128) gemm(const half *A, const half *B, float *C, int N, int K) {
  extern __shared__ __align__(128) unsigned char dynamic[];

  const uint32_t lane = threadIdx.x & 31, wm = threadIdx.x >> 5 & 1, wn = threadIdx.x >> 6;
  const int nTiles = N / kN;
  const int m0 = blockIdx.x / nTiles * kM, n0 = blockIdx.x % nTiles * kN;
  const uint32_t pool = static_cast<uint32_t>(__cvta_generic_to_shared(dynamic));
  const Filler fill{A, B, N, K, m0, n0, pool};

  const int steps = K / kK;
  float acc[2][4][4] = {};
  Fragments f[2];

  for (int s = 0; s < kStages - 1; ++s) {
    if (s < steps)
      fill(s);
    close();
  }
  settle<kStages - 2>();
  f[0].load(pool, 0, lane, wm, wn);

  uint32_t stage = 0; // of the step being multiplied, in bytes
  for (int step = 0; step < steps; ++step) {
    for (int slice = 0; slice < kSlices; ++slice) {
      if (slice == 0) {
        // the stage of the step before: everyone passed the barrier after its last read
        if (step + kStages - 1 < steps)
          fill(step + kStages - 1);
        close();
      }
      if (slice + 1 < kSlices) {
        f[(slice + 1) & 1].load(pool + stage, slice + 1, lane, wm, wn);
      } else {
        stage = stage + kStageBytes == kStages * kStageBytes ? 0 : stage + kStageBytes;
        settle<kStages - 2>();
        if (step + 1 < steps)
          f[(slice + 1) & 1].load(pool + stage, 0, lane, wm, wn);
      }
      f[slice & 1].multiply(acc);
    }
  }

  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) {
      const int m = m0 + wm * 32 + i * 16 + (lane >> 2);
      const int n = n0 + wn * 32 + j * 8 + (lane & 3) * 2;
      *reinterpret_cast<float2 *>(C + m * N + n) = make_float2(acc[i][j][0], acc[i][j][1]);
      *reinterpret_cast<float2 *>(C + (m + 8) * N + n) = make_float2(acc[i][j][2], acc[i][j][3]);
    }
}
