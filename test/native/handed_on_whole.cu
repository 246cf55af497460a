// Sums that a function of the author's is handed, all of them at once, or that an object has whose
// method stores them: its text is the epilogue, and runs where the elements lie.
//
// RUN: %prove --launch %S/handed_on_whole.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt \
// RUN:   --implicit-check-not='keeps its epilogue'
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  const uint32_t at = (uint32_t)__cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}
__device__ __forceinline__ void ldsm2(uint32_t (&r)[2], const half *p) {
  const uint32_t at = (uint32_t)__cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(at));
}
__device__ __forceinline__ void mma(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// 64 x 64 of C, 32 x 32 a warp.
struct Tile {
  half a[64][40], b[64][40];
  __device__ void fill(const half *A, const half *B, int k, int K) {
    for (int i = threadIdx.x; i < 64 * 4; i += 128) {
      *(uint4 *)&a[i / 4][i % 4 * 8] = *(const uint4 *)&A[(blockIdx.y * 64 + i / 4) * K + k + i % 4 * 8];
      *(uint4 *)&b[i / 4][i % 4 * 8] = *(const uint4 *)&B[(blockIdx.x * 64 + i / 4) * K + k + i % 4 * 8];
    }
  }
};

class Block {
  float sums_[2][4][4];
  int lane_, wm_, wn_;

public:
  __device__ Block()
      : lane_(threadIdx.x % 32), wm_(threadIdx.x / 32 / 2 * 32), wn_(threadIdx.x / 32 % 2 * 32) {
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j)
        for (int e = 0; e < 4; ++e)
          sums_[i][j][e] = 0.f;
  }
  __device__ void multiply(const Tile &t) {
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[2][4], b[2];
      for (int i = 0; i < 2; ++i)
        ldsm4(a[i], &t.a[wm_ + i * 16 + lane_ % 16][kk + lane_ / 16 * 8]);
      for (int j = 0; j < 4; ++j) {
        ldsm2(b, &t.b[wn_ + j * 8 + lane_ % 8][kk + lane_ / 8 % 2 * 8]);
        for (int i = 0; i < 2; ++i)
          mma(sums_[i][j], a[i], b);
      }
    }
  }
  // One after the other, of which the first changes the elements.
  // CHECK: __device__ __forceinline__ void scale(float by) {
  // CHECK: lp::each_pair{{[_0-9]*}}(sums_[i][j], {{.*}}auto &[[V:[a-z]+]]) {
  // CHECK: const int wn_ = {{.*}};
  // CHECK: [[V]][e & 1] *= by + float(wn_);
  __device__ void scale(float by) {
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j)
        for (int e = 0; e < 4; ++e)
          this->sums_[i][j][e] *= by + float(this->wn_);
  }
  // CHECK: __device__ __forceinline__ void store(float *C, int N) const {
  // CHECK: for (int j = 0; j < 4; ++j)
  // CHECK-NEXT: lp::each_pair{{[_0-9]*}}(sums_[i][j],
  // CHECK: *(float2 *)&C[row * N + col] = make_float2({{[a-z]+}}[0], {{[a-z]+}}[1]);
  __device__ void store(float *C, int N) const {
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j)
        for (int h = 0; h < 2; ++h) {
          const int row = blockIdx.y * 64 + wm_ + i * 16 + lane_ / 4 + h * 8;
          const int col = blockIdx.x * 64 + wn_ + j * 8 + lane_ % 4 * 2;
          *(float2 *)&C[row * N + col] = make_float2(sums_[i][j][2 * h], sums_[i][j][2 * h + 1]);
        }
  }
  // What gets each element is the author's.
  // CHECK: template <class F> __device__ __forceinline__ void visit(F f) const {
  // CHECK: lp::each_pair{{[_0-9]*}}(sums_[i][j],
  // CHECK: f(wm_ + i * 16 + lane_ / 4 + e / 2 * 8, wn_ + j * 8 + lane_ % 4 * 2 + e % 2, {{[a-z]+}}[e & 1]);
  template <class F> __device__ void visit(F f) const {
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j)
        for (int e = 0; e < 4; ++e)
          f(wm_ + i * 16 + lane_ / 4 + e / 2 * 8, wn_ + j * 8 + lane_ % 4 * 2 + e % 2, sums_[i][j][e]);
  }
};

// CHECK: byMethod(const half
// CHECK: block.scale(0.5f);
// CHECK-NEXT: block.store(C, N);
__global__ void __launch_bounds__(128) byMethod(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) Tile t;
  Block block;
  for (int k = 0; k < K; k += 32) {
    t.fill(A, B, k, K);
    __syncthreads();
    block.multiply(t);
    __syncthreads();
  }
  block.scale(0.5f);
  block.store(C, N);
}

// CHECK: byVisitor(const half
// CHECK: block.visit([&](int row, int col, float value) {
__global__ void __launch_bounds__(128) byVisitor(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) Tile t;
  Block block;
  for (int k = 0; k < K; k += 32) {
    t.fill(A, B, k, K);
    __syncthreads();
    block.multiply(t);
    __syncthreads();
  }
  block.visit([&](int row, int col, float value) {
    if (blockIdx.y * 64 + row < 100)
      C[(blockIdx.y * 64 + row) * N + blockIdx.x * 64 + col] += value;
  });
}

struct Leak {
  float slope;
  __device__ float operator()(float x) const { return x > 0.f ? x : slope * x; }
};

// A template's; the row and the column are those of the thread's first element, which another lane
// is asked for.
// CHECK: __device__ __forceinline__ void store(float *__restrict__ C, const float (&c)[TM][TN][4],
// CHECK: lp::each_pair{{[_0-9]*}}(c[i][j], [&, row_ = row, col_ = col](int lane, int warp, int lower, const auto &[[V:[a-z]+]]) {
// CHECK-NEXT: const auto row = lp::of_thread(row_, lane, warp);
// CHECK-NEXT: const auto col = lp::of_thread(col_, lane, warp);
// CHECK: C[(row + i * 16 + 8 * lower) * N + col + j * 8] = act([[V]][0] + {{.*}});
template <int TM, int TN, class Act>
__device__ void store(float *__restrict__ C, const float (&c)[TM][TN][4], const half *__restrict__ bias, int row, int col,
                      int N, Act act) {
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      C[(row + i * 16) * N + col + j * 8] = act(c[i][j][0] + __half2float(bias[col + j * 8]));
      C[(row + i * 16) * N + col + j * 8 + 1] = act(c[i][j][1] + __half2float(bias[col + j * 8 + 1]));
      C[(row + i * 16 + 8) * N + col + j * 8] = act(c[i][j][2] + __half2float(bias[col + j * 8]));
      C[(row + i * 16 + 8) * N + col + j * 8 + 1] = act(c[i][j][3] + __half2float(bias[col + j * 8 + 1]));
    }
}
__global__ void __launch_bounds__(128) byTemplate(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) Tile t;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 32, wn = warp % 2 * 32;
  float acc[2][4][4] = {};
  for (int k = 0; k < K; k += 32) {
    t.fill(A, B, k, K);
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[2][4], b[2];
      for (int i = 0; i < 2; ++i)
        ldsm4(a[i], &t.a[wm + i * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < 4; ++j) {
        ldsm2(b, &t.b[wn + j * 8 + lane % 8][kk + lane / 8 % 2 * 8]);
        for (int i = 0; i < 2; ++i)
          mma(acc[i][j], a[i], b);
      }
    }
    __syncthreads();
  }
  store(C, acc, B, blockIdx.y * 64 + wm + lane / 4, blockIdx.x * 64 + wn + lane % 4 * 2, N, Leak{0.1f});
}

// Through shared memory, with a barrier of its own; and by rows that a pointer leads to.
// CHECK: __device__ __forceinline__ void stage(float *C, float (*s)[68], float (*c)[4][4], int N) {
// CHECK: lp::each_pair{{[_0-9]*}}(c[i][j],
// CHECK: __syncthreads();
__device__ void stage(float *C, float (*s)[68], float (*c)[4][4], int N) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int e = 0; e < 4; ++e)
        s[warp / 2 * 32 + i * 16 + lane / 4 + e / 2 * 8][warp % 2 * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[i][j][e];
  __syncthreads();
  for (int i = threadIdx.x; i < 64 * 64; i += 128)
    C[(blockIdx.y * 64 + i / 64) * N + blockIdx.x * 64 + i % 64] = s[i / 64][i % 64];
}
__global__ void __launch_bounds__(128) staged(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) Tile t;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 32, wn = warp % 2 * 32;
  float acc[2][4][4] = {};
  for (int k = 0; k < K; k += 32) {
    t.fill(A, B, k, K);
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[2][4], b[2];
      for (int i = 0; i < 2; ++i)
        ldsm4(a[i], &t.a[wm + i * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < 4; ++j) {
        ldsm2(b, &t.b[wn + j * 8 + lane % 8][kk + lane / 8 % 2 * 8]);
        for (int i = 0; i < 2; ++i)
          mma(acc[i][j], a[i], b);
      }
    }
    __syncthreads();
  }
  __shared__ float s[64][68];
  stage(C, s, acc, N);
}
