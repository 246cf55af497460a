// A kernel of helpers: a class owns the fragments, lambdas load them, macros spell the asm
// and count in NVIDIA's own words; sums in "=r" words although they are f32.
//
// RUN: %prove --launch %S/helpers.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define DIV_UP(a, b) (((a) + (b) - 1) / (b))
#define FULL_MASK 0xffffffffu
#define PTX_MMA(shape, types) "mma.sync.aligned." shape ".row.col." types " "

using Reg = unsigned;

__device__ __forceinline__ int laneIndex() {
  int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

class WarpTile {
public:
  __device__ WarpTile() {
#pragma unroll
    for (int i = 0; i < 8; ++i)
      sum_[i] = 0u; // the bits of 0.f
  }
  __device__ void step(const Reg (&a)[4], const Reg (&b)[4]) {
    half0(a, b);
    asm volatile(PTX_MMA("m16n8k16", "f32.f16.f16.f32")
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
                 : "=r"(sum_[4]), "=r"(sum_[5]), "=r"(sum_[6]), "=r"(sum_[7])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[2]), "r"(b[3]), "r"(sum_[4]),
                   "r"(sum_[5]), "r"(sum_[6]), "r"(sum_[7]));
  }
  template <typename Visit> __device__ void each(Visit visit) const {
    const int lane = laneIndex();
#pragma unroll
    for (int j = 0; j < 2; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        visit(lane / 4 + (e > 1 ? 8 : 0), j * 8 + lane % 4 * 2 + (e & 1),
              __uint_as_float(sum_[j * 4 + e]));
  }

private:
  __device__ void half0(const Reg *a, const Reg *b) {
    asm volatile(PTX_MMA("m16n8k16", "f32.f16.f16.f32")
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
                 : "=r"(sum_[0]), "=r"(sum_[1]), "=r"(sum_[2]), "=r"(sum_[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(sum_[0]),
                   "r"(sum_[1]), "r"(sum_[2]), "r"(sum_[3]));
  }
  Reg sum_[8];
};

__device__ __noinline__ void fillRows(__half *to, const __half *from, int rows, int pitch) {
  for (int i = threadIdx.x; i < rows * 2; i += blockDim.x)
    reinterpret_cast<uint4 *>(to)[i] =
        *reinterpret_cast<const uint4 *>(from + i / 2 * pitch + i % 2 * 8);
}

__global__ void __launch_bounds__(64) helpers(const __half *A, const __half *B, float *C, int M, int N, int K) {
  __shared__ uint4 sharedA[32 * 2], sharedB[16 * 2];
  auto *a = reinterpret_cast<__half *>(sharedA), *b = reinterpret_cast<__half *>(sharedB);
  const int warp = threadIdx.x >> 5;
  auto ldsm = [](Reg(&r)[4], const __half *p) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"((Reg)__cvta_generic_to_shared(p)) : "memory");
  };
  WarpTile tile;
  const int steps = DIV_UP(K, 16);
  for (int s = 0; s < steps; ++s) {
    fillRows(a, A + blockIdx.y * 32 * K + s * 16, 32, K);
    fillRows(b, B + blockIdx.x * 16 * K + s * 16, 16, K);
    __syncthreads();
    const int lane = laneIndex();
    Reg fa[4], fb[4];
    ldsm(fa, a + (warp * 16 + (lane & 15)) * 16 + (lane >> 4 << 3));
    ldsm(fb, b + ((lane & 7) + (lane >> 4 << 3)) * 16 + (lane & 8));
    tile.step(fa, fb);
    __syncthreads();
  }
  float *c = C + (blockIdx.y * 32 + warp * 16) * N + blockIdx.x * 16;
  tile.each([=](int row, int col, float value) { c[row * N + col] = value; });
}
