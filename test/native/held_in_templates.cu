// Templates whose loop over k calls what multiplies. A function is handed what waits by a type of its
// own, as instances have other numbers of tiles; of a class template's sums the kernel cannot say the
// number, so that nothing waits there.
//
// RUN: %prove --launch %S/held_in_templates.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s --check-prefix=TEXT
// TEXT: template <int TN, class Held>
// TEXT-NEXT: void multiplyRow({{.*}}, Held &held, int step) {
// TEXT: mma_m16n8k16_f32_f16_steps_wave({{.*}}, held[j], step);
// TEXT: void multiply({{.*}} (&b)[TN][2]) {
// TEXT: mma_m16n8k16_f32_f16_wave({{.*}}, j & 1);
// TEXT: held_c[TM][TN]; // a step of k, until it fills an MFMA
// TEXT: multiplyRow<TN>(acc[i], a, b, held_c[i], s);
// TEXT-NOT: held_c[
// TEXT: tile.multiply(a, b);
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace {
constexpr int kDepth = 32, kPitch = kDepth + 8;
__device__ __forceinline__ void loadA(unsigned (&a)[4], const __half *p) {
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(p));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(at));
}
__device__ __forceinline__ void loadB(unsigned (&b)[2], const __half *p) {
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(p));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(b[0]), "=r"(b[1]) : "r"(at));
}
__device__ __forceinline__ void mma(float *c, const unsigned *a, const unsigned *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
               "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
template <int TN>
__device__ __forceinline__ void multiplyRow(float (&c)[TN][4], const unsigned (&a)[4], const unsigned (&b)[TN][2]) {
#pragma unroll
  for (int j = 0; j < TN; ++j) mma(c[j], a, b[j]);
}
template <int TM, int TN>
struct WarpTile {
  float c[TM][TN][4];
  __device__ __forceinline__ void multiply(const unsigned (&a)[TM][4], const unsigned (&b)[TN][2]) {
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
      for (int j = 0; j < TN; ++j) mma(c[i][j], a[i], b[j]);
  }
};
} // namespace

template <int TM, int TN>
__global__ void __launch_bounds__(64) byFunction(const __half *A, const __half *B, float *C, int N, int K) {
  __shared__ __align__(16) __half sA[32 * TM][kPitch], sB[8 * TN][kPitch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[TM][TN][4] = {};
  for (int k0 = 0; k0 < K; k0 += kDepth) {
    __syncthreads();
    for (int v = threadIdx.x; v < 32 * TM * kDepth / 8; v += blockDim.x)
      *(uint4 *)&sA[v / 4][v % 4 * 8] = *(const uint4 *)&A[(blockIdx.y * 32 * TM + v / 4) * K + k0 + v % 4 * 8];
    for (int v = threadIdx.x; v < 8 * TN * kDepth / 8; v += blockDim.x)
      *(uint4 *)&sB[v / 4][v % 4 * 8] = *(const uint4 *)&B[(blockIdx.x * 8 * TN + v / 4) * K + k0 + v % 4 * 8];
    __syncthreads();
    for (int s = 0; s < 2; ++s) {
      unsigned a[4], b[TN][2];
      for (int j = 0; j < TN; ++j)
        loadB(b[j], &sB[j * 8 + lane % 8][s * 16 + lane / 8 % 2 * 8]);
      for (int i = 0; i < TM; ++i) {
        loadA(a, &sA[warp * 16 * TM + i * 16 + lane % 16][s * 16 + lane / 16 * 8]);
        multiplyRow<TN>(acc[i], a, b);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      float *c = &C[(blockIdx.y * 32 * TM + warp * 16 * TM + i * 16 + lane / 4) * N + blockIdx.x * 8 * TN + j * 8 + lane % 4 * 2];
      *(float2 *)c = make_float2(acc[i][j][0], acc[i][j][1]);
      *(float2 *)(c + 8 * N) = make_float2(acc[i][j][2], acc[i][j][3]);
    }
}

template <int TM, int TN>
__global__ void __launch_bounds__(64) byMethod(const __half *A, const __half *B, float *C, int N, int K) {
  __shared__ __align__(16) __half sA[32 * TM][kPitch], sB[8 * TN][kPitch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  WarpTile<TM, TN> tile = {};
  for (int k0 = 0; k0 < K; k0 += kDepth) {
    __syncthreads();
    for (int v = threadIdx.x; v < 32 * TM * kDepth / 8; v += blockDim.x)
      *(uint4 *)&sA[v / 4][v % 4 * 8] = *(const uint4 *)&A[(blockIdx.y * 32 * TM + v / 4) * K + k0 + v % 4 * 8];
    for (int v = threadIdx.x; v < 8 * TN * kDepth / 8; v += blockDim.x)
      *(uint4 *)&sB[v / 4][v % 4 * 8] = *(const uint4 *)&B[(blockIdx.x * 8 * TN + v / 4) * K + k0 + v % 4 * 8];
    __syncthreads();
    for (int s = 0; s < 2; ++s) {
      unsigned a[TM][4], b[TN][2];
      for (int j = 0; j < TN; ++j)
        loadB(b[j], &sB[j * 8 + lane % 8][s * 16 + lane / 8 % 2 * 8]);
      for (int i = 0; i < TM; ++i)
        loadA(a[i], &sA[warp * 16 * TM + i * 16 + lane % 16][s * 16 + lane / 16 * 8]);
      tile.multiply(a, b);
    }
  }
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      float *c = &C[(blockIdx.y * 32 * TM + warp * 16 * TM + i * 16 + lane / 4) * N + blockIdx.x * 8 * TN + j * 8 + lane % 4 * 2];
      *(float2 *)c = make_float2(tile.c[i][j][0], tile.c[i][j][1]);
      *(float2 *)(c + 8 * N) = make_float2(tile.c[i][j][2], tile.c[i][j][3]);
    }
}

template __global__ void byFunction<2, 2>(const __half *, const __half *, float *, int, int);
template __global__ void byFunction<1, 2>(const __half *, const __half *, float *, int, int);
template __global__ void byMethod<2, 2>(const __half *, const __half *, float *, int, int);
