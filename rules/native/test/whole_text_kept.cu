// Functions that do all of a kernel, and are no text of a kernel's: what they are handed is the
// thread's, somebody else calls them, or something comes behind. They are followed as functions are,
// with their epilogues behind a conversion.
//
// RUN: %layout-port %s -o %t.hip --target gfx942
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

__device__ uint32_t word(const half *p) { return *reinterpret_cast<const uint32_t *>(p); }
__device__ void multiply(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
struct Who {
  int warp = threadIdx.x / 32;
};
struct Asked {
  int warp;
  __device__ Asked() : warp(threadIdx.x / 32) {}
};

// CHECK: void ofWarp(
// CHECK: lp: accumulators in the layout of CUDA
// CHECK: isOfWarp(
__device__ void ofWarp(const half *A, const half *B, float *C, int warp) {
  const int lane = threadIdx.x % 32;
  const half *p = A + (warp * 16 + lane / 4) * 16 + lane % 4 * 2, *q = B + lane / 4 * 16 + lane % 4 * 2;
  float c[4] = {};
  const uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  const uint32_t b[2] = {word(q), word(q + 8)};
  multiply(c, a, b);
  for (int e = 0; e < 4; ++e)
    C[(warp * 16 + lane / 4 + e / 2 * 8) * 8 + lane % 4 * 2 + e % 2] = c[e];
}
__global__ void __launch_bounds__(64) isOfWarp(const half *A, const half *B, float *C) {
  ofWarp(A, B, C, threadIdx.x / 32);
}

// CHECK: void byDefault(
// CHECK: lp: accumulators in the layout of CUDA
// CHECK: isByDefault(
__device__ void byDefault(const half *A, const half *B, float *C, int warp = threadIdx.x / 32) {
  const int lane = threadIdx.x % 32;
  const half *p = A + (warp * 16 + lane / 4) * 16 + lane % 4 * 2, *q = B + lane / 4 * 16 + lane % 4 * 2;
  float c[4] = {};
  const uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  const uint32_t b[2] = {word(q), word(q + 8)};
  multiply(c, a, b);
  for (int e = 0; e < 4; ++e)
    C[(warp * 16 + lane / 4 + e / 2 * 8) * 8 + lane % 4 * 2 + e % 2] = c[e];
}
__global__ void __launch_bounds__(64) isByDefault(const half *A, const half *B, float *C) {
  byDefault(A, B, C);
}

// CHECK: void ofMembers(
// CHECK: lp: accumulators in the layout of CUDA
// CHECK: isOfMembers(
__device__ void ofMembers(const half *A, const half *B, float *C, const Who &who) {
  const int lane = threadIdx.x % 32, warp = who.warp;
  const half *p = A + (warp * 16 + lane / 4) * 16 + lane % 4 * 2, *q = B + lane / 4 * 16 + lane % 4 * 2;
  float c[4] = {};
  const uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  const uint32_t b[2] = {word(q), word(q + 8)};
  multiply(c, a, b);
  for (int e = 0; e < 4; ++e)
    C[(warp * 16 + lane / 4 + e / 2 * 8) * 8 + lane % 4 * 2 + e % 2] = c[e];
}
__global__ void __launch_bounds__(64) isOfMembers(const half *A, const half *B, float *C) {
  ofMembers(A, B, C, Who{});
}

// CHECK: void ofObject(
// CHECK: lp: accumulators in the layout of CUDA
// CHECK: isOfObject(
__device__ void ofObject(const half *A, const half *B, float *C, const Asked &who) {
  const int lane = threadIdx.x % 32, warp = who.warp;
  const half *p = A + (warp * 16 + lane / 4) * 16 + lane % 4 * 2, *q = B + lane / 4 * 16 + lane % 4 * 2;
  float c[4] = {};
  const uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  const uint32_t b[2] = {word(q), word(q + 8)};
  multiply(c, a, b);
  for (int e = 0; e < 4; ++e)
    C[(warp * 16 + lane / 4 + e / 2 * 8) * 8 + lane % 4 * 2 + e % 2] = c[e];
}
__global__ void __launch_bounds__(64) isOfObject(const half *A, const half *B, float *C) {
  Asked who;
  ofObject(A, B, C, who);
}

// CHECK: void calledTwice(
// CHECK: lp: accumulators in the layout of CUDA
// CHECK: once(
__device__ void calledTwice(const half *A, const half *B, float *C) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const half *p = A + (warp * 16 + lane / 4) * 16 + lane % 4 * 2, *q = B + lane / 4 * 16 + lane % 4 * 2;
  float c[4] = {};
  const uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  const uint32_t b[2] = {word(q), word(q + 8)};
  multiply(c, a, b);
  for (int e = 0; e < 4; ++e)
    C[(warp * 16 + lane / 4 + e / 2 * 8) * 8 + lane % 4 * 2 + e % 2] = c[e];
}
__global__ void __launch_bounds__(64) once(const half *A, const half *B, float *C) {
  calledTwice(A, B, C);
}
__global__ void __launch_bounds__(64) again(const half *A, const half *B, float *C, int n) {
  for (int i = 0; i < n; ++i)
    calledTwice(A + i * 512, B, C + i * 256);
}

// CHECK: void inFront(
// CHECK: lp: accumulators in the layout of CUDA
// CHECK: behind(
__device__ void inFront(const half *A, const half *B, float *C) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const half *p = A + (warp * 16 + lane / 4) * 16 + lane % 4 * 2, *q = B + lane / 4 * 16 + lane % 4 * 2;
  float c[4] = {};
  const uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  const uint32_t b[2] = {word(q), word(q + 8)};
  multiply(c, a, b);
  for (int e = 0; e < 4; ++e)
    C[(warp * 16 + lane / 4 + e / 2 * 8) * 8 + lane % 4 * 2 + e % 2] = c[e];
}
__global__ void __launch_bounds__(64) behind(const half *A, const half *B, float *C, int *done) {
  inFront(A, B, C);
  done[threadIdx.x] = C[threadIdx.x] > 0.f;
}
