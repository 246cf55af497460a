// Classes that keep their registers to themselves: what multiplies and loads them stands in the
// kernel now, so they are opened; accessors by value go.
//
// RUN: %prove --launch %S/private_registers.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.one.hip --target gfx942
// RUN: %ported %t.one.hip | FileCheck %s
// CHECK-LABEL: class FragmentA {
// CHECK: public:
// CHECK: public:
// CHECK-NEXT: uint32_t regs_[4];
// CHECK-LABEL: class Accumulator {
// CHECK: public:
// CHECK: public:
// CHECK-NEXT: float v_[4];
#include <cstdint>
#include <cuda_fp16.h>

namespace tc {

class FragmentA {
public:
  __device__ __forceinline__ void load(const half *tile, int ld) {
    const int lane = threadIdx.x & 31;
    const uint32_t addr =
        static_cast<uint32_t>(__cvta_generic_to_shared(tile + (lane & 15) * ld + (lane >> 4) * 8));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(regs_[0]), "=r"(regs_[1]), "=r"(regs_[2]), "=r"(regs_[3])
                 : "r"(addr));
  }
  __device__ __forceinline__ uint32_t reg(int i) const { return regs_[i]; }

private:
  uint32_t regs_[4];
};

class FragmentB {
public:
  __device__ __forceinline__ void loadTransposed(const half *tile, int ld) {
    const int lane = threadIdx.x & 31;
    const uint32_t addr = static_cast<uint32_t>(__cvta_generic_to_shared(tile + (lane & 15) * ld));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(regs_[0]), "=r"(regs_[1])
                 : "r"(addr));
  }
  __device__ __forceinline__ uint32_t reg(int i) const { return regs_[i]; }

private:
  uint32_t regs_[2];
};

class Accumulator {
public:
  __device__ __forceinline__ Accumulator() : v_{0.f, 0.f, 0.f, 0.f} {}
  __device__ __forceinline__ void mma(const FragmentA &a, const FragmentB &b) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, "
                 "%7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(v_[0]), "+f"(v_[1]), "+f"(v_[2]), "+f"(v_[3])
                 : "r"(a.reg(0)), "r"(a.reg(1)), "r"(a.reg(2)), "r"(a.reg(3)), "r"(b.reg(0)),
                   "r"(b.reg(1)));
  }
  __device__ __forceinline__ void scale(float s) {
#pragma unroll
    for (float &x : v_)
      x *= s;
  }
  __device__ __forceinline__ void store(float *tile, int ld) const {
    const int lane = threadIdx.x & 31;
    float *p = tile + (lane >> 2) * ld + (lane & 3) * 2;
    *reinterpret_cast<float2 *>(p) = make_float2(v_[0], v_[1]);
    *reinterpret_cast<float2 *>(p + 8 * ld) = make_float2(v_[2], v_[3]);
  }

private:
  float v_[4];
};

} // namespace tc

__global__ void __launch_bounds__(128)
    classGemm(const half *A, const half *B, float *C, int N, int K, float alpha) {
  __shared__ __align__(16) half sa[32][40];
  __shared__ __align__(16) half sb[32][72];
  const int warp = threadIdx.x / 32;
  const int wm = (warp & 1) * 16, wn = (warp >> 1) * 32;

  tc::Accumulator acc[4];
  for (int k = 0; k < K; k += 32) {
    *reinterpret_cast<int4 *>(&sa[threadIdx.x / 4][threadIdx.x % 4 * 8]) =
        *reinterpret_cast<const int4 *>(
            &A[(blockIdx.y * 32 + threadIdx.x / 4) * K + k + threadIdx.x % 4 * 8]);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int v = threadIdx.x + i * 128;
      *reinterpret_cast<int4 *>(&sb[v / 8][v % 8 * 8]) =
          *reinterpret_cast<const int4 *>(&B[(k + v / 8) * N + blockIdx.x * 64 + v % 8 * 8]);
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 2; ++kk) {
      tc::FragmentA a;
      a.load(&sa[wm][kk * 16], 40);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        tc::FragmentB b;
        b.loadTransposed(&sb[kk * 16][wn + j * 8], 72);
        acc[j].mma(a, b);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    acc[j].scale(alpha);
    acc[j].store(C + (blockIdx.y * 32 + wm) * N + blockIdx.x * 64 + wn + j * 8, N);
  }
}
