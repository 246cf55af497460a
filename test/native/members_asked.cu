// Members that are not what one place in the program says: they are written again, by other names
// or by objects of the class that differ. They are asked of the lane that has them. And members that
// have the lane's or the warp's name for something else.
//
// RUN: %prove --launch %S/members_asked.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
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

__device__ void turn(int &top) { top = 48 - top; }

// Somebody has a reference to it.
struct Turned {
  float sum[4][4];
  int lane, top;
  __device__ void place() {
    lane = threadIdx.x % 32;
    top = threadIdx.x / 32 * 16;
  }
  // CHECK-LABEL: struct Turned {
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

__global__ void __launch_bounds__(64) turned(const half *A, const half *B, float *C, int K, int n) {
  __shared__ __align__(16) half sA[64 * kLd], sB[32 * kLd];
  Turned it;
  it.place();
  turn(it.top);
  clear(it.sum);
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    it.step(sA, sB);
    __syncthreads();
  }
  store(C, it.sum);
}

// A lambda writes it.
struct Lent {
  float sum[4][4];
  int lane, top;
  __device__ void place() {
    lane = threadIdx.x % 32;
    top = threadIdx.x / 32 * 16;
  }
  // CHECK-LABEL: struct Lent {
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

__global__ void __launch_bounds__(64) lent(const half *A, const half *B, float *C, int K, int n) {
  __shared__ __align__(16) half sA[64 * kLd], sB[32 * kLd];
  Lent it;
  it.place();
  const auto down = [&] { it.top += 32; };
  down();
  clear(it.sum);
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    it.step(sA, sB);
    __syncthreads();
  }
  store(C, it.sum);
}

// It comes from another object.
struct Copied {
  float sum[4][4];
  int lane, top;
  __device__ void place() {
    lane = threadIdx.x % 32;
    top = threadIdx.x / 32 * 16;
  }
  // CHECK-LABEL: struct Copied {
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

__global__ void __launch_bounds__(64) copied(const half *A, const half *B, float *C, int K, int n) {
  __shared__ __align__(16) half sA[64 * kLd], sB[32 * kLd];
  Copied first, it;
  first.place();
  it.place();
  first.top = 16 - first.top;
  it.top = first.top;
  clear(it.sum);
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    it.step(sA, sB);
    __syncthreads();
  }
  store(C, it.sum);
}

// What it is given is another by the time of the step.
struct Given {
  float sum[4][4];
  int lane, top;
  __device__ Given(int l, int w) : lane(l), top(w * 16) {}
  // CHECK-LABEL: struct Given {
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

__global__ void __launch_bounds__(64) given(const half *A, const half *B, float *C, int K, int n) {
  __shared__ __align__(16) half sA[64 * kLd], sB[32 * kLd];
  int warp = threadIdx.x / 32;
  warp = 1 - warp;
  Given it(threadIdx.x % 32, warp);
  warp = n;
  clear(it.sum);
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    it.step(sA, sB);
    __syncthreads();
  }
  store(C, it.sum);
}

// What it calls lane and warp is something else.
struct Named {
  float sum[4][4];
  int lane, warp, own;
  __device__ Named(int n) : lane(n), warp(16 - threadIdx.x / 32 * 16), own(threadIdx.x % 32) {}
  // CHECK-LABEL: struct Named {
  // CHECK: [&](int own, int ofWarp) {
  // CHECK-NEXT: const int warp = 16 - unsigned(ofWarp) * 16;
  // CHECK-NEXT: return sA + (warp + lane + own % 16) * kLd + own / 16 * 8
  __device__ void step(const half *sA, const half *sB) {
    unsigned a[4], b[4][2];
    ldsm4(a, sA + (warp + lane + own % 16) * kLd + own / 16 * 8);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], sB + (j * 8 + own % 8) * kLd + own / 8 % 2 * 8);
    for (int j = 0; j < 4; ++j)
      mma(sum[j], a, b[j]);
  }
};

__global__ void __launch_bounds__(64) named(const half *A, const half *B, float *C, int K, int n) {
  __shared__ __align__(16) half sA[64 * kLd], sB[32 * kLd];
  Named it(n);
  clear(it.sum);
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    it.step(sA, sB);
    __syncthreads();
  }
  store(C, it.sum);
}
