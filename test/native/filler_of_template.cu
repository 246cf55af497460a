// A function of a template puts one tile after another together: which one it is handed it does not
// know, so each is multiplied by itself. And one that is told by another lane where it reads.
//
// RUN: %prove --launch %S/filler_of_template.yaml 2>&1 | FileCheck %S/Inputs/native_halves_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t word(const half *p) { return *reinterpret_cast<const uint32_t *>(p); }

__device__ __forceinline__ void mma(float (&c)[4], const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ void store(float *C, int N, const float (&c)[2][4], int lane, int warp) {
  float *out = C + (warp * 16 + lane / 4) * N + lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    *(float2 *)(out + j * 8) = make_float2(c[j][0], c[j][1]);
    *(float2 *)(out + 8 * N + j * 8) = make_float2(c[j][2], c[j][3]);
  }
}

struct FragA {
  uint32_t x[4];
  __device__ void load(const half *p, int ld, int lane) {
    const int g = lane / 4, t = lane % 4;
    x[0] = word(p + g * ld + t * 2);
    x[1] = word(p + (g + 8) * ld + t * 2);
    x[2] = word(p + g * ld + t * 2 + 8);
    x[3] = word(p + (g + 8) * ld + t * 2 + 8);
  }
};
// CHECK-LABEL: void fillBy(
// CHECK: lp::gather_{{[ab_0-9]*}}(f, [&{{.*}}](int lane, int warp, int r) {
template <int Apart> __device__ __forceinline__ void fillBy(uint32_t *f, const half *p) {
  f[0] = word(p);
  f[1] = word(p + Apart);
}

// CHECK-LABEL: void of_template(
__global__ void of_template(const half *A, const half *B, float *C, int N, int K) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    FragA a;
    a.load(A + warp * 16 * K + k, K, lane);
    uint32_t b[2][2];
    for (int j = 0; j < 2; ++j)
      fillBy<8>(b[j], B + (j * 8 + lane / 4) * K + k + lane % 4 * 2);
    for (int j = 0; j < 2; ++j)
      mma(c[j], a.x, b[j]);
  }
  store(C, N, c, lane, warp);
}

__device__ __forceinline__ void fillFrom(uint32_t *f, const half *p) {
  f[0] = word(p);
  f[1] = word(p + 8);
}

// Where it reads, one lane of each warp says.
// CHECK-LABEL: void told_by_lane(
__global__ void told_by_lane(const half *A, const half *B, float *C, int N, int K) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float c[2][4] = {};
  FragA a;
  a.load(A + warp * 16 * K, K, lane);
  uint32_t b[2][2];
  const int at = __shfl_sync(~0u, lane * 16 + warp * 2, 5 + warp);
  for (int j = 0; j < 2; ++j)
    fillFrom(b[j], B + at + (j * 8 + lane / 4) * K + lane % 4 * 2);
  for (int j = 0; j < 2; ++j)
    mma(c[j], a.x, b[j]);
  store(C, N, c, lane, warp);
}
