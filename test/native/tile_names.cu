// Names of tiles and of shared memory: a pointer into a flat array of sums in a template's function,
// pointers to structs, references to structs in shared memory, sums set by loops over references, by
// memset and as vectors.
//
// RUN: %prove --launch %S/tile_names.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>

constexpr int BK = 32, LD = BK + 8;
struct Tiles {
  half a[64][LD], b[32][LD];
};

__device__ __forceinline__ void ldsm4(uint32_t *r, const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
#define MMA(c0, c1, c2, c3, a0, a1, a2, a3, b0, b1)                                                \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "  \
               "{%8,%9}, {%0,%1,%2,%3};"                                                           \
               : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)                                            \
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1))

__device__ void fetch(Tiles &tiles, const half *A, const half *B, int k0, int K) {
  for (int i = threadIdx.x; i < 64 * BK; i += blockDim.x)
    tiles.a[i / BK][i % BK] = A[i / BK * K + k0 + i % BK];
  for (int i = threadIdx.x; i < 32 * BK; i += blockDim.x)
    tiles.b[i / BK][i % BK] = B[i / BK * K + k0 + i % BK];
}
// float *sum is a place in c.
// CHECK: void multiply(
// CHECK-NOT: float *sum
// CHECK: lp::mma_m16n8k16_f32_f16_steps_wave{{[_0-9]*}}({{.*}}lp::tile<float, 4>(c, (i * N + j) & ~1), lp::tile<float, 4>(c, (i * N + j) | 1),
template <int M, int N>
__device__ void multiply(uint32_t *a, uint32_t *b, float *c, const half *as, const half *bs, int warp,
                         int lane) {
  for (int k = 0; k < BK; k += 16) {
    for (int i = 0; i < M; ++i)
      ldsm4(a + i * 4, as + (warp * 16 + lane % 16) * LD + k + lane / 16 * 8);
    for (int j = 0; j < N; ++j)
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                   : "=r"(b[j * 2]), "=r"(b[j * 2 + 1])
                   : "r"((uint32_t)__cvta_generic_to_shared(bs + (j * 8 + lane % 8) * LD + k + lane / 8 % 2 * 8)));
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) {
        float *sum = &c[(i * N + j) * 4];
        MMA(sum[0], sum[1], sum[2], sum[3], a[i * 4], a[i * 4 + 1], a[i * 4 + 2], a[i * 4 + 3], b[j * 2],
            b[j * 2 + 1]);
      }
  }
}
template <int M, int N>
__global__ void __launch_bounds__(128) inFunction(const half *A, const half *B, float *C, int K) {
  __shared__ Tiles tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[M * N * 4] = {};
  uint32_t a[M * 4], b[N * 2];
  for (int k0 = 0; k0 < K; k0 += BK) {
    __syncthreads();
    fetch(tiles, A, B, k0, K);
    __syncthreads();
    multiply<M, N>(a, b, c, &tiles.a[0][0], &tiles.b[0][0], warp, lane);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j * 4 + e];
}
template __global__ void inFunction<1, 4>(const half *, const half *, float *, int);

struct FragA {
  uint32_t x[4];
};
struct FragB {
  uint32_t x[2];
};
struct FragC {
  float x[4];
};
__device__ __forceinline__ void mma(FragC *c, const FragA *a, const FragB *b) {
  MMA(c->x[0], c->x[1], c->x[2], c->x[3], (*a).x[0], a->x[1], a->x[2], a->x[3], b->x[0], b->x[1]);
}
__device__ __forceinline__ void ldsm2(FragB *b, const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(b->x[0]), "=r"(b->x[1])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}

// The struct stays where it is: no lane reads a copy of it.
// CHECK: byReference(
// CHECK-NOT: const auto tiles
// CHECK: lp::mma_m16n8k16_f32_f16_steps_wave{{[_0-9]*}}(c[j].x, a.x, b.x, j & 1, held[j], k / 16)
__global__ void __launch_bounds__(128) byReference(const half *A, const half *B, float *C, int K) {
  extern __shared__ __align__(16) unsigned char storage[];
  Tiles *all = reinterpret_cast<Tiles *>(storage);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  FragC c[4] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    auto &tiles = all[k0 / BK % 2];
    fetch(tiles, A, B, k0, K);
    __syncthreads();
    for (int k = 0; k < BK; k += 16) {
      FragA a;
      ldsm4(a.x, &tiles.a[warp * 16 + lane % 16][k + lane / 16 * 8]);
      for (int j = 0; j < 4; ++j) {
        FragB b;
        ldsm2(&b, &tiles.b[j * 8 + lane % 8][k + lane / 8 % 2 * 8]);
        mma(&c[j], &a, &b);
      }
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j].x[e];
}

__global__ void __launch_bounds__(128) setAsVectors(const half *A, const half *B, float *C, int K) {
  __shared__ Tiles store;
  Tiles &tiles = *reinterpret_cast<Tiles *>(&store);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float4 c[4];
  for (auto &sum : c)
    sum = make_float4(0.f, 0.f, 0.f, 0.f);
  for (int k0 = 0; k0 < K; k0 += BK) {
    __syncthreads();
    fetch(tiles, A, B, k0, K);
    __syncthreads();
    for (int k = 0; k < BK; k += 16) {
      uint32_t a[4];
      FragB b;
      ldsm4(a, &tiles.a[warp * 16 + lane % 16][k + lane / 16 * 8]);
      for (int j = 0; j < 4; ++j) {
        ldsm2(&b, &tiles.b[j * 8 + lane % 8][k + lane / 8 % 2 * 8]);
        MMA(c[j].x, c[j].y, c[j].z, c[j].w, a[0], a[1], a[2], a[3], b.x[0], b.x[1]);
      }
    }
  }
  const int row = warp * 16 + lane / 4, col = lane % 4 * 2;
  for (int j = 0; j < 4; ++j) {
    C[row * 32 + j * 8 + col] = c[j].x;
    C[row * 32 + j * 8 + col + 1] = c[j].y;
    C[(row + 8) * 32 + j * 8 + col] = c[j].z;
    C[(row + 8) * 32 + j * 8 + col + 1] = c[j].w;
  }
}

__global__ void __launch_bounds__(128) setWhole(const half *A, const half *B, float *C, int K) {
  __shared__ Tiles tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4], d[4][4];
  memset(c, 0, sizeof(c));
  for (int j = 0; j < 4; ++j)
    *reinterpret_cast<float4 *>(d[j]) = make_float4(0, 0, 0, 0);
  for (int k0 = 0; k0 < K; k0 += BK) {
    __syncthreads();
    fetch(tiles, A, B, k0, K);
    __syncthreads();
    for (int k = 0; k < BK; k += 16) {
      uint32_t a[4];
      FragB b;
      ldsm4(a, &tiles.a[warp * 16 + lane % 16][k + lane / 16 * 8]);
      for (int j = 0; j < 4; ++j) {
        ldsm2(&b, &tiles.b[j * 8 + lane % 8][k + lane / 8 % 2 * 8]);
        MMA(c[j][0], c[j][1], c[j][2], c[j][3], a[0], a[1], a[2], a[3], b.x[0], b.x[1]);
        MMA(d[j][0], d[j][1], d[j][2], d[j][3], a[0], a[1], a[2], a[3], b.x[0], b.x[1]);
      }
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e] + 2.0f * d[j][e];
}
