// What stands behind the last product and keeps results from staying where the MFMA has them: they go
// back to CUDA's lanes, or the kernel would be wrong.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
// RUN: %ported %t.hip | FileCheck %s --check-prefix=PORT
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void ldsm4(uint32_t (&r)[4], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
}
__device__ void ldsm2(uint32_t (&r)[2], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
}
struct Row {
  float sum[2];
};

#define SETUP                                                                                      \
  __shared__ half s[1024];                                                                         \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = warp * 16 + lane / 4;          \
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);                                     \
  float c[2][4] = {};                                                                              \
  uint32_t a[4], b[2];                                                                             \
  Row of = {};

// A lane that has gone takes along what it holds for others.
// CHECK-DAG: leaves keeps its epilogue, behind a conversion of 'c': 'of' is kept in registers by lane
// PORT-LABEL: leaves(
// PORT: lp::to_warp_layout(c[i]);
// PORT-NOT: of_element
__global__ void __launch_bounds__(64) leaves(float *C, int n) {
  SETUP
  for (int k = 0; k < n; ++k) {
    ldsm4(a, base + warp * 512 + lane * 16);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, base + j * 256 + lane % 16 * 16);
      mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      of.sum[e / 2] += c[j][e];
  if (row >= n)
    return;
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(row + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e] - of.sum[e / 2];
}

// X may be C: of rows r and r + 8 one may be read when the other's is written.
// CHECK-DAG: mayMeet keeps its epilogue, behind a conversion of 'c': 'of' is kept in registers by lane
// PORT-LABEL: mayMeet(
// PORT: lp::to_warp_layout(c[i]);
// PORT-NOT: of_element
__global__ void __launch_bounds__(64) mayMeet(float *C, const float *X, int n) {
  SETUP
  for (int k = 0; k < n; ++k) {
    ldsm4(a, base + warp * 512 + lane * 16);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, base + j * 256 + lane % 16 * 16);
      mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      of.sum[e / 2] += c[j][e];
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(row + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e] - of.sum[e / 2] * X[(row + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2];
}

// CHECK-DAG: meetNot assumes, on the author's word, nothing else leads to the memory of 'X'
// PORT-LABEL: meetNot(
// PORT: *lp::of_element<1>(e, [&](int lane, int warp, int e) {
// PORT: }) = c[j][e] - of.sum[e / 2] * lp::of_element<1>(e, [&](int lane, int warp, int e) {
// PORT: return X[
__global__ void __launch_bounds__(64) meetNot(float *C, const float *X, int n) {
  SETUP
  for (int k = 0; k < n; ++k) {
    ldsm4(a, base + warp * 512 + lane * 16);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, base + j * 256 + lane % 16 * 16);
      mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      of.sum[e / 2] += c[j][e];
  // layout-port: noalias(X)
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(row + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e] - of.sum[e / 2] * X[(row + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2];
}
