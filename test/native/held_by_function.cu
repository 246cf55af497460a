// The steps of k are the kernel's, the product a function's: what waits for a deeper MFMA is handed
// to it. Sums are rows of an array: by reference, or an object of an array whose method it is.
//
// RUN: %prove --launch %S/held_by_function.yaml 2>&1 | FileCheck %S/Inputs/native_halves_proved.txt
// RUN: %ported %t.hip | FileCheck %s --check-prefix=TEXT
//
// TEXT: void multiplyRow(float (&c)[2][4], const unsigned (&a)[4], const unsigned (&b)[2][2], lp::mfma_f16_steps_held (&held)[2], int step) {
// TEXT: lp::mma_m16n8k16_f32_f16_steps_wave({{.*}}, held[j], step);
// TEXT: template <int TM, int TN>
// TEXT-NEXT: {{.*}}multiplyAll({{.*}}, lp::mfma_f16_steps_held (&held)[2][2], int step) {
// TEXT: void add({{.*}}, lp::mfma_f16_steps_held (&held)[2], int step) {
// TEXT: void once({{.*}}, lp::mfma_f16_steps_held (&held)[2], lp::mfma_f16_steps_held (&held2)[2], int step)
// TEXT: void twice(float (&c)[2][4], const unsigned (&a)[4], const unsigned (&b)[2][2]) {
// TEXT: void within({{.*}}unsigned (&b)[2][2]) {
//
// TEXT: void counted({{.*}}, int &often, lp::mfma_f16_steps_held (&held)[2], int step) {
//
// TEXT-LABEL: __launch_bounds__(64) byRow(
// TEXT: lp::mfma_f16_steps_held held[2][2]; // a step of k, until it fills an MFMA
// TEXT: multiplyRow(acc[i], a, b, held[i], k);
// TEXT-LABEL: __launch_bounds__(64) byTemplate(
// TEXT: multiplyAll<2, 2>(acc, a, b, held, k / 16);
// TEXT-LABEL: __launch_bounds__(64) byMethod(
// TEXT: tiles[1 - i].add(a, b, held[i], k);
// TEXT-LABEL: __launch_bounds__(64) ofTwo(
// TEXT: once(acc, a, b, held, held2, k);
// TEXT-LABEL: __launch_bounds__(64) calledTwice(
// TEXT: twice(acc[0], a[0], b);
// TEXT-LABEL: __launch_bounds__(64) inTwoLevels(
// TEXT: around(acc[i], a, b);
// TEXT-LABEL: __launch_bounds__(64) byOtherRow(
// TEXT: other(acc[(i + k) % 2], a, b);
// TEXT-LABEL: __launch_bounds__(64) byTile(
// TEXT: counted(acc[i][j], a, b[j], often, held[i][j], k);
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace {
constexpr int kDepth = 64, kPitch = kDepth + 8;

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
__device__ __forceinline__ void mma(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
               "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ void multiplyRow(float (&c)[2][4], const unsigned (&a)[4], const unsigned (&b)[2][2]) {
#pragma unroll
  for (int j = 0; j < 2; ++j)
    mma(c[j], a, b[j]);
}
template <int TM, int TN>
__device__ __forceinline__ void multiplyAll(float (&c)[TM][TN][4], unsigned (&a)[TM][4], unsigned (&b)[TN][2]) {
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; ++j)
      mma(c[i][j], a[i], b[j]);
}
struct Row {
  float c[2][4];
  __device__ __forceinline__ void add(const unsigned (&a)[4], const unsigned (&b)[2][2]) {
#pragma unroll
    for (int j = 0; j < 2; ++j)
      mma(c[j], a, b[j]);
  }
};
__device__ __forceinline__ void once(float (&c)[2][2][4], const unsigned (&a)[2][4], const unsigned (&b)[2][2]) {
#pragma unroll
  for (int j = 0; j < 2; ++j)
    mma(c[0][j], a[0], b[j]);
#pragma unroll
  for (int j = 0; j < 2; ++j)
    mma(c[1][j], a[1], b[j]);
}
// Called at two places, by another function, with another row in each step: nothing waits.
__device__ __forceinline__ void twice(float (&c)[2][4], const unsigned (&a)[4], const unsigned (&b)[2][2]) {
#pragma unroll
  for (int j = 0; j < 2; ++j)
    mma(c[j], a, b[j]);
}
__device__ __forceinline__ void within(float (&c)[2][4], const unsigned (&a)[4], const unsigned (&b)[2][2]) {
#pragma unroll
  for (int j = 0; j < 2; ++j)
    mma(c[j], a, b[j]);
}
__device__ __forceinline__ void around(float (&c)[2][4], const unsigned (&a)[4], const unsigned (&b)[2][2]) {
  within(c, a, b);
}
__device__ __forceinline__ void other(float (&c)[2][4], const unsigned (&a)[4], const unsigned (&b)[2][2]) {
#pragma unroll
  for (int j = 0; j < 2; ++j)
    mma(c[j], a, b[j]);
}
// One tile, and more than an instruction.
__device__ __forceinline__ void counted(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2], int &often) {
  ++often;
  mma(c, a, b);
}

__device__ __forceinline__ void fill(__half (*tile)[kPitch], const __half *from, int rows, int K) {
  for (int v = threadIdx.x; v < rows * kDepth / 8; v += blockDim.x)
    *(uint4 *)&tile[v / 8][v % 8 * 8] = *(const uint4 *)&from[v / 8 * K + v % 8 * 8];
}
} // namespace

#define STAGE                                                                                      \
  __syncthreads();                                                                                 \
  fill(sA, A + blockIdx.y * 64 * K + k0, 64, K);                                                   \
  fill(sB, B + blockIdx.x * 16 * K + k0, 16, K);                                                   \
  __syncthreads()

__global__ void __launch_bounds__(64) byRow(const __half *A, const __half *B, float *C, int N, int K) {
  __shared__ __align__(16) __half sA[64][kPitch], sB[16][kPitch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[2][2][4] = {};
  for (int k0 = 0; k0 < K; k0 += kDepth) {
    STAGE;
#pragma unroll
    for (int k = 0; k < kDepth / 16; ++k) {
      unsigned b[2][2];
#pragma unroll
      for (int j = 0; j < 2; ++j)
        loadB(b[j], &sB[j * 8 + lane % 8][k * 16 + lane / 8 % 2 * 8]);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        unsigned a[4];
        loadA(a, &sA[warp * 32 + i * 16 + lane % 16][k * 16 + lane / 16 * 8]);
        multiplyRow(acc[i], a, b);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      float *c = &C[(blockIdx.y * 64 + warp * 32 + i * 16 + lane / 4) * N + blockIdx.x * 16 + j * 8 + lane % 4 * 2];
      *(float2 *)c = make_float2(acc[i][j][0], acc[i][j][1]);
      *(float2 *)(c + 8 * N) = make_float2(acc[i][j][2], acc[i][j][3]);
    }
}

__global__ void __launch_bounds__(64) byTemplate(const __half *A, const __half *B, float *C, int N, int K) {
  __shared__ __align__(16) __half sA[64][kPitch], sB[16][kPitch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[2][2][4] = {};
  for (int k0 = 0; k0 < K; k0 += kDepth) {
    STAGE;
#pragma unroll
    for (int k = 0; k < kDepth; k += 16) {
      unsigned a[2][4], b[2][2];
#pragma unroll
      for (int j = 0; j < 2; ++j)
        loadB(b[j], &sB[j * 8 + lane % 8][k + lane / 8 % 2 * 8]);
#pragma unroll
      for (int i = 0; i < 2; ++i)
        loadA(a[i], &sA[warp * 32 + i * 16 + lane % 16][k + lane / 16 * 8]);
      multiplyAll<2, 2>(acc, a, b);
    }
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      float *c = &C[(blockIdx.y * 64 + warp * 32 + i * 16 + lane / 4) * N + blockIdx.x * 16 + j * 8 + lane % 4 * 2];
      *(float2 *)c = make_float2(acc[i][j][0], acc[i][j][1]);
      *(float2 *)(c + 8 * N) = make_float2(acc[i][j][2], acc[i][j][3]);
    }
}

__global__ void __launch_bounds__(64) byMethod(const __half *A, const __half *B, float *C, int N, int K) {
  __shared__ __align__(16) __half sA[64][kPitch], sB[16][kPitch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Row tiles[2];
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        tiles[i].c[j][e] = 0.f;
  for (int k0 = 0; k0 < K; k0 += kDepth) {
    STAGE;
#pragma unroll
    for (int k = 0; k < kDepth / 16; ++k) {
      unsigned b[2][2];
#pragma unroll
      for (int j = 0; j < 2; ++j)
        loadB(b[j], &sB[j * 8 + lane % 8][k * 16 + lane / 8 % 2 * 8]);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        unsigned a[4];
        loadA(a, &sA[warp * 32 + (1 - i) * 16 + lane % 16][k * 16 + lane / 16 * 8]);
        tiles[1 - i].add(a, b);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      float *c = &C[(blockIdx.y * 64 + warp * 32 + i * 16 + lane / 4) * N + blockIdx.x * 16 + j * 8 + lane % 4 * 2];
      *(float2 *)c = make_float2(tiles[i].c[j][0], tiles[i].c[j][1]);
      *(float2 *)(c + 8 * N) = make_float2(tiles[i].c[j][2], tiles[i].c[j][3]);
    }
}

__global__ void __launch_bounds__(64) ofTwo(const __half *A, const __half *B, float *C, int N, int K) {
  __shared__ __align__(16) __half sA[64][kPitch], sB[16][kPitch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[2][2][4] = {};
  for (int k0 = 0; k0 < K; k0 += kDepth) {
    STAGE;
#pragma unroll
    for (int k = 0; k < kDepth / 16; ++k) {
      unsigned a[2][4], b[2][2];
#pragma unroll
      for (int j = 0; j < 2; ++j)
        loadB(b[j], &sB[j * 8 + lane % 8][k * 16 + lane / 8 % 2 * 8]);
#pragma unroll
      for (int i = 0; i < 2; ++i)
        loadA(a[i], &sA[warp * 32 + i * 16 + lane % 16][k * 16 + lane / 16 * 8]);
      once(acc, a, b);
    }
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      float *c = &C[(blockIdx.y * 64 + warp * 32 + i * 16 + lane / 4) * N + blockIdx.x * 16 + j * 8 + lane % 4 * 2];
      *(float2 *)c = make_float2(acc[i][j][0], acc[i][j][1]);
      *(float2 *)(c + 8 * N) = make_float2(acc[i][j][2], acc[i][j][3]);
    }
}

__global__ void __launch_bounds__(64) calledTwice(const __half *A, const __half *B, float *C, int N, int K) {
  __shared__ __align__(16) __half sA[64][kPitch], sB[16][kPitch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[2][2][4] = {};
  for (int k0 = 0; k0 < K; k0 += kDepth) {
    STAGE;
#pragma unroll
    for (int k = 0; k < kDepth / 16; ++k) {
      unsigned a[2][4], b[2][2];
#pragma unroll
      for (int j = 0; j < 2; ++j)
        loadB(b[j], &sB[j * 8 + lane % 8][k * 16 + lane / 8 % 2 * 8]);
#pragma unroll
      for (int i = 0; i < 2; ++i)
        loadA(a[i], &sA[warp * 32 + i * 16 + lane % 16][k * 16 + lane / 16 * 8]);
      twice(acc[0], a[0], b);
      twice(acc[1], a[1], b);
    }
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      float *c = &C[(blockIdx.y * 64 + warp * 32 + i * 16 + lane / 4) * N + blockIdx.x * 16 + j * 8 + lane % 4 * 2];
      *(float2 *)c = make_float2(acc[i][j][0], acc[i][j][1]);
      *(float2 *)(c + 8 * N) = make_float2(acc[i][j][2], acc[i][j][3]);
    }
}

__global__ void __launch_bounds__(64) inTwoLevels(const __half *A, const __half *B, float *C, int N, int K) {
  __shared__ __align__(16) __half sA[64][kPitch], sB[16][kPitch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[2][2][4] = {};
  for (int k0 = 0; k0 < K; k0 += kDepth) {
    STAGE;
#pragma unroll
    for (int k = 0; k < kDepth / 16; ++k) {
      unsigned b[2][2];
#pragma unroll
      for (int j = 0; j < 2; ++j)
        loadB(b[j], &sB[j * 8 + lane % 8][k * 16 + lane / 8 % 2 * 8]);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        unsigned a[4];
        loadA(a, &sA[warp * 32 + i * 16 + lane % 16][k * 16 + lane / 16 * 8]);
        around(acc[i], a, b);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      float *c = &C[(blockIdx.y * 64 + warp * 32 + i * 16 + lane / 4) * N + blockIdx.x * 16 + j * 8 + lane % 4 * 2];
      *(float2 *)c = make_float2(acc[i][j][0], acc[i][j][1]);
      *(float2 *)(c + 8 * N) = make_float2(acc[i][j][2], acc[i][j][3]);
    }
}

__global__ void __launch_bounds__(64) byOtherRow(const __half *A, const __half *B, float *C, int N, int K) {
  __shared__ __align__(16) __half sA[64][kPitch], sB[16][kPitch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[2][2][4] = {};
  for (int k0 = 0; k0 < K; k0 += kDepth) {
    STAGE;
#pragma unroll
    for (int k = 0; k < kDepth / 16; ++k) {
      unsigned b[2][2];
#pragma unroll
      for (int j = 0; j < 2; ++j)
        loadB(b[j], &sB[j * 8 + lane % 8][k * 16 + lane / 8 % 2 * 8]);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        unsigned a[4];
        loadA(a, &sA[warp * 32 + (i + k) % 2 * 16 + lane % 16][k * 16 + lane / 16 * 8]);
        other(acc[(i + k) % 2], a, b);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      float *c = &C[(blockIdx.y * 64 + warp * 32 + i * 16 + lane / 4) * N + blockIdx.x * 16 + j * 8 + lane % 4 * 2];
      *(float2 *)c = make_float2(acc[i][j][0], acc[i][j][1]);
      *(float2 *)(c + 8 * N) = make_float2(acc[i][j][2], acc[i][j][3]);
    }
}

__global__ void __launch_bounds__(64) byTile(const __half *A, const __half *B, float *C, int N, int K) {
  __shared__ __align__(16) __half sA[64][kPitch], sB[16][kPitch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[2][2][4] = {};
  int often = 0;
  for (int k0 = 0; k0 < K; k0 += kDepth) {
    STAGE;
#pragma unroll
    for (int k = 0; k < kDepth / 16; ++k) {
      unsigned b[2][2];
#pragma unroll
      for (int j = 0; j < 2; ++j)
        loadB(b[j], &sB[j * 8 + lane % 8][k * 16 + lane / 8 % 2 * 8]);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        unsigned a[4];
        loadA(a, &sA[warp * 32 + i * 16 + lane % 16][k * 16 + lane / 16 * 8]);
#pragma unroll
        for (int j = 0; j < 2; ++j)
          counted(acc[i][j], a, b[j], often);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      float *c = &C[(blockIdx.y * 64 + warp * 32 + i * 16 + lane / 4) * N + blockIdx.x * 16 + j * 8 + lane % 4 * 2];
      *(float2 *)c = make_float2(acc[i][j][0], acc[i][j][1]);
      *(float2 *)(c + 8 * N) = make_float2(acc[i][j][2], acc[i][j][3]);
    }
}
