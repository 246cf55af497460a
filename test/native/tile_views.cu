// Pointers and references to a tile's registers that the epilogue declares: of another type than the
// accumulator's, to half of a tile, to classes and vectors, into tiles behind each other in one array,
// from one to the next. All are handed on where they lie.
//
// RUN: %prove --launch %S/tile_views.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s --check-prefix=TEXT
// TEXT-NOT: to_warp_layout
// TEXT-LABEL: words(
// TEXT: lp::each_pair(acc[i][j], j, [&](int lane, int warp, int j, int lower, auto &v) {
// TEXT: float *f = reinterpret_cast<float *>(v);
// TEXT-NEXT: *(half2 *)&C[(row + 8 * lower) * N + column] = __floats2half2_rn(f[0], f[1]);
// TEXT-NEXT: });
// TEXT-LABEL: pairs(
// TEXT: const float2 *pair = (const float2 *)v;
// TEXT: make_float2(pair[0].x * 2.f, pair[0].y);
// TEXT-LABEL: halfOfTile(
// TEXT-NOT: const float *c
// TEXT: C[row * N + column + e] = v[e & 1] + 1.f;
// TEXT-LABEL: ofClass(
// TEXT: (acc[i][j].x, j, [&](int lane, int warp, int j, int lower, const auto &v) {
// TEXT-NOT: const Frag &c
// TEXT: if (row + 8 * lower < M)
// TEXT-NEXT: *(float2 *)&C[(row + 8 * lower) * N + column] = make_float2(v[0], v[1]);
// TEXT-LABEL: oneArray(
// TEXT: (lp::tile<float, 4>(acc, i * 2 + j), j, [&](int lane, int warp, int j, int lower, const auto &v) {
// TEXT-NEXT: for (int e = 2 * lower; e < 2 * lower + 2; ++e) {
// TEXT: C[row * N + column] = v[e & 1];
// TEXT-LABEL: halves(
// TEXT: half2 *h = reinterpret_cast<half2 *>(&v);
// TEXT-NEXT: *(half2 *)&C[(row + 8 * lower) * N + column] = h[0];
// TEXT-LABEL: changed(
// TEXT-NOT: auto &rows
// TEXT: lp::each_pair(acc[i][j], j, [&](int lane, int warp, int j, int lower, auto &v) {
// TEXT: v[0] += bias[column];
// TEXT-NEXT: v[1] += bias[column + 1];
// TEXT: make_float2(v[0], v[1]);
// TEXT-LABEL: numbered(
// TEXT: for (int t = 0; t < 4; ++t) lp::each_pair{{[_0-9]*}}(acc[t / 2][t % 2], [&](int lane, int lower, const auto &pair) {
// TEXT-LABEL: summed(
// TEXT-NOT: const float *c
// TEXT: (lp::tile<float, 4>(acc, i * 2 + j), j, [&](int lane, int warp, int j, int lower, const auto &v) {
// TEXT: = make_float2(v[0], v[1]);
// TEXT-LABEL: byPointer(
// TEXT: (acc[i][j].x, j, [&](int lane, int warp, int j, int lower, auto &v) {
// TEXT: v[0] *= 2.f;
// TEXT-NEXT: *(float2 *)&C[(row + 8 * lower) * N + column] = make_float2(v[0], v[1]);
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void ldsm2(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];\n"
               : "=r"(r[0]), "=r"(r[1])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void mma(float *d, const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void mmaWords(uint32_t *d, const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};\n"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void mmaHalves(uint32_t *d, const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, "
               "{%6,%7}, {%0,%1};\n"
               : "+r"(d[0]), "+r"(d[1])
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

struct Frag {
  float x[4];
  __device__ float &operator[](int i) { return x[i]; }
  __device__ const float &operator[](int i) const { return x[i]; }
};

// Two warps, one above the other, of 32 x 16.
__global__ void __launch_bounds__(64) words(const half *A, const half *B, half *C, int N, int K) {
  __shared__ __align__(16) half sA[64][24], sB[16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  uint32_t acc[2][2][4] = {};
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    uint32_t a[2][4], b[2][2];
    for (int i = 0; i < 2; ++i)
      ldsm4(a[i], &sA[warp * 32 + i * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j)
      ldsm2(b[j], &sB[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        mmaWords(acc[i][j], a[i], b[j]);
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const int row = blockIdx.y * 64 + warp * 32 + i * 16 + lane / 4;
      const int column = blockIdx.x * 16 + j * 8 + lane % 4 * 2;
      float *f = reinterpret_cast<float *>(acc[i][j]);
      *(half2 *)&C[row * N + column] = __floats2half2_rn(f[0], f[1]);
      *(half2 *)&C[(row + 8) * N + column] = __floats2half2_rn(f[2], f[3]);
    }
}

__global__ void __launch_bounds__(64) pairs(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[64][24], sB[16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[2][2][4] = {};
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    uint32_t a[2][4], b[2][2];
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
    for (int j = 0; j < 2; ++j) {
      const float2 *pair = (const float2 *)acc[i][j];
      for (int r = 0; r < 2; ++r) {
        const int row = blockIdx.y * 64 + warp * 32 + i * 16 + r * 8 + lane / 4;
        const int column = blockIdx.x * 16 + j * 8 + lane % 4 * 2;
        *(float2 *)&C[row * N + column] = make_float2(pair[r].x * 2.f, pair[r].y);
      }
    }
}

__global__ void __launch_bounds__(64) halfOfTile(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[64][24], sB[16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[2][2][4] = {};
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    uint32_t a[2][4], b[2][2];
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
      for (int r = 0; r < 2; ++r) {
        const int row = blockIdx.y * 64 + warp * 32 + i * 16 + r * 8 + lane / 4;
        const int column = blockIdx.x * 16 + j * 8 + lane % 4 * 2;
        const float *c = &acc[i][j][2 * r];
        for (int e = 0; e < 2; ++e)
          C[row * N + column + e] = c[e] + 1.f;
      }
}

__global__ void __launch_bounds__(64) ofClass(const half *A, const half *B, float *C, int M, int N, int K) {
  __shared__ __align__(16) half sA[64][24], sB[16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Frag acc[2][2];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        acc[i][j][e] = 0.f;
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    uint32_t a[2][4], b[2][2];
    for (int i = 0; i < 2; ++i)
      ldsm4(a[i], &sA[warp * 32 + i * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j)
      ldsm2(b[j], &sB[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        mma(acc[i][j].x, a[i], b[j]);
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const Frag &c = acc[i][j];
      const int row = blockIdx.y * 64 + warp * 32 + i * 16 + lane / 4;
      const int column = blockIdx.x * 16 + j * 8 + lane % 4 * 2;
      if (row < M)
        *(float2 *)&C[row * N + column] = make_float2(c[0], c[1]);
      if (row + 8 < M)
        *(float2 *)&C[(row + 8) * N + column] = make_float2(c[2], c[3]);
    }
}

__global__ void __launch_bounds__(64) oneArray(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[64][24], sB[16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[16] = {};
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    uint32_t a[2][4], b[2][2];
    for (int i = 0; i < 2; ++i)
      ldsm4(a[i], &sA[warp * 32 + i * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j)
      ldsm2(b[j], &sB[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        mma(&acc[(i * 2 + j) * 4], a[i], b[j]);
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const float *c = &acc[(i * 2 + j) * 4];
      for (int e = 0; e < 4; ++e) {
        const int row = blockIdx.y * 64 + warp * 32 + i * 16 + lane / 4 + e / 2 * 8;
        const int column = blockIdx.x * 16 + j * 8 + lane % 4 * 2 + e % 2;
        C[row * N + column] = c[e];
      }
    }
}

// Sums of f16, two in a word.
__global__ void __launch_bounds__(64) halves(const half *A, const half *B, half *C, int N, int K) {
  __shared__ __align__(16) half sA[64][24], sB[16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  uint32_t acc[2][2][2] = {};
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    uint32_t a[2][4], b[2][2];
    for (int i = 0; i < 2; ++i)
      ldsm4(a[i], &sA[warp * 32 + i * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j)
      ldsm2(b[j], &sB[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        mmaHalves(acc[i][j], a[i], b[j]);
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const int row = blockIdx.y * 64 + warp * 32 + i * 16 + lane / 4;
      const int column = blockIdx.x * 16 + j * 8 + lane % 4 * 2;
      half2 *h = reinterpret_cast<half2 *>(acc[i][j]);
      *(half2 *)&C[row * N + column] = h[0];
      *(half2 *)&C[(row + 8) * N + column] = h[1];
    }
}

// Elements are changed through a name; of one tile after the other.
__global__ void __launch_bounds__(64)
    changed(const half *A, const half *B, const float *__restrict__ bias, float *__restrict__ C, int N, int K) {
  __shared__ __align__(16) half sA[64][24], sB[16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[2][2][4] = {};
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    uint32_t a[2][4], b[2][2];
    for (int i = 0; i < 2; ++i)
      ldsm4(a[i], &sA[warp * 32 + i * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j)
      ldsm2(b[j], &sB[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        mma(acc[i][j], a[i], b[j]);
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i) {
    auto &rows = acc[i];
    for (int j = 0; j < 2; ++j) {
      float (&c)[4] = rows[j];
      const int column = blockIdx.x * 16 + j * 8 + lane % 4 * 2;
      c[0] += bias[column];
      c[1] += bias[column + 1];
      c[2] += bias[column];
      c[3] += bias[column + 1];
      const int row = blockIdx.y * 64 + warp * 32 + i * 16 + lane / 4;
      *(float2 *)&C[row * N + column] = make_float2(c[0], c[1]);
      *(float2 *)&C[(row + 8) * N + column] = make_float2(c[2], c[3]);
    }
  }
}

// Two warps side by side, that read one A; all tiles in one loop.
__global__ void __launch_bounds__(64) numbered(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[64][24], sB[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[2][2][4] = {};
  for (int k = 0; k < K; k += 16) {
    for (int v = threadIdx.x; v < 64; v += 64) {
      *(uint4 *)&sA[v / 2][v % 2 * 8] = *(const uint4 *)&A[(blockIdx.y * 32 + v / 2) * K + k + v % 2 * 8];
      *(uint4 *)&sB[v / 2][v % 2 * 8] = *(const uint4 *)&B[v / 2 * K + k + v % 2 * 8];
    }
    __syncthreads();
    uint32_t a[2][4], b[2][2];
    for (int i = 0; i < 2; ++i)
      ldsm4(a[i], &sA[i * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j)
      ldsm2(b[j], &sB[warp * 16 + j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        mma(acc[i][j], a[i], b[j]);
    __syncthreads();
  }
  for (int t = 0; t < 4; ++t) {
      const int row = blockIdx.y * 32 + t / 2 * 16 + lane / 4;
      const int column = warp * 16 + t % 2 * 8 + lane % 4 * 2;
      const float (&c)[4] = acc[t / 2][t % 2];
      *(float2 *)&C[row * N + column] = make_float2(c[0], c[1]);
      *(float2 *)&C[(row + 8) * N + column] = make_float2(c[2], c[3]);
  }
}

// Places in an array, by sums.
__global__ void __launch_bounds__(64) summed(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[64][24], sB[16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[16] = {};
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    uint32_t a[2][4], b[2][2];
    for (int i = 0; i < 2; ++i)
      ldsm4(a[i], &sA[warp * 32 + i * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j)
      ldsm2(b[j], &sB[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        mma(&acc[(i * 2 + j) * 4], a[i], b[j]);
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const int row = blockIdx.y * 64 + warp * 32 + i * 16 + lane / 4;
      const int column = blockIdx.x * 16 + j * 8 + lane % 4 * 2;
      const float *c = acc + i * 8 + j * 4;
      *(float2 *)&C[row * N + column] = make_float2(c[0], c[1]);
      *(float2 *)&C[(row + 8) * N + column] = make_float2(c[2], c[3]);
    }
}

__global__ void __launch_bounds__(64) byPointer(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[64][24], sB[16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Frag acc[2][2] = {};
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    uint32_t a[2][4], b[2][2];
    for (int i = 0; i < 2; ++i)
      ldsm4(a[i], &sA[warp * 32 + i * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j)
      ldsm2(b[j], &sB[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        mma(acc[i][j].x, a[i], b[j]);
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const int row = blockIdx.y * 64 + warp * 32 + i * 16 + lane / 4;
      const int column = blockIdx.x * 16 + j * 8 + lane % 4 * 2;
      Frag *c = &acc[i][j];
      c->x[0] *= 2.f;
      c->x[2] *= 2.f;
      *(float2 *)&C[row * N + column] = make_float2(c->x[0], c->x[1]);
      *(float2 *)&C[(row + 8) * N + column] = make_float2(c->x[2], c->x[3]);
    }
}
