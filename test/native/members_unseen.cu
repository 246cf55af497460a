// Members that are written where no name of them stands: in a lambda that is a template, by the bits
// of something else, by a list in parentheses. They are asked of the lane that has them.
//
// RUN: %prove --launch %S/members_unseen.yaml -- -std=c++20 2>&1 | FileCheck %S/Inputs/native_halves_proved.txt
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

__device__ void clear(float (&sum)[4][4]) {
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      sum[j][e] = 0.f;
}
// 2 warps of 16 x 32, one above the other.
__device__ void store(float *C, const float (&sum)[4][4]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = sum[j][e];
}

// A lambda that is a template writes it.
struct Lowered {
  float sum[4][4];
  int lane, top;
  __device__ void place() {
    lane = threadIdx.x % 32;
    top = threadIdx.x / 32 * 16;
  }
  // CHECK-LABEL: struct Lowered {
  // CHECK: lp::load_a(a, [&, top_ = top](int lane, int [[WARP:[a-zA-Z]+]]) {
  // CHECK-NEXT: const auto top = lp::of_thread(top_, lane, [[WARP]]);
  __device__ void step(const half *sA, const half *sB) {
    unsigned a[4], b[4][2];
    ldsm4(a, sA + (top + lane % 16) * kLd + lane / 16 * 8);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], sB + (j * 8 + lane % 8) * kLd + lane / 8 % 2 * 8);
    for (int j = 0; j < 4; ++j)
      mma(sum[j], a, b[j]);
  }
};

__global__ void __launch_bounds__(64) lowered(const half *A, const half *B, float *C, int K, int n) {
  __shared__ __align__(16) half sA[64 * kLd], sB[32 * kLd];
  Lowered it;
  it.place();
  const auto down = [](auto &object, auto rows) { object.top += rows; };
  down(it, 32);
  clear(it.sum);
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    it.step(sA, sB);
    __syncthreads();
  }
  store(C, it.sum);
}

// Bits are taken for an object.
struct Words {
  float sum[16];
  int lane, top;
};
struct Cast {
  float sum[4][4];
  int lane, top;
  __device__ void place() {
    lane = threadIdx.x % 32;
    top = threadIdx.x / 32 * 16;
  }
  // CHECK-LABEL: struct Cast {
  // CHECK: lp::load_a(a, [&, top_ = top, lane_ = lane](int [[LANE:[a-zA-Z]+]], int [[WARP:[a-zA-Z]+]]) {
  // CHECK-NEXT: const auto top = lp::of_thread(top_, [[LANE]], [[WARP]]);
  // CHECK-NEXT: const auto lane = lp::of_thread(lane_, [[LANE]], [[WARP]]);
  __device__ void step(const half *sA, const half *sB) {
    unsigned a[4], b[4][2];
    ldsm4(a, sA + (top + lane % 16) * kLd + lane / 16 * 8);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], sB + (j * 8 + lane % 8) * kLd + lane / 8 % 2 * 8);
    for (int j = 0; j < 4; ++j)
      mma(sum[j], a, b[j]);
  }
};

__global__ void __launch_bounds__(64) cast(const half *A, const half *B, float *C, int K, int n) {
  __shared__ __align__(16) half sA[64 * kLd], sB[32 * kLd];
  Words words = {};
  words.lane = threadIdx.x % 32;
  words.top = 16 - threadIdx.x / 32 * 16;
  Cast it = __builtin_bit_cast(Cast, words);
  if (n == 100)
    it.place();
  clear(it.sum);
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    it.step(sA, sB);
    __syncthreads();
  }
  store(C, it.sum);
}

// Not what their declarations say.
struct Listed {
  float sum[4][4];
  int lane = threadIdx.x % 32;
  int top = threadIdx.x / 32 * 16;
  // CHECK-LABEL: struct Listed {
  // CHECK: lp::load_a(a, [&, top_ = top, lane_ = lane](int [[LANE:[a-zA-Z]+]], int [[WARP:[a-zA-Z]+]]) {
  // CHECK-NEXT: const auto top = lp::of_thread(top_, [[LANE]], [[WARP]]);
  // CHECK-NEXT: const auto lane = lp::of_thread(lane_, [[LANE]], [[WARP]]);
  __device__ void step(const half *sA, const half *sB) {
    unsigned a[4], b[4][2];
    ldsm4(a, sA + (top + lane % 16) * kLd + lane / 16 * 8);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], sB + (j * 8 + lane % 8) * kLd + lane / 8 % 2 * 8);
    for (int j = 0; j < 4; ++j)
      mma(sum[j], a, b[j]);
  }
};

__global__ void __launch_bounds__(64) listed(const half *A, const half *B, float *C, int K, int n) {
  __shared__ __align__(16) half sA[64 * kLd], sB[32 * kLd];
  Listed it({}, int(threadIdx.x % 32), int(16 - threadIdx.x / 32 * 16));
  clear(it.sum);
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    it.step(sA, sB);
    __syncthreads();
  }
  store(C, it.sum);
}
