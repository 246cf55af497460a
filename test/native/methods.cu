// Fragments as small classes: each loads itself, sums clear themselves and multiply. One
// kernel keeps arrays of them, the other one object for all tiles of a warp.
//
// RUN: %prove --launch %S/methods.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
#include <cuda_fp16.h>
#include <cuda_runtime.h>

struct FragmentA {
  unsigned x[4];
  __device__ __forceinline__ void load(const half *p) {
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(p));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(at));
  }
};

struct FragmentB {
  unsigned x[2];
  __device__ __forceinline__ void load(const half *p) {
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(p));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];\n"
                 : "=r"(this->x[0]), "=r"(this->x[1]) : "r"(at));
  }
};

struct Sum {
  float c[4];
  __device__ void add(const FragmentA &a, const FragmentB &b) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a.x[0]), "r"(a.x[1]), "r"(a.x[2]), "r"(a.x[3]), "r"(b.x[0]), "r"(b.x[1]));
  }
};

template <int M, int N> __device__ void clear(Sum (&sum)[M][N]) {
#pragma unroll
  for (int i = 0; i < M; ++i)
#pragma unroll
    for (int j = 0; j < N; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        sum[i][j].c[e] = 0.f;
}

__device__ void copyTiles(half *sA, half *sB, const half *A, const half *B, int K) {
  for (int v = threadIdx.x; v < 128; v += 64)
    *(uint4 *)(sA + v / 2 * 24 + v % 2 * 8) = *(const uint4 *)(A + v / 2 * K + v % 2 * 8);
  for (int v = threadIdx.x; v < 64; v += 64)
    *(uint4 *)(sB + v / 2 * 24 + v % 2 * 8) = *(const uint4 *)(B + v / 2 * K + v % 2 * 8);
}

// 2 warps of 32 x 32, one above the other.
__global__ void __launch_bounds__(64) objects(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[64 * 24], sB[32 * 24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Sum sum[2][4];
  clear(sum);
  for (int k0 = 0; k0 < K; k0 += 16) {
    copyTiles(sA, sB, A + blockIdx.y * 64 * K + k0, B + blockIdx.x * 32 * K + k0, K);
    __syncthreads();
    FragmentA a[2];
    FragmentB b[4];
#pragma unroll
    for (int i = 0; i < 2; ++i)
      a[i].load(sA + (warp * 32 + i * 16 + lane % 16) * 24 + lane / 16 * 8);
#pragma unroll
    for (int j = 0; j < 4; ++j)
      b[j].load(sB + (j * 8 + lane % 8) * 24 + lane / 8 % 2 * 8);
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j)
        sum[i][j].add(a[i], b[j]);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int row = blockIdx.y * 64 + warp * 32 + i * 16 + lane / 4;
      const int col = blockIdx.x * 32 + j * 8 + lane % 4 * 2;
      C[row * N + col] = sum[i][j].c[0];
      C[row * N + col + 1] = sum[i][j].c[1];
      C[(row + 8) * N + col] = sum[i][j].c[2];
      C[(row + 8) * N + col + 1] = sum[i][j].c[3];
    }
}

class Tiles {
public:
  __device__ void clear() {
    for (int j = 0; j < 4; ++j)
      for (int e = 0; e < 4; ++e)
        c[j][e] = 0.f;
  }
  float c[4][4];
  FragmentA a;
  FragmentB b[4];
};

// 2 warps of 16 x 32, one above the other; its members are loaded and multiplied by name.
__global__ void __launch_bounds__(64) oneObject(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[64 * 24], sB[32 * 24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Tiles t;
  t.clear();
  for (int k0 = 0; k0 < K; k0 += 16) {
    copyTiles(sA, sB, A + blockIdx.y * 64 * K + k0, B + blockIdx.x * 32 * K + k0, K);
    __syncthreads();
    t.a.load(sA + (warp * 16 + lane % 16) * 24 + lane / 16 * 8);
#pragma unroll
    for (int j = 0; j < 4; ++j)
      t.b[j].load(sB + (j * 8 + lane % 8) * 24 + lane / 8 % 2 * 8);
#pragma unroll
    for (int j = 0; j < 4; ++j)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                   "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                   : "+f"(t.c[j][0]), "+f"(t.c[j][1]), "+f"(t.c[j][2]), "+f"(t.c[j][3])
                   : "r"(t.a.x[0]), "r"(t.a.x[1]), "r"(t.a.x[2]), "r"(t.a.x[3]),
                     "r"(t.b[j].x[0]), "r"(t.b[j].x[1]));
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 4; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.y * 64 + warp * 16 + lane / 4 + e / 2 * 8) * N + blockIdx.x * 32 + j * 8 +
        lane % 4 * 2 + e % 2] = t.c[j][e];
}
