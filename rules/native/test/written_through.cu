// Variables that are written through a cast, a pointer, a reference, a lambda's parameter or a function's
// pointer: what they hold is the thread's own, whatever they began with.
//
// RUN: %layout-port %s -o %t.hip --target gfx90a,gfx942,gfx950 --verify --launch %S/Inputs/written_through.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
//
// REPORT-DAG: byCast is not native: fragments are handled in 'step' where the two warps of a wave may part
// REPORT-DAG: byReference is not native: fragments are handled in 'step' where the two warps of a wave may part
// REPORT-DAG: byElement is not native: fragments are handled in 'step' where the two warps of a wave may part
// REPORT-DAG: bySum is not native: fragments are handled in 'step' where the two warps of a wave may part
// REPORT-DAG: byPointer is not native: fragments are handled in 'step' where the two warps of a wave may part
// REPORT-DAG: byName is not native: fragments are handled in 'step' where the two warps of a wave may part
// REPORT-DAG: byRange is not native: fragments are handled in 'step' where the two warps of a wave may part
// REPORT-DAG: byHanding is not native: fragments are handled in 'step' where the two warps of a wave may part
// REPORT-DAG: byParameter is not native: fragments are handled in 'step' where the two warps of a wave may part
// REPORT-DAG: byFunction is not native: fragments are handled in 'step' where the two warps of a wave may part
// REPORT-DAG: byMember is not native: fragments are handled in 'step' where the two warps of a wave may part
// REPORT-NOT: {{refuted|(unpacked) is not native}}
// REPORT: verify gfx90a: proved
// REPORT: verify gfx942: proved
// REPORT: verify gfx950: proved
#include <cuda_fp16.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t word(const half *p) { return *(const uint32_t *)p; }
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void put(int &to, int value) { to = value; }

// One step, with the rows of a warp.
__device__ __forceinline__ void step(float (&acc)[2][4], const half *A, const half *B, int K, int lane) {
  const half *p = A + lane / 4 * K + lane % 4 * 2;
  const uint32_t a[4] = {word(p), word(p + 8 * K), word(p + 8), word(p + 8 * K + 8)};
  for (int j = 0; j < 2; ++j) {
    const half *q = B + (j * 8 + lane / 4) * K + lane % 4 * 2;
    const uint32_t b[2] = {word(q), word(q + 8)};
    mma(acc[j], a, b);
  }
}
__device__ __forceinline__ void store(float *C, const float (&acc)[2][4], int lane) {
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = acc[j][e];
}

__global__ void __launch_bounds__(64) byCast(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = (blockIdx.x * 2 + warp) * 16;
  float acc[2][4] = {};
  int n[2] = {0, 0};
  *(int2 *)n = make_int2(K + 16 * (warp > 10), 0);
  for (int k = 0; k < n[0]; k += 16)
    step(acc, A + row * K + k, B + k, K, lane);
  store(C + row * 16, acc, lane);
}

__global__ void __launch_bounds__(64) byReference(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = (blockIdx.x * 2 + warp) * 16;
  float acc[2][4] = {};
  int n = 0;
  reinterpret_cast<unsigned &>(n) = K + 16 * (warp > 10);
  for (int k = 0; k < n; k += 16)
    step(acc, A + row * K + k, B + k, K, lane);
  store(C + row * 16, acc, lane);
}

__global__ void __launch_bounds__(64) byElement(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = (blockIdx.x * 2 + warp) * 16;
  float acc[2][4] = {};
  int n[2] = {0, 0};
  ((int2 *)n)[0] = make_int2(K + 16 * (warp > 10), 0);
  for (int k = 0; k < n[0]; k += 16)
    step(acc, A + row * K + k, B + k, K, lane);
  store(C + row * 16, acc, lane);
}

__global__ void __launch_bounds__(64) bySum(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = (blockIdx.x * 2 + warp) * 16;
  float acc[2][4] = {};
  int n[2] = {0, 0};
  *(n + 1) = K + 16 * (warp > 10);
  for (int k = 0; k < n[1]; k += 16)
    step(acc, A + row * K + k, B + k, K, lane);
  store(C + row * 16, acc, lane);
}

__global__ void __launch_bounds__(64) byPointer(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = (blockIdx.x * 2 + warp) * 16;
  float acc[2][4] = {};
  int n[2] = {0, 0};
  int2 *p;
  p = (int2 *)n;
  *p = make_int2(K + 16 * (warp > 10), 0);
  for (int k = 0; k < n[0]; k += 16)
    step(acc, A + row * K + k, B + k, K, lane);
  store(C + row * 16, acc, lane);
}

__global__ void __launch_bounds__(64) byName(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = (blockIdx.x * 2 + warp) * 16;
  float acc[2][4] = {};
  int n[2] = {0, 0};
  int2 &both = *(int2 *)n;
  both = make_int2(K + 16 * (warp > 10), 0);
  for (int k = 0; k < n[0]; k += 16)
    step(acc, A + row * K + k, B + k, K, lane);
  store(C + row * 16, acc, lane);
}

__global__ void __launch_bounds__(64) byRange(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = (blockIdx.x * 2 + warp) * 16;
  float acc[2][4] = {};
  int n[2] = {0, 0};
  for (int &each : n)
    each = K + 16 * (warp > 10);
  for (int k = 0; k < n[0]; k += 16)
    step(acc, A + row * K + k, B + k, K, lane);
  store(C + row * 16, acc, lane);
}

__global__ void __launch_bounds__(64) byHanding(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = (blockIdx.x * 2 + warp) * 16;
  float acc[2][4] = {};
  int n[2] = {0, 0};
  auto set = [](int *to, int value) { to[0] = value; };
  set(n, K + 16 * (warp > 10));
  for (int k = 0; k < n[0]; k += 16)
    step(acc, A + row * K + k, B + k, K, lane);
  store(C + row * 16, acc, lane);
}

__global__ void __launch_bounds__(64) byParameter(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = (blockIdx.x * 2 + warp) * 16;
  float acc[2][4] = {};
  int n = 0;
  auto set = [&](int value) { n = value; };
  set(K + 16 * (warp > 10));
  for (int k = 0; k < n; k += 16)
    step(acc, A + row * K + k, B + k, K, lane);
  store(C + row * 16, acc, lane);
}

__global__ void __launch_bounds__(64) byFunction(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = (blockIdx.x * 2 + warp) * 16;
  float acc[2][4] = {};
  int n = 0;
  void (*set)(int &, int) = &put;
  set(n, K + 16 * (warp > 10));
  for (int k = 0; k < n; k += 16)
    step(acc, A + row * K + k, B + k, K, lane);
  store(C + row * 16, acc, lane);
}

__global__ void __launch_bounds__(64) byMember(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = (blockIdx.x * 2 + warp) * 16;
  float acc[2][4] = {};
  int2 n = {0, 0};
  int int2::*which = &int2::y;
  n.*which = K + 16 * (warp > 10);
  for (int k = 0; k < n.y; k += 16)
    step(acc, A + row * K + k, B + k, K, lane);
  store(C + row * 16, acc, lane);
}

// What another lane unpacked is asked of it.
__global__ void __launch_bounds__(64) unpacked(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = (blockIdx.x * 2 + warp) * 16;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    const half *p = A + (row + lane / 4) * K + k + lane % 4 * 2;
    const uint32_t a[4] = {word(p), word(p + 8 * K), word(p + 8), word(p + 8 * K + 8)};
    uint32_t packed[4];
    *(uint4 *)packed = make_uint4(word(B + lane / 4 * K + k + lane % 4 * 2), word(B + lane / 4 * K + k + lane % 4 * 2 + 8),
                                  word(B + (8 + lane / 4) * K + k + lane % 4 * 2),
                                  word(B + (8 + lane / 4) * K + k + lane % 4 * 2 + 8));
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      uint32_t b[2];
      const uint32_t low = packed[j * 2], high = packed[j * 2 + 1];
      b[0] = low;
      b[1] = high;
      mma(acc[j], a, b);
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(row + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = acc[j][e];
}
