// One text for sums of several kinds, by a class of traits: half sums that are drained into floats
// as often as the template says, and floats. Where only some instances have something in front of a
// statement, or another thing, `if constexpr` says so.
//
// RUN: %prove --launch %S/sums_by_traits.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
//
// CHECK-LABEL: void rank_k(
// CHECK: if constexpr (__is_same(T, __half)) {
// CHECK-NEXT: lp::mma_m16n8k16_f16_f16_wave(
// CHECK: } else {
// CHECK-NEXT: lp::mma_m16n8k16_f32_bf16_wave(
// CHECK: if constexpr (__is_same(T, __half) && Drain == 0) {
// CHECK-NEXT: // lp: accumulators in the layout of CUDA
// CHECK: if constexpr (Drain == 3) {
// CHECK-NEXT: // lp: accumulators in the layout of CUDA
// CHECK: lp::to_warp_rows(total[0].x, total[0].z);
// CHECK: if constexpr (__is_same(T, __hip_bfloat16)) {
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

template <typename T> struct Core;

template <> struct Core<__half> {
  struct Sums {
    uint32_t top, bottom;
  };
  static __device__ __forceinline__ void multiply(Sums &d, const uint4 &a, uint32_t b0,
                                                  uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, "
                 "{%6, %7}, {%0, %1};"
                 : "+r"(d.top), "+r"(d.bottom)
                 : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
  }
  static __device__ __forceinline__ void drain(Sums &d, float4 &total) {
    const float2 t = __half22float2(*reinterpret_cast<__half2 *>(&d.top));
    const float2 u = __half22float2(*reinterpret_cast<__half2 *>(&d.bottom));
    total.x += t.x;
    total.y += t.y;
    total.z += u.x;
    total.w += u.y;
    d.top = d.bottom = 0u;
  }
  static __device__ __forceinline__ void store(__half *p, float a, float b) {
    *reinterpret_cast<__half2 *>(p) = __floats2half2_rn(a, b);
  }
};

template <> struct Core<__nv_bfloat16> {
  typedef float4 Sums;

  static __device__ __forceinline__ void multiply(Sums &d, const uint4 &a, uint32_t b0,
                                                  uint32_t b1) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d.x), "+f"(d.y), "+f"(d.z), "+f"(d.w)
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
  }
  static __device__ __forceinline__ void drain(Sums &d, float4 &total) {
    total.x += d.x;
    total.y += d.y;
    total.z += d.z;
    total.w += d.w;
    d = make_float4(0.f, 0.f, 0.f, 0.f);
  }
  static __device__ __forceinline__ void store(__nv_bfloat16 *p, float a, float b) {
    *reinterpret_cast<__nv_bfloat162 *>(p) = __floats2bfloat162_rn(a, b);
  }
};

template <typename T, int Drain>
__global__ void rank_k(const T *__restrict__ A, const T *__restrict__ B, T *__restrict__ C, int N,
                       int K) {
  using Op = Core<T>;
  constexpr int kDepth = 64, kRows = 32, kPitch = kDepth + 8;
  __shared__ __align__(16) T tile[kRows * kPitch];

  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const int g = lane >> 2, t = lane & 3;
  const int row0 = blockIdx.x * kRows;

  typename Op::Sums sums[4] = {};
  float4 total[4] = {};

  // B comes straight from memory: one word per lane holds two neighbours along k
  const uint32_t *words = reinterpret_cast<const uint32_t *>(B);
  const int pitchB = K / 2;

  int age = 0;
  for (int k0 = 0; k0 < K; k0 += kDepth) {
    for (int i = threadIdx.x; i < kRows * kDepth / 8; i += 64) {
      const int r = i / (kDepth / 8), c = i % (kDepth / 8) * 8;
      *reinterpret_cast<uint4 *>(tile + r * kPitch + c) =
          *reinterpret_cast<const uint4 *>(A + (row0 + r) * K + k0 + c);
    }
    __syncthreads();

    for (int k = 0; k < kDepth; k += 16) {
      uint4 a;
      const T *corner = tile + (warp * 16 + (lane & 15)) * kPitch + k + (lane >> 4) * 8;
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(a.x), "=r"(a.y), "=r"(a.z), "=r"(a.w)
                   : "r"((uint32_t)__cvta_generic_to_shared(corner)));
      for (int j = 0; j < 4; ++j) {
        const uint32_t *w = words + (j * 8 + g) * pitchB + (k0 + k) / 2 + t;
        Op::multiply(sums[j], a, w[0], w[4]);
      }
      if constexpr (Drain > 0) {
        if (++age == Drain) {
          age = 0;
          for (int j = 0; j < 4; ++j)
            Op::drain(sums[j], total[j]);
        }
      }
    }
    __syncthreads();
  }

  for (int j = 0; j < 4; ++j) {
    Op::drain(sums[j], total[j]);
    T *p = C + (row0 + warp * 16 + g) * N + j * 8 + t * 2;
    Op::store(p, total[j].x, total[j].y);
    Op::store(p + 8 * N, total[j].z, total[j].w);
  }
}

template __global__ void rank_k<__half, 0>(const __half *, const __half *, __half *, int, int);
template __global__ void rank_k<__half, 3>(const __half *, const __half *, __half *, int, int);
template __global__ void rank_k<__nv_bfloat16, 0>(const __nv_bfloat16 *, const __nv_bfloat16 *,
                                                  __nv_bfloat16 *, int, int);
