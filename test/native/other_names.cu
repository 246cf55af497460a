// What an address or a value is made of goes by other names: a lambda that is called through a
// reference, behind a change of what it sees; a reference to a number that every tile sets; and a
// sum of threadIdx.x, which is unsigned, with a number of the launch that is negative.
//
// RUN: %prove --launch %S/other_names.yaml 2>&1 | FileCheck %S/Inputs/native_tested.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kPitch = 40;

__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void ldsm2(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                    uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void copyIn(half *to, const half *from) {
  for (int i = threadIdx.x; i < 32 * 4; i += 64)
    *(int4 *)&to[i / 4 * kPitch + i % 4 * 8] = *(const int4 *)&from[i * 8];
}
#define STORE                                                                                      \
  for (int j = 0; j < 4; ++j)                                                                      \
    for (int e = 0; e < 4; ++e)                                                                    \
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = acc[j][e];

// CHECK-LABEL: throughReference(
// CHECK: lp::load_a(a, [&, row_ = row](int lane, int warp) {
// CHECK-NEXT: const auto row = lp::of_thread(row_, lane, warp);
__global__ void __launch_bounds__(64) throughReference(const half *A, const half *B, float *C) {
  __shared__ __align__(16) half sA[32 * kPitch], sB[32 * kPitch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  copyIn(sA, A);
  copyIn(sB, B);
  __syncthreads();
  float acc[4][4] = {};
  uint32_t a[4], b[4][2];
  int row = warp * 16 + lane % 16;
  auto load = [&](int k) {
    ldsm4(a, &sA[row * kPitch + k + lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &sB[(j * 8 + lane % 8) * kPitch + k + lane / 8 % 2 * 8]);
  };
  auto &again = load;
  row ^= 1;
  for (int k = 0; k < 32; k += 16) {
    again(k);
    for (int j = 0; j < 4; ++j)
      mma(acc[j], a, b[j][0], b[j][1]);
  }
  STORE
}

// Each tile has a product of its own.
// CHECK-LABEL: byReference(
__global__ void __launch_bounds__(64) byReference(const half *A, const int *B, float *C) {
  __shared__ __align__(16) half sA[32 * kPitch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  copyIn(sA, A);
  __syncthreads();
  float acc[4][4] = {};
  int sign = 0;
  const int &its = sign;
  for (int k = 0; k < 32; k += 16) {
    uint32_t a[4];
    ldsm4(a, &sA[(warp * 16 + lane % 16) * kPitch + k + lane / 16 * 8]);
    for (int j = 0; j < 4; ++j) {
      int q = B[((j * 8 + lane / 4) * 2 + k / 16) * 4 + lane % 4] & 0x01010101;
      sign = j % 2 << 7;
      q ^= its;
      mma(acc[j], a, (q & 0x00810081) << 8, q & 0x01000100);
    }
  }
  STORE
}

// CHECK-LABEL: unsignedSum(
// CHECK: const int half_ = (unsigned(warp * 32 + lane) + before) / 16 % 2;
__global__ void __launch_bounds__(64) unsignedSum(const half *A, const half *B, float *C,
                                                  int before) {
  __shared__ __align__(16) half sA[32 * kPitch], sB[32 * kPitch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  copyIn(sA, A);
  copyIn(sB, B);
  __syncthreads();
  float acc[4][4] = {};
  for (int k = 0; k < 32; k += 16) {
    uint32_t a[4], b[2];
    const int half_ = (threadIdx.x + before) / 16 % 2;
    ldsm4(a, &sA[(warp * 16 + lane % 16) * kPitch + k + half_ * 8]);
    for (int j = 0; j < 4; ++j) {
      ldsm2(b, &sB[(j * 8 + lane % 8) * kPitch + k + lane / 8 % 2 * 8]);
      mma(acc[j], a, b[0], b[1]);
    }
  }
  STORE
}
