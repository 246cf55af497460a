// Structs of the thread's own that change where nobody follows it: each lane is asked for what it has.
//
// RUN: %prove --launch %S/places_asked.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

struct Place {
  int lane, row;
  __device__ void turn() { row ^= 16; }
  __device__ void add(const Place &other) {
    row += other.row;
    row += other.row;
  }
};
struct View {
  const half *base;
  int pitch;
  __device__ void load(uint32_t (&r)[4], int row, int column) const {
    const half *p = base + row * pitch + column;
    const uint32_t at = __cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
  }
};

__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void load(uint32_t (&r)[4], const half *p) {
  const uint32_t at = __cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}
__device__ void stage(half *s, const half *A) {
  for (int i = threadIdx.x; i < 64 * 16; i += blockDim.x)
    s[i] = A[i];
  __syncthreads();
}

// Changed in the loop.
//
// CHECK: void __launch_bounds__(64) turns(
// CHECK: [&, at_ = at](int lane, int warp) {
// CHECK-NEXT: const auto at = lp::of_thread(at_, lane, warp);
// CHECK-NEXT: return &s[(at.row + at.lane % 16) * 16 + at.lane / 16 * 8];
__global__ void __launch_bounds__(64) turns(const half *A, const uint32_t *B, float *C, int K, int n) {
  __shared__ half s[64 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  uint32_t a[4], b[2][2];
  for (int j = 0; j < 2; ++j)
    for (int r = 0; r < 2; ++r)
      b[j][r] = B[j * 64 + lane + r * 32];
  stage(s, A);
  Place at;
  at.lane = threadIdx.x % 32;
  at.row = threadIdx.x / 32 * 16;
  for (int k = 0; k < K; k += 16) {
    load(a, &s[(at.row + at.lane % 16) * 16 + at.lane / 16 * 8]);
    for (int j = 0; j < 2; ++j)
      mma(c[j], a, b[j]);
    at.turn();
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// In one branch, whose condition numbers of the launch decide.
//
// CHECK: void __launch_bounds__(64) parts(
// CHECK: [&, at_ = at](int lane, int warp) {
// CHECK-NEXT: const auto at = lp::of_thread(at_, lane, warp);
// CHECK-NEXT: return &s[(at.row + at.lane % 16) * 16 + at.lane / 16 * 8];
__global__ void __launch_bounds__(64) parts(const half *A, const uint32_t *B, float *C, int K, int n) {
  __shared__ half s[64 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  uint32_t a[4], b[2][2];
  for (int j = 0; j < 2; ++j)
    for (int r = 0; r < 2; ++r)
      b[j][r] = B[j * 64 + lane + r * 32];
  stage(s, A);
  Place at;
  at.lane = threadIdx.x % 32;
  at.row = threadIdx.x / 32 * 16;
  if (n > 5)
    at.row = 0;
  for (int k = 0; k < K; k += 16) {
    load(a, &s[(at.row + at.lane % 16) * 16 + at.lane / 16 * 8]);
    for (int j = 0; j < 2; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// Behind a pointer.
//
// CHECK: void __launch_bounds__(64) pointed(
// CHECK: [&, at_ = at](int lane, int warp) {
// CHECK-NEXT: const auto at = lp::of_thread(at_, lane, warp);
// CHECK-NEXT: return &s[(at.row + at.lane % 16) * 16 + at.lane / 16 * 8];
__global__ void __launch_bounds__(64) pointed(const half *A, const uint32_t *B, float *C, int K, int n) {
  __shared__ half s[64 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  uint32_t a[4], b[2][2];
  for (int j = 0; j < 2; ++j)
    for (int r = 0; r < 2; ++r)
      b[j][r] = B[j * 64 + lane + r * 32];
  stage(s, A);
  Place at;
  at.lane = threadIdx.x % 32;
  at.row = threadIdx.x / 32 * 16;
  int *row = &at.row;
  for (int k = 0; k < K; k += 16) {
    load(a, &s[(at.row + at.lane % 16) * 16 + at.lane / 16 * 8]);
    for (int j = 0; j < 2; ++j)
      mma(c[j], a, b[j]);
    *row = 0;
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// Through two names.
//
// CHECK: void __launch_bounds__(64) adds(
// CHECK: [&, at_ = at](int lane, int warp) {
// CHECK-NEXT: const auto at = lp::of_thread(at_, lane, warp);
// CHECK-NEXT: return &s[(at.row + at.lane % 16) * 16 + at.lane / 16 * 8];
__global__ void __launch_bounds__(64) adds(const half *A, const uint32_t *B, float *C, int K, int n) {
  __shared__ half s[64 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  uint32_t a[4], b[2][2];
  for (int j = 0; j < 2; ++j)
    for (int r = 0; r < 2; ++r)
      b[j][r] = B[j * 64 + lane + r * 32];
  stage(s, A);
  Place at = {int(threadIdx.x % 32), int(threadIdx.x / 32 * 4)};
  at.add(at);
  for (int k = 0; k < K; k += 16) {
    load(a, &s[(at.row + at.lane % 16) * 16 + at.lane / 16 * 8]);
    for (int j = 0; j < 2; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// With a pointer; it has a hole behind it.
//
// CHECK: void __launch_bounds__(64) moved(
// CHECK: [&, view_ = view](int lane, int warp) {
// CHECK-NEXT: auto view = view_;
// CHECK-NEXT: view.base = lp::of_thread(view_.base, lane, warp);
// CHECK-NEXT: view.pitch = lp::of_thread(view_.pitch, lane, warp);
__global__ void __launch_bounds__(64) moved(const half *A, const uint32_t *B, float *C, int K, int n) {
  __shared__ half s[64 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  uint32_t a[4], b[2][2];
  for (int j = 0; j < 2; ++j)
    for (int r = 0; r < 2; ++r)
      b[j][r] = B[j * 64 + lane + r * 32];
  stage(s, A);
  View view{s, 16};
  view.base += warp * 256;
  for (int k = 0; k < K; k += 16) {
    view.load(a, lane % 16, lane / 16 * 8);
    for (int j = 0; j < 2; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// For some lanes.
//
// CHECK: void __launch_bounds__(64) byLane(
// CHECK: [&, view_ = view](int lane, int warp) {
// CHECK-NEXT: auto view = view_;
// CHECK-NEXT: view.base = lp::of_thread(view_.base, lane, warp);
// CHECK-NEXT: view.pitch = lp::of_thread(view_.pitch, lane, warp);
__global__ void __launch_bounds__(64) byLane(const half *A, const uint32_t *B, float *C, int K, int n) {
  __shared__ half s[64 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  uint32_t a[4], b[2][2];
  for (int j = 0; j < 2; ++j)
    for (int r = 0; r < 2; ++r)
      b[j][r] = B[j * 64 + lane + r * 32];
  stage(s, A);
  View view{s, 16};
  if (lane < n)
    view.pitch = 24;
  for (int k = 0; k < K; k += 16) {
    view.load(a, warp * 16 + lane % 16, lane / 16 * 8);
    for (int j = 0; j < 2; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}
