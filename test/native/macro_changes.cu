// What an address is made of changes in the macro that declares it, or that begins the loop: the text
// does not say which comes first, so lanes are asked for what they have.
//
// RUN: %prove --launch %S/macro_changes.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int LD = 40;

__device__ __forceinline__ uint32_t word(const half *p) { return *(const uint32_t *)p; }
__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  const uint32_t s = (uint32_t)__cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(s));
}
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(64) name(const half *A, const half *B, float *C)
#define BEGIN                                                                                      \
  __shared__ __align__(16) half sa[36][LD];                                                        \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4 * 2;      \
  for (int e = threadIdx.x; e < 36 * 32; e += 64)                                                  \
    sa[e / 32][e % 32] = A[e];                                                                     \
  __syncthreads();                                                                                 \
  uint32_t a[4], b[2];                                                                             \
  float c[2][4] = {};
#define STORE                                                                                      \
  for (int j = 0; j < 2; ++j)                                                                      \
    for (int i = 0; i < 2; ++i)                                                                    \
      *(float2 *)&C[(warp * 16 + g + i * 8) * 16 + j * 8 + t] =                                    \
          make_float2(c[j][2 * i], c[j][2 * i + 1]);

// CHECK-LABEL: (changed)
// CHECK: lp::load_a(a, [&](int lane, int warp) {
// CHECK-NEXT: const int row = lane % 16 + warp * 16 + 1;
#define ROW_BEHIND int row = warp * 16 + lane % 16; row += 1
KERNEL(changed) {
  BEGIN
  ROW_BEHIND;
  for (int kk = 0; kk < 32; kk += 16) {
    ldsm4(a, &sa[row][kk + lane / 16 * 8]);
    for (int j = 0; j < 2; ++j) {
      b[0] = word(B + (j * 8 + g) * 32 + kk + t);
      b[1] = word(B + (j * 8 + g) * 32 + kk + t + 8);
      mma(c[j], a, b);
    }
  }
  STORE
}

// CHECK-LABEL: (input)
// CHECK: lp::load_a(a, [&, at_ = at](int lane, int warp) {
#define MOVED(declaration) declaration; row += 2
KERNEL(input) {
  BEGIN
  int row = warp * 16 + lane % 16;
  row ^= 1;
  MOVED(const int at = row * LD + lane / 16 * 8);
  for (int kk = 0; kk < 32; kk += 16) {
    ldsm4(a, &sa[0][0] + at + kk);
    for (int j = 0; j < 2; ++j) {
      b[0] = word(B + (j * 8 + g) * 32 + kk + t);
      b[1] = word(B + (j * 8 + g) * 32 + kk + t + 8);
      mma(c[j], a, b);
    }
  }
  if (row < 0)
    C[0] = 0;
  STORE
}

// CHECK-LABEL: (inTurns)
// CHECK: lp::load_a(a, [&, row_ = row](int lane, int warp) {
// CHECK-NEXT: const auto row = lp::of_thread(row_, lane, warp);
// CHECK-NEXT: const int at = row * LD + lane / 16 * 8;
#define STEPS(n)                                                                                   \
  int row = warp * 16 + lane % 16;                                                                 \
  for (int kk = 0; kk < n; kk += 16) {                                                             \
    const int at = row * LD + lane / 16 * 8;
KERNEL(inTurns) {
  BEGIN
  STEPS(32)
    ldsm4(a, &sa[0][0] + at + kk);
    for (int j = 0; j < 2; ++j) {
      b[0] = word(B + (j * 8 + g) * 32 + kk + t);
      b[1] = word(B + (j * 8 + g) * 32 + kk + t + 8);
      mma(c[j], a, b);
    }
    row ^= 1;
  }
  STORE
}
