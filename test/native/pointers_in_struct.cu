// Pointers of a struct that the kernel is given: an epilogue may read the very element that it writes,
// and what several lanes read.
//
// RUN: %prove --launch %S/pointers_in_struct.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %prove --launch %S/pointers_in_struct.yaml 2>&1 | FileCheck %s --check-prefix=REPORT --implicit-check-not="keeps its epilogue"
// RUN: %ported %t.hip | FileCheck %s
// REPORT: assumes, on the author's word, nothing else leads to the memory of 'args.factor'
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

struct Matrices {
  const half *a, *b;
  float *c;
};
struct Arguments {
  Matrices matrices;
  const float *bias, *factor;
  float alpha, beta;
  int k;
};

__device__ __forceinline__ uint32_t word(const half *p) { return *reinterpret_cast<const uint32_t *>(p); }
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ const half *rowOf(const Arguments &args, int row) {
  return args.matrices.a + row * args.k;
}

// CHECK-LABEL: scaled(
// CHECK: lp::each_pair(c[j]
// CHECK: float *out = args.matrices.c
__global__ void __launch_bounds__(64) scaled(const Arguments args) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4 * 2;
  float c[2][4] = {};
  for (int k = 0; k < args.k; k += 16) {
    const half *p = args.matrices.a + (warp * 16 + g) * args.k + k + t;
    const uint32_t a[4] = {word(p), word(p + 8 * args.k), word(p + 8), word(p + 8 * args.k + 8)};
    for (int j = 0; j < 2; ++j) {
      const half *q = args.matrices.b + (j * 8 + g) * args.k + k + t;
      mma(c[j], a, word(q), word(q + 8));
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e) {
      float *out = args.matrices.c + (warp * 16 + g + e / 2 * 8) * 16 + j * 8 + t + e % 2;
      float v = args.alpha * c[j][e] + args.bias[j * 8 + t + e % 2];
      if (args.beta != 0.f)
        v += args.beta * *out;
      *out = v;
    }
}

// The struct is handed to a function, which only reads it. A factor for each element: another lane's may be what this one writes, for all that is said.
// CHECK-LABEL: weighed(
// CHECK: lp::each_pair(c[j]
// layout-port: noalias(args.factor)
__global__ void __launch_bounds__(64) weighed(Arguments args) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4 * 2;
  float c[2][4] = {};
  for (int k = 0; k < args.k; k += 16) {
    const half *p = rowOf(args, warp * 16 + g) + k + t;
    const uint32_t a[4] = {word(p), word(p + 8 * args.k), word(p + 8), word(p + 8 * args.k + 8)};
    for (int j = 0; j < 2; ++j) {
      const half *q = args.matrices.b + (j * 8 + g) * args.k + k + t;
      mma(c[j], a, word(q), word(q + 8));
    }
  }
  const Matrices &matrices = args.matrices;
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e) {
      const int at = (warp * 16 + g + e / 2 * 8) * 16 + j * 8 + t + e % 2;
      matrices.c[at] = args.factor[at] * c[j][e];
    }
}
