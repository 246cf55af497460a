// Functions that return what another one reads by ldmatrix, methods among them, and two variables
// that take what they return in one declaration or list.
//
// RUN: %prove --launch %S/returned_through.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int LD = 40;

struct Frag {
  uint32_t r[4];
};

struct Tile {
  half *p;
  __device__ __forceinline__ explicit Tile(half *q) : p(q) {}
  __device__ __forceinline__ Frag readAt(int row, int column) const {
    Frag f;
    const uint32_t a = (uint32_t)__cvta_generic_to_shared(p + row * LD + column);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(f.r[0]), "=r"(f.r[1]), "=r"(f.r[2]), "=r"(f.r[3]) : "r"(a));
    return f;
  }
  __device__ __forceinline__ Frag ofA(int m, int k, int lane) const {
    return readAt(m + (lane & 15), k + (lane >> 4) * 8);
  }
  __device__ __forceinline__ Frag ofB(int n, int k, int lane) const {
    return readAt(n + (lane & 7) + (lane >> 4) * 8, k + ((lane >> 3) & 1) * 8);
  }
  __device__ __forceinline__ Frag firstOfB(int k, int lane) const { return ofB(0, k, lane); }
};

__device__ __forceinline__ void mma(float (&d)[4], const Frag &a, uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "r"(b0), "r"(b1));
}
__device__ void stage(half *to, const half *from, int rows, int K) {
  for (int i = threadIdx.x; i < rows * 4; i += blockDim.x)
    *(uint4 *)&to[i / 4 * LD + i % 4 * 8] = *(const uint4 *)&from[i / 4 * K + i % 4 * 8];
}

// Two products side by side, whose operands are declared two by two.
// CHECK-NOT: Frag readAt(
// CHECK-LABEL: gated(
// CHECK: Frag a0;
// CHECK-NEXT: lp::load_a(a0.r, [&](int lane, int warp) {
// CHECK-NEXT: const auto m = warp * 16;
// CHECK: });
// CHECK-NEXT: Frag a1;
// CHECK-NEXT: lp::load_a(a1.r, [&](int lane, int warp) {
// CHECK: Frag first, second;
// CHECK-NEXT: lp::load_b_tiles(lp::tile<unsigned int, 2>(first.r, 0),
// CHECK: Frag b;
// CHECK-NEXT: lp::load_b_tiles_2(lp::tile<unsigned int, 2>(b.r, 0),
// CHECK: Frag last;
// CHECK-NEXT: lp::load_b_tiles_2(lp::tile<unsigned int, 2>(last.r, 0),
__global__ void __launch_bounds__(64) gated(const half *A, const half *B, float *C, float *E, int N, int K) {
  __shared__ __align__(16) half as[32 * LD], bs[32 * LD];
  const Tile sa(as), sb(bs);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {}, e[2][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    __syncthreads();
    stage(as, A + blockIdx.x * 32 * K + k0, 32, K);
    stage(bs, B + k0, 32, K);
    __syncthreads();
    const Frag a0 = sa.ofA(warp * 16, 0, lane), a1 = sa.ofA(warp * 16, 16, lane);
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      Frag first, second;
      first = sb.ofB(n * 16, 0, lane);
      second = sb.ofB(n * 16, 16, lane);
      mma(c[2 * n], a0, first.r[0], first.r[1]);
      mma(c[2 * n + 1], a0, first.r[2], first.r[3]);
      mma(c[2 * n], a1, second.r[0], second.r[1]);
      mma(c[2 * n + 1], a1, second.r[2], second.r[3]);
    }
    Frag b = sb.firstOfB(16, lane), last = sb.firstOfB(0, lane);
    mma(e[0], a1, b.r[0], b.r[1]);
    mma(e[1], a1, b.r[2], b.r[3]);
    mma(e[0], a0, last.r[0], last.r[1]);
    mma(e[1], a0, last.r[2], last.r[3]);
  }
  const int row = blockIdx.x * 32 + warp * 16 + lane / 4, column = lane % 4 * 2;
  for (int n = 0; n < 4; ++n)
    for (int i = 0; i < 4; ++i)
      C[(row + i / 2 * 8) * N + n * 8 + column + i % 2] = c[n][i];
  for (int n = 0; n < 2; ++n)
    for (int i = 0; i < 4; ++i)
      E[(row + i / 2 * 8) * N + n * 8 + column + i % 2] = e[n][i];
}

// Lists of what the function returns.
// CHECK-LABEL: void listed(
// CHECK: Frag a[2];
// CHECK-NEXT: lp::load_a(a[0].r, [&](int lane, int warp) {
// CHECK: });
// CHECK-NEXT: lp::load_a(a[1].r, [&](int lane, int warp) {
// CHECK: Frag b[2];
// CHECK-NEXT: lp::load_b_tiles{{.*}}(lp::tile<unsigned int, 2>(b, 0), lp::tile<unsigned int, 2>(b, 1),
__global__ void listed(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half a_s[32 * LD], b_s[32 * LD];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const Tile ta(a_s), tb(b_s);
  float c[2][4] = {};
  for (int k = 0; k < K; k += 32) {
    stage(a_s, A + blockIdx.x * 32 * K + k, 32, K);
    stage(b_s, B + k, 32, K);
    __syncthreads();
    const Frag a[] = {ta.ofA(warp * 16, 0, lane), ta.ofA(warp * 16, 16, lane)};
    Frag b[2] = {tb.ofB(0, 0, lane), tb.ofB(0, 16, lane)};
    for (int s = 0; s < 2; ++s) {
      mma(c[0], a[s], b[s].r[0], b[s].r[1]);
      mma(c[1], a[s], b[s].r[2], b[s].r[3]);
    }
    __syncthreads();
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.x * 32 + warp * 16 + lane / 4 + e / 2 * 8) * N + j * 8 + lane % 4 * 2 + e % 2] =
          c[j][e];
}
