// Weights of four bits and their scales, read in one lambda of the kernel and multiplied in another,
// as in a pipeline of lambdas: each value is read for the lane whose operand it becomes, and what is
// made of it there stays the author's text. A pass that an instance never makes does not count.
//
// RUN: %prove --launch %S/lambda_weights.yaml 2>&1 | FileCheck %S/Inputs/native_tested.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

template <class T, int n> struct Vec {
  T elems[n];
  __device__ T &operator[](int i) { return elems[i]; }
};
using FragA = Vec<uint32_t, 4>;
using FragB = Vec<half2, 2>;
using Scales = Vec<half, 2>;

__device__ inline FragB dequant(int q) {
  FragB b;
  b[0] = __floats2half2_rn((q & 15) - 8, (q >> 4 & 15) - 8);
  b[1] = __floats2half2_rn((q >> 8 & 15) - 8, (q >> 12 & 15) - 8);
  return b;
}
__device__ inline void scale(FragB &b, Scales &s, int i) {
  const half2 both = __half2half2(reinterpret_cast<half *>(&s)[i]);
  b[0] = __hmul2(b[0], both);
  b[1] = __hmul2(b[1], both);
}
__device__ inline void ldsm4(FragA &frag, const half *p) {
  uint32_t *a = reinterpret_cast<uint32_t *>(&frag);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ inline void mma(float (&c)[4], const FragA &fragA, const FragB &fragB) {
  const uint32_t *a = reinterpret_cast<const uint32_t *>(&fragA);
  const uint32_t *b = reinterpret_cast<const uint32_t *>(&fragB);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// words[(k / 16 * N + n) * 4 + q]: two columns n and n + 8 for the quad's lane q, 16 bits each.
// scales[k / 16 * N + n]: of the same two. Of kGroups == 0 there is one scale a column, behind the
// loop.
// CHECK-LABEL: weights(
// CHECK: auto fetch = [&](int k) {
// CHECK-NEXT: word[k / 16 % 2] = lp::read_b{{.*}}([&](int lane, int{{.*}}
// CHECK: auto multiply = [&](int k) {
// CHECK-NEXT: int q = word[k / 16 % 2];
// CHECK-NEXT: for (int j = 0; j < 2; ++j, q >>= 16) {
// CHECK-NEXT: FragB b = dequant(q);
// CHECK-NEXT: if (kGroups)
// CHECK-NEXT: scale(b, s[k / 16 % 2], j);
// CHECK-NEXT: lp::mma_m16n8k16_f32_f16
template <int kGroups>
__global__ void __launch_bounds__(64)
    weights(const half *A, const int *words, const half *scales, half *C, int N, int K) {
  __shared__ __align__(16) half tile[2][16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  FragA a;
  int word[2];
  Scales s[2];
  float c[2][4] = {};
  const int n = blockIdx.x * 32 + warp * 16 + lane / 4;

  auto stage = [&](int k) {
    if (threadIdx.x < 32)
      *(int4 *)&tile[k / 16 % 2][threadIdx.x / 2][threadIdx.x % 2 * 8] =
          *(const int4 *)&A[(blockIdx.y * 16 + threadIdx.x / 2) * K + k + threadIdx.x % 2 * 8];
  };
  auto fetch = [&](int k) {
    word[k / 16 % 2] = words[(k / 16 * N / 2 + blockIdx.x * 16 + warp * 8 + lane / 4) * 4 + lane % 4];
    if (kGroups) {
      s[k / 16 % 2][0] = scales[k / 16 * N + n];
      s[k / 16 % 2][1] = scales[k / 16 * N + n + 8];
    }
    ldsm4(a, &tile[k / 16 % 2][lane % 16][lane / 16 * 8]);
  };
  auto multiply = [&](int k) {
    int q = word[k / 16 % 2];
    for (int j = 0; j < 2; ++j, q >>= 16) {
      FragB b = dequant(q);
      if (kGroups)
        scale(b, s[k / 16 % 2], j);
      mma(c[j], a, b);
    }
  };

  stage(0);
  __syncthreads();
  for (int k = 0; k < K; k += 16) {
    fetch(k);
    if (k + 16 < K)
      stage(k + 16);
    multiply(k);
    __syncthreads();
  }
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 2; ++i) {
      const int row = blockIdx.y * 16 + lane / 4 + i * 8;
      const int column = blockIdx.x * 32 + warp * 16 + j * 8 + lane % 4 * 2;
      *(half2 *)&C[row * N + column] = __floats2half2_rn(c[j][2 * i], c[j][2 * i + 1]);
    }
}
template __global__ void weights<0>(const half *, const int *, const half *, half *, int, int);
template __global__ void weights<1>(const half *, const int *, const half *, half *, int, int);
