// How sums are set to zero: vectors in a chain of assignments, for two products of one A; all words
// of structs that are sums, through a pointer to the first; and vectors of them.
//
// RUN: %prove --launch %S/zeroed.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s --check-prefix=TEXT
// TEXT: gate[j] = up[j] = make_float4(0.f, 0.f, 0.f, 0.f);
// TEXT: reinterpret_cast<float *>(sums)[i] = 0;
// TEXT: ((float4 *)sums)[i] = make_float4(0.f, 0.f, 0.f, 0.f);
#include <cuda_fp16.h>
#include <cuda_runtime.h>

template <class T, int kCount> struct Words {
  T words[kCount];
  __device__ T &operator[](int i) { return words[i]; }
};
using Sum = Words<float, 4>;

__device__ __forceinline__ void ldsm4(unsigned (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((unsigned)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void ldsm2(unsigned (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];\n"
               : "=r"(r[0]), "=r"(r[1])
               : "r"((unsigned)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void mma(float4 &d, const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(d.x), "+f"(d.y), "+f"(d.z), "+f"(d.w)
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void mma(Sum &sum, const unsigned (&a)[4], const unsigned (&b)[2]) {
  float *d = reinterpret_cast<float *>(&sum);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// 64 rows of A for a block, 16 columns of two B.
__device__ __forceinline__ void copyTiles(half (*sA)[24], half (*sB)[16][24], const half *A,
                                          const half *B, const half *U, int K) {
  for (int v = threadIdx.x; v < 128; v += 64)
    *(uint4 *)&sA[v / 2][v % 2 * 8] =
        *(const uint4 *)&A[(blockIdx.y * 64 + v / 2) * K + v % 2 * 8];
  const half *from = (threadIdx.x < 32 ? B : U) + (blockIdx.x * 16 + threadIdx.x % 32 / 2) * K;
  *(uint4 *)&sB[threadIdx.x / 32][threadIdx.x % 32 / 2][threadIdx.x % 2 * 8] =
      *(const uint4 *)&from[threadIdx.x % 2 * 8];
}

__global__ void __launch_bounds__(64)
    chained(const half *A, const half *B, const half *U, float *C, int N, int K) {
  __shared__ __align__(16) half sA[64][24], sB[2][16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float4 gate[2], up[2];
  for (int j = 0; j < 2; ++j)
    gate[j] = up[j] = make_float4(0.f, 0.f, 0.f, 0.f);
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, U + k, K);
    __syncthreads();
    unsigned a[4];
    ldsm4(a, &sA[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j) {
      unsigned g[2], u[2];
      ldsm2(g, &sB[0][j * 8 + lane % 8][lane / 8 % 2 * 8]);
      ldsm2(u, &sB[1][j * 8 + lane % 8][lane / 8 % 2 * 8]);
      mma(gate[j], a, g);
      mma(up[j], a, u);
    }
    __syncthreads();
  }
  for (int j = 0; j < 2; ++j) {
    const int row = blockIdx.y * 64 + warp * 16 + lane / 4;
    float *c = C + row * N + blockIdx.x * 16 + j * 8 + lane % 4 * 2;
    *(float2 *)c = make_float2(gate[j].x * up[j].x, gate[j].y * up[j].y);
    *(float2 *)(c + 8 * N) = make_float2(gate[j].z * up[j].z, gate[j].w * up[j].w);
  }
}

__global__ void __launch_bounds__(64)
    words(const half *A, const half *B, const half *U, float *C, int N, int K) {
  __shared__ __align__(16) half sA[64][24], sB[2][16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Sum sums[2][2];
  for (int i = 0; i < 2 * 2 * 4; i++)
    reinterpret_cast<float *>(sums)[i] = 0;
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, U + k, K);
    __syncthreads();
    unsigned a[2][4], b[2][2];
    for (int i = 0; i < 2; ++i)
      ldsm4(a[i], &sA[warp * 32 + i * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j)
      ldsm2(b[j], &sB[0][j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        mma(sums[i][j], a[i], b[j]);
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const int row = blockIdx.y * 64 + warp * 32 + i * 16 + lane / 4;
      float *c = C + row * N + blockIdx.x * 16 + j * 8 + lane % 4 * 2;
      *(float2 *)c = make_float2(sums[i][j].words[0], sums[i][j].words[1]);
      *(float2 *)(c + 8 * N) = make_float2(sums[i][j].words[2], sums[i][j].words[3]);
    }
}

__global__ void __launch_bounds__(64)
    inVectors(const half *A, const half *B, const half *U, float *C, int N, int K) {
  __shared__ __align__(16) half sA[64][24], sB[2][16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Sum sums[4];
  for (int i = 0; i < 4; ++i)
    ((float4 *)sums)[i] = make_float4(0.f, 0.f, 0.f, 0.f);
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, U + k, K);
    __syncthreads();
    unsigned a[4];
    ldsm4(a, &sA[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j) {
      unsigned b[2];
      ldsm2(b, &sB[j / 2][j % 2 * 8 + lane % 8][lane / 8 % 2 * 8]);
      mma(sums[j], a, b);
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) {
    const int row = blockIdx.y * 64 + warp * 16 + lane / 4;
    float *c = C + row * N * 2 + blockIdx.x * 32 + j * 8 + lane % 4 * 2;
    *(float2 *)c = make_float2(sums[j].words[0], sums[j].words[1]);
    *(float2 *)(c + 8 * N * 2) = make_float2(sums[j].words[2], sums[j].words[3]);
  }
}
