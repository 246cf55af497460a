// Fragments in classes that give out their registers: by [], by (), as a pointer to all of them, and
// classes of such classes.
//
// RUN: %prove --launch %S/accessors.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.one.hip --target gfx942
// RUN: %ported %t.one.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

template <typename T, int N> struct Array {
  T data_[N];
  __device__ __forceinline__ T &operator[](int i) { return data_[i]; }
  __device__ __forceinline__ const T &operator[](int i) const { return data_[i]; }
  __device__ T *data() { return data_; }
  __device__ const T *data() const { return data_; }
  __device__ void clear() {
    for (int i = 0; i < N; ++i)
      (*this)[i] = T(0);
  }
};
using FragA = Array<uint32_t, 4>;
using FragB = Array<uint32_t, 2>;
using FragC = Array<float, 4>;

// By number of the tile and the register.
template <typename T, int M, int N> struct Tiles {
  T at[M][N];
  __device__ T &operator()(int i, int j) { return at[i][j]; }
};

__device__ __forceinline__ void ldsm4(FragA &r, const half *p) {
  const uint32_t at = (uint32_t)__cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}
__device__ __forceinline__ void ldsm2(uint32_t *r, const half *p) {
  const uint32_t at = (uint32_t)__cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"(at));
}
__device__ __forceinline__ void mma(FragC &d, const FragA &a, const FragB &b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

constexpr int kPitch = 24;

__device__ void copyTiles(half *sA, half *sB, const half *A, const half *B, int K) {
  for (int v = threadIdx.x; v < 128; v += 64)
    *(uint4 *)(sA + v / 2 * kPitch + v % 2 * 8) = *(const uint4 *)(A + v / 2 * K + v % 2 * 8);
  for (int v = threadIdx.x; v < 64; v += 64)
    *(uint4 *)(sB + v / 2 * kPitch + v % 2 * 8) = *(const uint4 *)(B + v / 2 * K + v % 2 * 8);
}

// 2 warps of 32 x 32, one above the other.
// CHECK-LABEL: elements(
// CHECK: acc[i][j][e] = 0.f;
// CHECK: lp::load_a(a[i].data_, [&](int lane, int warp) {
// CHECK: lp::mma_m16n8k16_f32_f16_wave{{[_0-9]*}}(acc[i][j & ~3].data_, {{.*}}, a[i].data_, b[j & ~1].data_, b[j | 1].data_, j % 4 == 3);
// CHECK: = make_float2(v[0], v[1]);
__global__ void __launch_bounds__(64) elements(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[64 * kPitch], sB[32 * kPitch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  FragC acc[2][4];
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        acc[i][j][e] = 0.f;
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    FragA a[2];
    FragB b[4];
#pragma unroll
    for (int i = 0; i < 2; ++i)
      ldsm4(a[i], sA + (warp * 32 + i * 16 + lane % 16) * kPitch + lane / 16 * 8);
#pragma unroll
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j].data(), sB + (j * 8 + lane % 8) * kPitch + lane / 8 % 2 * 8);
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j)
        mma(acc[i][j], a[i], b[j]);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int row = warp * 32 + i * 16 + lane / 4, col = j * 8 + lane % 4 * 2;
      *(float2 *)&C[row * N + col] = make_float2(acc[i][j][0], acc[i][j][1]);
      *(float2 *)&C[(row + 8) * N + col] = make_float2(acc[i][j][2], acc[i][j][3]);
    }
}

// 2 warps of 16 x 32, put together from plain loads; the sums are scaled on the way.
// CHECK-LABEL: byHand(
// CHECK: lp::gather_a(a.data_, [&](int lane, int warp, int r) {
// CHECK: lp::mma_m16n8k16_f32_f16_wave{{[_0-9]*}}(acc.data_[j & ~1].data_, acc.data_[j | 1].data_, a.data_, b.data_, j & 1);
// CHECK: acc[j][e] *= 0.5f;
__device__ uint32_t word(const half *p) { return *reinterpret_cast<const uint32_t *>(p); }
__global__ void __launch_bounds__(64) byHand(const half *A, const half *B, float *C, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int g = lane / 4, t = lane % 4;
  Array<FragC, 4> acc;
  for (int j = 0; j < 4; ++j)
    acc[j].clear();
  for (int k = 0; k < K; k += 16) {
    FragA a;
    const half *p = A + (warp * 16 + g) * K + k + t * 2;
    a[0] = word(p);
    a[1] = word(p + 8 * K);
    a[2] = word(p + 8);
    a[3] = word(p + 8 * K + 8);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      FragB b;
      const half *q = B + (j * 8 + g) * K + k + t * 2;
      b[0] = word(q);
      b[1] = word(q + 8);
      mma(acc[j], a, b);
    }
    for (int j = 0; j < 4; ++j)
      for (int e = 0; e < 4; ++e)
        acc[j][e] *= 0.5f;
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const int row = warp * 16 + g, col = j * 8 + t * 2;
    C[row * N + col] = acc[j][0];
    C[row * N + col + 1] = acc[j][1];
    C[(row + 8) * N + col] = acc[j][2];
    C[(row + 8) * N + col + 1] = acc[j][3];
  }
}

// CHECK-LABEL: called(
// CHECK: lp::mma_m16n8k16_f32_f16_wave{{[_0-9]*}}(acc.at[j & ~3], {{.*}}, a.data_, b.at[j & ~1], b.at[j | 1], j % 4 == 3);
__global__ void __launch_bounds__(64) called(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[64 * kPitch], sB[32 * kPitch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Tiles<float, 4, 4> acc;
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      acc(j, e) = 0.f;
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    FragA a;
    Tiles<uint32_t, 4, 2> b;
    ldsm4(a, sA + (warp * 16 + lane % 16) * kPitch + lane / 16 * 8);
    for (int j = 0; j < 4; ++j)
      ldsm2(b.at[j], sB + (j * 8 + lane % 8) * kPitch + lane / 8 % 2 * 8);
    for (int j = 0; j < 4; ++j)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                   "{%8,%9}, {%0,%1,%2,%3};"
                   : "+f"(acc(j, 0)), "+f"(acc(j, 1)), "+f"(acc(j, 2)), "+f"(acc(j, 3))
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b(j, 0)), "r"(b(j, 1)));
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * N + j * 8 + lane % 4 * 2 + e % 2] = acc(j, e);
}
