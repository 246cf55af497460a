// A struct of numbers that says where a thread's work is, handed by value or by reference to functions
// that read operands and store results: its members are said for another lane, or asked of it.
//
// RUN: %prove --launch %S/positions.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

struct Position {
  int lane, row, column;
};
struct Placed {
  int lane, row, column, n;
};
struct Made { // by a constructor; without another
  unsigned lane;
  size_t row;
  unsigned column;
  __device__ explicit Made(unsigned tid) : lane(tid & 31), row(tid / 64 * 32), column(tid / 32 % 2 * 16) {}
};
struct Frame {
  int lane, row, column;
  int pitch;
  int first; // changes
  float scale;
  const half *tile; // leads to shared memory
};

constexpr int kPitch = 40;
using Tile = half[64][kPitch];

__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  const uint32_t at = __cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}
__device__ __forceinline__ void ldsm2(uint32_t (&r)[2], const half *p) {
  const uint32_t at = __cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"(at));
}
__device__ __forceinline__ void multiply(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
               "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void stage(Tile &a, Tile &b, const half *A, const half *B, int K, int k0) {
  for (unsigned v = threadIdx.x; v < 64 * 32 / 8; v += blockDim.x)
    *(uint4 *)&a[v / 4][v % 4 * 8] = *(const uint4 *)&A[(blockIdx.y * 64 + v / 4) * K + k0 + v % 4 * 8];
  for (unsigned v = threadIdx.x; v < 32 * 32 / 8; v += blockDim.x)
    *(uint4 *)&b[v / 4][v % 4 * 8] = *(const uint4 *)&B[(blockIdx.x * 32 + v / 4) * K + k0 + v % 4 * 8];
  __syncthreads();
}

// What is the same for all stays as it is.
//
// CHECK: void listedA(
// CHECK: [&, at_ = at](int lane, int warp{{.*}}) {
// CHECK-NEXT: const Placed at = {lane, warp / 2 * 32, warp % 2 * 16, at_.n};
// CHECK-NEXT: return &tile[at.row + i * 16 + at.lane % 16][k + at.lane / 16 * 8];
// CHECK: void listedStore(
// CHECK: const Placed at = {lane, warp / 2 * 32, warp % 2 * 16, at_.n};
__device__ __forceinline__ void listedA(uint32_t (&a)[2][4], const Tile &tile, const Placed &at, int k) {
  for (int i = 0; i < 2; ++i)
    ldsm4(a[i], &tile[at.row + i * 16 + at.lane % 16][k + at.lane / 16 * 8]);
}
__device__ __forceinline__ void listedB(uint32_t (&b)[2][2], const Tile &tile, const Placed &at, int k) {
  for (int j = 0; j < 2; ++j)
    ldsm2(b[j], &tile[at.column + j * 8 + at.lane % 8][k + at.lane / 8 % 2 * 8]);
}
__device__ __forceinline__ void listedStore(float *C, const float (&c)[2][2][4], const Placed &at) {
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int h = 0; h < 2; ++h) {
        const int row = blockIdx.y * 64 + at.row + i * 16 + at.lane / 4 + h * 8;
        const int column = blockIdx.x * 32 + at.column + j * 8 + at.lane % 4 * 2;
        *reinterpret_cast<float2 *>(&C[row * at.n + column]) = make_float2(c[i][j][2 * h], c[i][j][2 * h + 1]);
      }
}
__global__ void __launch_bounds__(128) listed(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) Tile tileA, tileB;
  const int warp = threadIdx.x / 32;
  const Placed at = {(int)threadIdx.x % 32, warp / 2 * 32, warp % 2 * 16, N};
  uint32_t a[2][4], b[2][2];
  float c[2][2][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    stage(tileA, tileB, A, B, K, k0);
#pragma unroll
    for (int k = 0; k < 32; k += 16) {
      listedA(a, tileA, at, k);
      listedB(b, tileB, at, k);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          multiply(c[i][j], a[i], b[j]);
    }
    __syncthreads();
  }
  listedStore(C, c, at);
}

// Made by a function, handed by value and on.
//
// CHECK: void handedA(
// CHECK: [&](int lane, int warp{{.*}}) {
// CHECK-NEXT: const Position at = {lane, warp / 2 * 32, warp % 2 * 16};
__device__ __forceinline__ Position locate() {
  Position at;
  const int warp = threadIdx.x >> 5;
  at.lane = threadIdx.x & 31;
  at.row = warp / 2 * 32;
  at.column = warp % 2 * 16;
  return at;
}
__device__ __forceinline__ void handedA(uint32_t (&a)[2][4], const Tile &tile, Position at, int k) {
  for (int i = 0; i < 2; ++i)
    ldsm4(a[i], &tile[at.row + i * 16 + at.lane % 16][k + at.lane / 16 * 8]);
}
__device__ __forceinline__ void handedB(uint32_t (&b)[2][2], const Tile &tile, Position at, int k) {
  for (int j = 0; j < 2; ++j)
    ldsm2(b[j], &tile[at.column + j * 8 + at.lane % 8][k + at.lane / 8 % 2 * 8]);
}
__device__ __forceinline__ void handedStore(float *C, const float (&c)[2][2][4], Position at, int N) {
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int h = 0; h < 2; ++h) {
        const int row = blockIdx.y * 64 + at.row + i * 16 + at.lane / 4 + h * 8;
        const int column = blockIdx.x * 32 + at.column + j * 8 + at.lane % 4 * 2;
        *reinterpret_cast<float2 *>(&C[row * N + column]) = make_float2(c[i][j][2 * h], c[i][j][2 * h + 1]);
      }
}
__device__ __forceinline__ void handedBoth(uint32_t (&a)[2][4], uint32_t (&b)[2][2], const Tile &ta, const Tile &tb,
                                           const Position &place, int k) {
  handedA(a, ta, place, k);
  handedB(b, tb, place, k);
}
__global__ void __launch_bounds__(128) handed(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) Tile tileA, tileB;
  const Position at = locate();
  uint32_t a[2][4], b[2][2];
  float c[2][2][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    stage(tileA, tileB, A, B, K, k0);
#pragma unroll
    for (int k = 0; k < 32; k += 16) {
      handedBoth(a, b, tileA, tileB, at, k);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          multiply(c[i][j], a[i], b[j]);
    }
    __syncthreads();
  }
  handedStore(C, c, at, N);
}

// CHECK: void madeA(
// CHECK: [&, at_ = at](int lane, int warp{{.*}}) {
// CHECK-NEXT: auto at = at_;
// CHECK-NEXT: at.lane = unsigned(lane);
// CHECK-NEXT: at.row = static_cast<unsigned long>(warp / 2 * 32);
// CHECK-NEXT: at.column = unsigned(warp % 2 * 16);
__device__ __forceinline__ void madeA(uint32_t (&a)[2][4], const Tile &tile, const Made &at, int k) {
  for (int i = 0; i < 2; ++i)
    ldsm4(a[i], &tile[at.row + i * 16 + at.lane % 16][k + at.lane / 16 * 8]);
}
__device__ __forceinline__ void madeB(uint32_t (&b)[2][2], const Tile &tile, const Made &at, int k) {
  for (int j = 0; j < 2; ++j)
    ldsm2(b[j], &tile[at.column + j * 8 + at.lane % 8][k + at.lane / 8 % 2 * 8]);
}
__device__ __forceinline__ void madeStore(float *C, const float (&c)[2][2][4], const Made &at, int N) {
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int h = 0; h < 2; ++h) {
        const int row = blockIdx.y * 64 + at.row + i * 16 + at.lane / 4 + h * 8;
        const int column = blockIdx.x * 32 + at.column + j * 8 + at.lane % 4 * 2;
        *reinterpret_cast<float2 *>(&C[row * N + column]) = make_float2(c[i][j][2 * h], c[i][j][2 * h + 1]);
      }
}
__global__ void __launch_bounds__(128) made(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) Tile tileA, tileB;
  const Made at(threadIdx.x);
  uint32_t a[2][4], b[2][2];
  float c[2][2][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    stage(tileA, tileB, A, B, K, k0);
#pragma unroll
    for (int k = 0; k < 32; k += 16) {
      madeA(a, tileA, at, k);
      madeB(b, tileB, at, k);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          multiply(c[i][j], a[i], b[j]);
    }
    __syncthreads();
  }
  madeStore(C, c, at, N);
}

// What changes is asked for, also where the kernel itself uses it.
//
// CHECK: void framedA(
// CHECK: [&, at_ = at](int lane, int warp{{.*}}) {
// CHECK-NEXT: const auto at = lp::of_thread(at_, lane, warp);
// CHECK: Frame at = {lane, warp / 2 * 32, warp % 2 * 16, kPitch, 0, scales[lane], &tileA[0][0]};
// CHECK: lp::load_b_2(b[j], [&, at_ = at](int lane, int warp, int j) {
// CHECK-NEXT: const auto at = lp::of_thread(at_, lane, warp);
__device__ __forceinline__ void framedA(uint32_t (&a)[2][4], const Frame &at) {
  for (int i = 0; i < 2; ++i) {
    const half *p = at.tile + (at.row + i * 16) * at.pitch + at.first;
    ldsm4(a[i], p + at.lane % 16 * at.pitch + at.lane / 16 * 8);
  }
}
__device__ __forceinline__ void framedStore(float *C, const float (&c)[2][2][4], const Frame &at, int N) {
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        C[(blockIdx.y * 64 + at.row + i * 16 + at.lane / 4 + e / 2 * 8) * N + blockIdx.x * 32 + at.column + j * 8 +
          at.lane % 4 * 2 + e % 2] = c[i][j][e] * at.scale;
}
__global__ void __launch_bounds__(128) framed(const half *A, const half *B, const float *scales, float *C, int N, int K) {
  __shared__ __align__(16) Tile tileA, tileB;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Frame at = {lane, warp / 2 * 32, warp % 2 * 16, kPitch, 0, scales[lane], &tileA[0][0]};
  uint32_t a[2][4], b[2][2];
  float c[2][2][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    stage(tileA, tileB, A, B, K, k0);
#pragma unroll
    for (int k = 0; k < 32; k += 16) {
      at.first = k;
      framedA(a, at);
      for (int j = 0; j < 2; ++j)
        ldsm2(b[j], &tileB[at.column + j * 8 + lane % 8][k + lane / 8 % 2 * 8]);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          multiply(c[i][j], a[i], b[j]);
    }
    __syncthreads();
  }
  framedStore(C, c, at, N);
}

// Another instance may be somewhere else.
//
// CHECK: void turnedA(
// CHECK: [&, at_ = at](int lane, int warp{{.*}}) {
// CHECK-NEXT: const auto at = lp::of_thread(at_, lane, warp);
__device__ __forceinline__ void turnedA(uint32_t (&a)[2][4], const Tile &tile, const Position &at, int k) {
  for (int i = 0; i < 2; ++i)
    ldsm4(a[i], &tile[at.row + i * 16 + at.lane % 16][k + at.lane / 16 * 8]);
}
__device__ __forceinline__ void turnedB(uint32_t (&b)[2][2], const Tile &tile, const Position &at, int k) {
  for (int j = 0; j < 2; ++j)
    ldsm2(b[j], &tile[at.column + j * 8 + at.lane % 8][k + at.lane / 8 % 2 * 8]);
}
__device__ __forceinline__ void turnedStore(float *C, const float (&c)[2][2][4], const Position &at, int N) {
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int h = 0; h < 2; ++h) {
        const int row = blockIdx.y * 64 + at.row + i * 16 + at.lane / 4 + h * 8;
        const int column = blockIdx.x * 32 + at.column + j * 8 + at.lane % 4 * 2;
        *reinterpret_cast<float2 *>(&C[row * N + column]) = make_float2(c[i][j][2 * h], c[i][j][2 * h + 1]);
      }
}
template <bool kTurned> __global__ void __launch_bounds__(128) turned(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) Tile tileA, tileB;
  const int warp = threadIdx.x / 32, column = warp % 2 * 16;
  const Position at = {(int)threadIdx.x % 32, warp / 2 * 32, kTurned ? 16 - column : column};
  uint32_t a[2][4], b[2][2];
  float c[2][2][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    stage(tileA, tileB, A, B, K, k0);
#pragma unroll
    for (int k = 0; k < 32; k += 16) {
      turnedA(a, tileA, at, k);
      turnedB(b, tileB, at, k);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          multiply(c[i][j], a[i], b[j]);
    }
    __syncthreads();
  }
  turnedStore(C, c, at, N);
}
template __global__ void turned<false>(const half *, const half *, float *, int, int);
template __global__ void turned<true>(const half *, const half *, float *, int, int);
