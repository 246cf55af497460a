// A class that holds the sums beside pointers and numbers of the launch, which its constructor sets;
// the sums are zeroed by the constructor's body, by its list, or by a method.
//
// RUN: %prove --launch %S/begins_in_class.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ __forceinline__ void copyTiles(half (*sA)[24], half (*sB)[24], const half *A,
                                          const half *B, int K) {
  *(uint4 *)&sA[threadIdx.x / 2][threadIdx.x % 2 * 8] =
      *(const uint4 *)&A[(blockIdx.y * 32 + threadIdx.x / 2) * K + threadIdx.x % 2 * 8];
  if (threadIdx.x < 32)
    *(uint4 *)&sB[threadIdx.x / 2][threadIdx.x % 2 * 8] =
        *(const uint4 *)&B[(blockIdx.x * 16 + threadIdx.x / 2) * K + threadIdx.x % 2 * 8];
}

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
__device__ __forceinline__ void mma(float (&d)[4], const unsigned (&a)[4],
                                    const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

class ByBody {
  const half *a_, *b_;
  float *c_;
  int n_, depth_;
  float sums_[2][4];

public:
  __device__ ByBody(const half *a, const half *b, float *c, int n, int depth)
      : a_(a), b_(b), c_(c), n_(n), depth_(depth) {
    for (auto &tile : sums_)
      for (float &x : tile)
        x = 0.f;
  }
  __device__ void copy(half (*sA)[24], half (*sB)[24], int k) {
    copyTiles(sA, sB, a_ + k, b_ + k, depth_);
  }
  __device__ void multiply(half (*sA)[24], half (*sB)[24]) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned a[4], b[2];
    ldsm4(a, &sA[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, &sB[j * 8 + lane % 8][lane / 8 % 2 * 8]);
      mma(sums_[j], a, b);
    }
  }
  __device__ void store() const {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int row = blockIdx.y * 32 + warp * 16 + lane / 4;
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        c_[(row + e / 2 * 8) * n_ + blockIdx.x * 16 + j * 8 + lane % 4 * 2 + e % 2] = sums_[j][e];
  }
};

struct ByList {
  const half *a;
  int depth;
  float sums[2][4];
  __device__ ByList(const half *x, int k) : a(x), depth(k / 2 * 2), sums{} {}
};

struct ByMethod {
  int row;
  float sums[2][4];
  __device__ ByMethod(int lane) : row(lane / 4) {}
  __device__ void clear() {
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        sums[j][e] = 0.f;
  }
};

__global__ void __launch_bounds__(64)
    byBody(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[32][24], sB[16][24];
  ByBody gemm(A, B, C, N, K);
  for (int k = 0; k < K; k += 16) {
    gemm.copy(sA, sB, k);
    __syncthreads();
    gemm.multiply(sA, sB);
    __syncthreads();
  }
  gemm.store();
}


__global__ void __launch_bounds__(64)
    byList(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[32][24], sB[16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  ByList of(A, K);
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    unsigned a[4], b[2];
    ldsm4(a, &sA[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, &sB[j * 8 + lane % 8][lane / 8 % 2 * 8]);
      mma(of.sums[j], a, b);
    }
    __syncthreads();
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.y * 32 + warp * 16 + lane / 4 + e / 2 * 8) * N + blockIdx.x * 16 + j * 8 +
        lane % 4 * 2 + e % 2] = of.sums[j][e];
}

__global__ void __launch_bounds__(64)
    byMethod(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[32][24], sB[16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  ByMethod of(lane);
  of.clear();
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    unsigned a[4], b[2];
    ldsm4(a, &sA[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, &sB[j * 8 + lane % 8][lane / 8 % 2 * 8]);
      mma(of.sums[j], a, b);
    }
    __syncthreads();
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.y * 32 + warp * 16 + lane / 4 + e / 2 * 8) * N + blockIdx.x * 16 + j * 8 +
        lane % 4 * 2 + e % 2] = of.sums[j][e];
}
