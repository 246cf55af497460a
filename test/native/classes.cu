// Classes that keep to themselves how they make addresses, as classes do by default or behind
// `private:`: the kernel names their members for other lanes, so what was private is public. Their methods that only read leave them what they are, and
// values of a struct meet results as a whole. And accessors, whose text is the call's.
//
// RUN: %prove --launch %S/classes.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ uint32_t packed(float low, float high, float2 more) {
  const half2 both = __floats2half2_rn(fmaxf(low + more.x, 0.f), fmaxf(high + more.y, 0.f));
  return *(const uint32_t *)&both;
}

// CHECK-LABEL: class SharedTile {
// CHECK-NEXT: public:
// CHECK-NEXT: half *base_;
// CHECK: public:
// CHECK: public:
// CHECK-NEXT: __device__ uint32_t address(int r, int c) const {
template <int Rows, int Cols> class SharedTile {
  half *base_;

public:
  __device__ explicit SharedTile(half *p) : base_(p) {}
  __device__ void fill(const half *from) {
    for (int i = threadIdx.x; i < Rows * Cols / 8; i += 64)
      *(int4 *)&base_[i / (Cols / 8) * kPitch + i % (Cols / 8) * 8] = *(const int4 *)&from[i * 8];
  }
  __device__ void readA(uint32_t (&a)[4], int row, int k) const {
    const int lane = threadIdx.x % 32;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"(address(row + lane % 16, k + lane / 16 * 8)));
  }
  __device__ void readB(uint32_t (&b)[2], int row, int k) const {
    const int lane = threadIdx.x % 32;
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(b[0]), "=r"(b[1])
                 : "r"((uint32_t)__cvta_generic_to_shared(base_ + (row + lane % 8) * (Cols + 8) + k +
                                                          lane / 8 % 2 * 8)));
  }

private:
  __device__ uint32_t address(int r, int c) const {
    return (uint32_t)__cvta_generic_to_shared(base_ + r * kPitch + c);
  }
  static constexpr int kPitch = Cols + 8;
};

// CHECK-LABEL: twoLayers(
// CHECK: return x.address(row + givenLane % 16, k + givenLane / 16 * 8);
// CHECK: const float2 more = lp::of_element(0, [&](int lane, int, int) {
// CHECK: packed(hidden[2 * k][0], hidden[2 * k][1], more)
__global__ void __launch_bounds__(64) twoLayers(const half *X, const half *W1, const half *W2,
                                                const float2 *bias, float *Y) {
  __shared__ __align__(16) half sx[32 * 40], s1[32 * 40], s2[32 * 40];
  SharedTile<32, 32> x(sx), first(s1), second(s2);
  x.fill(X);
  first.fill(W1);
  second.fill(W2);
  __syncthreads();
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float hidden[4][4] = {}, out[4][4] = {};
  for (int k = 0; k < 32; k += 16) {
    uint32_t a[4], b[2];
    x.readA(a, warp * 16, k);
    for (int n = 0; n < 4; ++n) {
      first.readB(b, n * 8, k);
      mma(hidden[n], a, b);
    }
  }
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const float2 more = bias[k * 4 + lane % 4];
    const uint32_t a[4] = {packed(hidden[2 * k][0], hidden[2 * k][1], more),
                           packed(hidden[2 * k][2], hidden[2 * k][3], more),
                           packed(hidden[2 * k + 1][0], hidden[2 * k + 1][1], more),
                           packed(hidden[2 * k + 1][2], hidden[2 * k + 1][3], more)};
    for (int n = 0; n < 4; ++n) {
      uint32_t b[2];
      second.readB(b, n * 8, k * 16);
      mma(out[n], a, b);
    }
  }
  for (int n = 0; n < 4; ++n)
    for (int e = 0; e < 4; ++e)
      Y[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + n * 8 + lane % 4 * 2 + e % 2] = out[n][e];
}

struct Shift {
  int n;
  __device__ int get() const { return n; }
  __device__ operator int() const { return n + 1; }
};

// CHECK-LABEL: byAccessor(
// CHECK: const bool isSecond = lane < 99 && !shift.get();
// CHECK: const auto p = A + {{.*}} * 32 + k + t + shift.get() + isSecond
__global__ void __launch_bounds__(64) byAccessor(const half *A, const half *B, float *C,
                                                 Shift shift) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4 * 2;
  const bool isSecond = lane < 99 && !shift.get();
  float acc[4][4] = {};
  for (int k = 0; k < 32; k += 16) {
    const half *p = A + (warp * 16 + g) * 32 + k + t + shift.get() + isSecond * 2;
    const uint32_t a[4] = {*(const uint32_t *)p, *(const uint32_t *)(p + 8 * 32),
                           *(const uint32_t *)(p + 8), *(const uint32_t *)(p + 8 * 32 + 8)};
    for (int n = 0; n < 4; ++n) {
      const half *q = B + (n * 8 + g) * 32 + k + t;
      const uint32_t b[2] = {*(const uint32_t *)q, *(const uint32_t *)(q + 8)};
      mma(acc[n], a, b);
    }
  }
  for (int n = 0; n < 4; ++n)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + g + e / 2 * 8) * 32 + n * 8 + t + e % 2] = acc[n][e];
}
