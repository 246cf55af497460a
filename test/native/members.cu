// Objects that keep where their thread stands: the lane and places made from it are members, set
// once by a method or a constructor; what they are given is the same for all threads, or the lane;
// and one that walks from step to step is asked of the lane that has it.
//
// RUN: %prove --launch %S/members.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kLd = 24;

__device__ __forceinline__ void ldsm4(unsigned (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((unsigned)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void ldsm2(unsigned (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((unsigned)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void mma(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// 64 rows of A, 32 of B, 16 of k.
__device__ void copyTiles(half *sA, half *sB, const half *A, const half *B, int K) {
  for (int v = threadIdx.x; v < 128; v += blockDim.x)
    *(uint4 *)(sA + v / 2 * kLd + v % 2 * 8) = *(const uint4 *)(A + v / 2 * K + v % 2 * 8);
  for (int v = threadIdx.x; v < 64; v += blockDim.x)
    *(uint4 *)(sB + v / 2 * kLd + v % 2 * 8) = *(const uint4 *)(B + v / 2 * K + v % 2 * 8);
}

// 2 x 2 warps of 32 x 16.
struct Corner {
  static_assert(sizeof(unsigned) == 4, "registers are words");
  float sum[2][2][4];
  int lane, top, left;

  __device__ void place() {
    lane = threadIdx.x & 31;
    top = ((threadIdx.x >> 5) >> 1) * 32;
    left = ((threadIdx.x >> 5) & 1) * 16;
    for (auto &row : sum)
      for (auto &tile : row)
        for (float &x : tile)
          x = 0.f;
  }
  // CHECK-LABEL: void multiply(
  // CHECK: lp::load_a(a[i], [&](int lane, int warp, int i) {
  // CHECK-NEXT: const int top = (warp >> 1) * 32;
  // CHECK-NEXT: return sA + (top + i * 16 + lane % 16) * kLd + lane / 16 * 8
  // CHECK: lp::load_b(b[j], [&](int lane, int warp
  // CHECK-NEXT: const int left = (warp & 1) * 16;
  // CHECK-NEXT: return sB + (left + j * 8 + lane % 8) * kLd + lane / 8 % 2 * 8
  __device__ void multiply(const half *sA, const half *sB) {
    unsigned a[2][4], b[2][2];
#pragma unroll
    for (int i = 0; i < 2; ++i)
      ldsm4(a[i], sA + (top + i * 16 + lane % 16) * kLd + lane / 16 * 8);
#pragma unroll
    for (int j = 0; j < 2; ++j)
      ldsm2(b[j], sB + (this->left + j * 8 + lane % 8) * kLd + this->lane / 8 % 2 * 8);
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j)
        mma(sum[i][j], a[i], b[j]);
  }
};

__global__ void __launch_bounds__(128) placed(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[64 * kLd], sB[32 * kLd];
  Corner corner;
  corner.place();
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + blockIdx.y * 64 * K + k, B + blockIdx.x * 32 * K + k, K);
    __syncthreads();
    corner.multiply(sA, sB);
    __syncthreads();
  }
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        C[(blockIdx.y * 64 + warp / 2 * 32 + i * 16 + lane / 4 + e / 2 * 8) * N + blockIdx.x * 32 +
          warp % 2 * 16 + j * 8 + lane % 4 * 2 + e % 2] = corner.sum[i][j][e];
}

// 2 warps of 32 x 32, one above the other. It is given the lane and the warp, and a pitch that
// only the launch knows.
class Slab {
  const int lane_, warp_, pitch_;
  float sum_[2][4][4];
  __device__ void readB(unsigned (&b)[2], const half *sB, int j) const {
    ldsm2(b, sB + (j * 8 + lane_ % 8) * pitch_ + lane_ / 8 % 2 * 8);
  }

public:
  __device__ Slab(int lane, int warp, int pitch) : lane_(lane), warp_(warp), pitch_(pitch), sum_{} {}
  // CHECK-LABEL: void add(
  // CHECK: (a[i], [&](int lane_, int warp_) { return sA + (warp_ * 32 + i * 16 + lane_ % 16) * pitch_ + lane_ / 16 * 8
  __device__ void add(const half *sA, const half *sB) {
    unsigned a[2][4], b[4][2];
    for (int i = 0; i < 2; ++i)
      ldsm4(a[i], sA + (warp_ * 32 + i * 16 + lane_ % 16) * pitch_ + lane_ / 16 * 8);
    for (int j = 0; j < 4; ++j)
      readB(b[j], sB, j);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j)
        mma(sum_[i][j], a[i], b[j]);
  }
  __device__ void store(float *C, int N) const {
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j)
        for (int e = 0; e < 4; ++e)
          C[(warp_ * 32 + i * 16 + lane_ / 4 + e / 2 * 8) * N + j * 8 + lane_ % 4 * 2 + e % 2] =
              sum_[i][j][e];
  }
};

__global__ void __launch_bounds__(64)
    constructed(const half *A, const half *B, float *C, int N, int K, int pitch) {
  __shared__ __align__(16) half sA[64 * kLd], sB[32 * kLd];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Slab slab(lane, warp, pitch);
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + blockIdx.y * 64 * K + k, B + blockIdx.x * 32 * K + k, K);
    __syncthreads();
    slab.add(sA, sB);
    __syncthreads();
  }
  slab.store(C + blockIdx.y * 64 * N + blockIdx.x * 32, N);
}

// 2 warps of 16 x 32. Its place in A walks down the rows with k, and back.
struct Walker {
  const half *at;
  int row, down_;
  float sum[4][4];
  __device__ Walker(const half *sA, int first) : at(sA), row(first), down_(0) {
    at += (threadIdx.x / 32 * 16 + threadIdx.x % 16) * kLd;
    row += threadIdx.x % 8 - first;
    for (int j = 0; j < 4; ++j)
      for (int e = 0; e < 4; ++e)
        sum[j][e] = 0.f;
  }
  __device__ void down() { down_ += 32 * kLd; }
  __device__ void up() { down_ -= 32 * kLd; }
  // CHECK-LABEL: void step(
  // CHECK: (a, [&, at_ = at, down_own = down_](int ofLane, int warp) {
  // CHECK-NEXT: const auto at = lp::of_thread(at_, ofLane, warp);
  // CHECK-NEXT: const auto down_ = lp::of_thread(down_own, ofLane, warp);
  // CHECK: return at + down_ + (lane / 16) * 8
  // CHECK: [&, row_ = row](int ofLane, int warp, int j) {
  // CHECK: const auto row = lp::of_thread(row_, ofLane, warp);
  __device__ void step(const half *sB, int lane) {
    unsigned a[4], b[4][2];
    ldsm4(a, at + down_ + (lane / 16) * 8);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], sB + (row + j * 8) * kLd + lane / 8 % 2 * 8);
    for (int j = 0; j < 4; ++j)
      mma(sum[j], a, b[j]);
  }
};

__global__ void __launch_bounds__(64) walking(const half *A, const half *B, float *C, int N, int K, int first) {
  __shared__ __align__(16) half sA[64 * kLd], sB[32 * kLd];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Walker walker(sA, first);
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + blockIdx.y * 64 * K + k, B + blockIdx.x * 32 * K + k, K);
    __syncthreads();
    walker.step(sB, lane);
    walker.down();
    walker.step(sB, lane);
    walker.up();
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.y * 32 + warp * 16 + lane / 4 + e / 2 * 8) * N + blockIdx.x * 32 + j * 8 +
        lane % 4 * 2 + e % 2] = walker.sum[j][e];
}

// What it hands on to a function is asked there, as other values of the thread are.
__device__ void readRows(unsigned (&a)[2][4], const half *sA, int top, int lane) {
  for (int i = 0; i < 2; ++i)
    ldsm4(a[i], sA + (top + i * 16 + lane % 16) * kLd + lane / 16 * 8);
}

struct Sharing {
  float sum[2][4][4];
  int top, left;
  __device__ void place(int n) {
    left = n;
    left -= n;
    for (auto &row : sum)
      for (auto &tile : row)
        for (float &x : tile)
          x = 0.f;
  }
  __device__ void multiply(const half *sA, const half *sB) {
    const int lane = threadIdx.x % 32, first = left + lane % 8;
    unsigned a[2][4], b[4][2];
    readRows(a, sA, top, lane);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], sB + (first + j * 8) * kLd + lane / 8 % 2 * 8);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j)
        mma(sum[i][j], a[i], b[j]);
  }
};

__global__ void __launch_bounds__(64) sharing(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[64 * kLd], sB[32 * kLd];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Sharing it;
  it.place(lane);
  it.top = warp * 32;
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + blockIdx.y * 64 * K + k, B + blockIdx.x * 32 * K + k, K);
    __syncthreads();
    it.multiply(sA, sB);
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int e = 0; e < 4; ++e)
        C[(blockIdx.y * 64 + warp * 32 + i * 16 + lane / 4 + e / 2 * 8) * N + blockIdx.x * 32 + j * 8 +
          lane % 4 * 2 + e % 2] = it.sum[i][j][e];
}
