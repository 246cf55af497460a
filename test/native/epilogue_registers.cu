// Registers that an epilogue counts in its own way: two at a time; and tiles behind each other in
// one array, of which an index says the tile and the register at once. All are handed on where they
// lie.
//
// RUN: %prove --launch %S/epilogue_registers.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s --check-prefix=TEXT
// TEXT-NOT: to_warp_layout
// TEXT-LABEL: byTwo(
// TEXT: lp::each_pair(acc[i][j], j, [&](int lane, int warp, int j, int lower, const auto &v) {
// TEXT: for (int e = 2 * lower; e < 2 * lower + 2; e += 2) {
// TEXT: make_float2(v[0] * scale, v[1] * scale);
// TEXT-LABEL: inOneArray(
// TEXT: lp::each_pair(lp::tile<float, 4>(acc, i * 2 + j), j, [&](int lane, int warp, int j, int lower, const auto &v) {
// TEXT-LABEL: oneByOne(
// TEXT: lp::each_pair(lp::tile<float, 4>(acc, j), j, [&](int lane, int warp, int j, int lower, const auto &v) {
// TEXT: C[row * N + column] = v[e & 1] * scale;
// TEXT-LABEL: turned(
// TEXT: for (int j = 0; j < 8; j += 4)
// TEXT: lp::each_pair_2(lp::tile<float, 4>(acc, i * 8 + j), lp::tile<float, 4>(acc, i * 8 + (j + 1)),
// TEXT-LABEL: inOneLoop(
// TEXT: for (int t = 0; t < 4; ++t) lp::each_pair{{[_0-9]*}}(lp::tile<float, 4>(acc, t), [&](int lane, int lower, const auto &pair) {
#include <cuda_fp16.h>
#include <cuda_runtime.h>

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
__device__ __forceinline__ void mma(float *d, const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// 64 rows of A for a block, 16 columns of B.
__device__ __forceinline__ void copyTiles(half (*sA)[24], half (*sB)[24], const half *A,
                                          const half *B, int K) {
  for (int v = threadIdx.x; v < 128; v += 64)
    *(uint4 *)&sA[v / 2][v % 2 * 8] =
        *(const uint4 *)&A[(blockIdx.y * 64 + v / 2) * K + v % 2 * 8];
  if (threadIdx.x < 32)
    *(uint4 *)&sB[threadIdx.x / 2][threadIdx.x % 2 * 8] =
        *(const uint4 *)&B[(blockIdx.x * 16 + threadIdx.x / 2) * K + threadIdx.x % 2 * 8];
}

__global__ void __launch_bounds__(64)
    byTwo(const half *A, const half *B, float *C, int N, int K, float scale) {
  __shared__ __align__(16) half sA[64][24], sB[16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[2][2][4] = {};
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    unsigned a[2][4], b[2][2];
    for (int i = 0; i < 2; ++i)
      ldsm4(a[i], &sA[warp * 32 + i * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j)
      ldsm2(b[j], &sB[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        mma(acc[i][j], a[i], b[j]);
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; e += 2) {
        const int row = blockIdx.y * 64 + warp * 32 + i * 16 + lane / 4 + e / 2 * 8;
        const int column = blockIdx.x * 16 + j * 8 + lane % 4 * 2;
        *(float2 *)&C[row * N + column] =
            make_float2(acc[i][j][e] * scale, acc[i][j][e + 1] * scale);
      }
}

__global__ void __launch_bounds__(64)
    inOneArray(const half *A, const half *B, float *C, int N, int K, float scale) {
  __shared__ __align__(16) half sA[64][24], sB[16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[2 * 2 * 4];
  for (int i = 0; i < 16; ++i)
    acc[i] = 0.f;
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    unsigned a[2][4], b[2][2];
    for (int i = 0; i < 2; ++i)
      ldsm4(a[i], &sA[warp * 32 + i * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j)
      ldsm2(b[j], &sB[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        mma(acc + (i * 2 + j) * 4, a[i], b[j]);
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int h = 0; h < 2; ++h) {
        const int row = blockIdx.y * 64 + warp * 32 + i * 16 + lane / 4 + h * 8;
        const int column = blockIdx.x * 16 + j * 8 + lane % 4 * 2;
        *(float2 *)&C[row * N + column] = make_float2(acc[(i * 2 + j) * 4 + h * 2] * scale,
                                                      acc[(i * 2 + j) * 4 + h * 2 + 1] * scale);
      }
}

__global__ void __launch_bounds__(64)
    oneByOne(const half *A, const half *B, float *C, int N, int K, float scale) {
  __shared__ __align__(16) half sA[64][24], sB[16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[8] = {};
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    unsigned a[4];
    ldsm4(a, &sA[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j) {
      unsigned b[2];
      ldsm2(b, &sB[j * 8 + lane % 8][lane / 8 % 2 * 8]);
      mma(&acc[j * 4], a, b);
    }
    __syncthreads();
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e) {
      const int row = blockIdx.y * 64 + warp * 16 + lane / 4 + e / 2 * 8;
      const int column = blockIdx.x * 16 + j * 8 + lane % 4 * 2 + e % 2;
      C[row * N + column] = acc[j * 4 + e] * scale;
    }
}

// B lies along n in memory, and four tiles are read together.
__global__ void __launch_bounds__(64)
    turned(const half *A, const half *B, float *C, int N, int K, float scale) {
  __shared__ __align__(16) half sA[64][24], sB[16][72];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[2 * 8 * 4] = {};
  for (int k = 0; k < K; k += 16) {
    for (int v = threadIdx.x; v < 128; v += 64) {
      *(uint4 *)&sA[v / 2][v % 2 * 8] =
          *(const uint4 *)&A[(blockIdx.y * 64 + v / 2) * K + k + v % 2 * 8];
      *(uint4 *)&sB[v / 8][v % 8 * 8] = *(const uint4 *)&B[(k + v / 8) * N + v % 8 * 8];
    }
    __syncthreads();
    unsigned a[2][4], b[8][2];
    for (int i = 0; i < 2; ++i)
      ldsm4(a[i], &sA[warp * 32 + i * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 8; ++j)
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];\n"
                   : "=r"(b[j][0]), "=r"(b[j][1])
                   : "r"((unsigned)__cvta_generic_to_shared(&sB[lane % 16][j * 8])));
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 8; ++j)
        mma(acc + (i * 8 + j) * 4, a[i], b[j]);
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 8; ++j)
      for (int e = 0; e < 4; e += 2) {
        const int row = blockIdx.y * 64 + warp * 32 + i * 16 + lane / 4 + e / 2 * 8;
        *(float2 *)&C[row * N + j * 8 + lane % 4 * 2] =
            make_float2(acc[(i * 8 + j) * 4 + e] * scale, acc[(i * 8 + j) * 4 + e + 1] * scale);
      }
}

// The products count tiles by two loops, the epilogue by one; each tile has an MFMA for itself.
__global__ void __launch_bounds__(64) inOneLoop(const half *A, const half *B, float *C, int N, int K, float scale) {
  __shared__ __align__(16) half sA[64][24], sB[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[16] = {};
  for (int k = 0; k < K; k += 16) {
    for (int v = threadIdx.x; v < 64; v += 64) {
      *(uint4 *)&sA[v / 2][v % 2 * 8] = *(const uint4 *)&A[(blockIdx.y * 32 + v / 2) * K + k + v % 2 * 8];
      *(uint4 *)&sB[v / 2][v % 2 * 8] = *(const uint4 *)&B[v / 2 * K + k + v % 2 * 8];
    }
    __syncthreads();
    unsigned a[2][4], b[2][2];
    for (int i = 0; i < 2; ++i)
      ldsm4(a[i], &sA[i * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j)
      ldsm2(b[j], &sB[warp * 16 + j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        mma(&acc[(i * 2 + j) * 4], a[i], b[j]);
    __syncthreads();
  }
  for (int t = 0; t < 4; ++t) {
      const int row = blockIdx.y * 32 + t / 2 * 16 + lane / 4;
      const int column = warp * 16 + t % 2 * 8 + lane % 4 * 2;
      for (int e = 0; e < 4; ++e)
        C[(row + e / 2 * 8) * N + column + e % 2] = acc[t * 4 + e] * scale;
  }
}
