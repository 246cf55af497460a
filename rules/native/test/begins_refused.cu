// What results begin with, and is stored by the function that adds it. And a struct that the kernel
// is launched with and that is the thread's own, as something changes it: by name and reason.
// No lane is asked for it.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
// RUN: %ported %t.hip | FileCheck %s --check-prefix=OUT
// OUT-NOT: lp::of_element
#include <cuda_fp16.h>
#include <stdint.h>

struct Numbers {
  int first;
  int steps[2];
};

__device__ __forceinline__ uint32_t word(const half *p) {
  return *reinterpret_cast<const uint32_t *>(p);
}
__device__ __forceinline__ void addTo(float &c, float v, float *E) {
  *E = v;
  c += v;
}

#define SETUP                                                                                      \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const int g = lane / 4, t = lane % 4;                                                            \
  float c[2][4] = {};
#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(64)                                                            \
      name(const half *A, const half *B, const float *bias, float *C, float *E, Numbers n)

// CHECK-DAG: handedAndStored is not native: 'c' is used between the products: what goes into results is given to more than results
KERNEL(handedAndStored) {
  SETUP
  for (int k = 0; k < 48; k += 16) {
    uint32_t a[4], b[2][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * 48 + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * 48 + k + t * 2 + r * 8);
    for (int j = 0; j < 2; ++j)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
          "{%8,%9}, {%0,%1,%2,%3};"
          : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[j][0]), "r"(b[j][1]));
  }
  for (int j = 0; j < 2; ++j) {
    addTo(c[j][0], bias[j * 8 + t * 2], E + j * 64 + threadIdx.x);
    addTo(c[j][2], bias[j * 8 + t * 2], E + 128 + j * 64 + threadIdx.x);
  }
  for (int k = 0; k < 48; k += 16) {
    uint32_t a[4], b[2][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * 48 + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * 48 + k + t * 2 + r * 8);
    for (int j = 0; j < 2; ++j)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
          "{%8,%9}, {%0,%1,%2,%3};"
          : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[j][0]), "r"(b[j][1]));
  }
  float *out = C + (warp * 16 + g) * 16 + t * 2;
  for (int j = 0; j < 2; ++j) {
    out[j * 8] = c[j][0];
    out[j * 8 + 1] = c[j][1];
    out[8 * 16 + j * 8] = c[j][2];
    out[8 * 16 + j * 8 + 1] = c[j][3];
  }
}

// Every thread has its own copy of an argument.
// CHECK-DAG: changedArgument keeps 'a' in CUDA's layout and moves it for each product: 'a': its value reads 'n', registers of the thread's own
KERNEL(changedArgument) {
  SETUP
  n.first += lane;
  for (int k = 0; k < 48; k += 16) {
    uint32_t a[4], b[2][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * n.steps[0] + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * 48 + k + t * 2 + r * 8);
    for (int j = 0; j < 2; ++j)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
          "{%8,%9}, {%0,%1,%2,%3};"
          : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[j][0]), "r"(b[j][1]));
  }
  float *out = C + (warp * 16 + g) * 16 + t * 2;
  for (int j = 0; j < 2; ++j) {
    out[j * 8] = c[j][0];
    out[j * 8 + 1] = c[j][1];
    out[8 * 16 + j * 8] = c[j][2];
    out[8 * 16 + j * 8 + 1] = c[j][3];
  }
}

// CHECK-DAG: handedArgument keeps 'a' in CUDA's layout and moves it for each product: 'a': its value reads 'n', registers of the thread's own
KERNEL(handedArgument) {
  SETUP
  int *steps = n.steps;
  steps[0] += lane;
  for (int k = 0; k < 48; k += 16) {
    uint32_t a[4], b[2][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * n.steps[0] + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * 48 + k + t * 2 + r * 8);
    for (int j = 0; j < 2; ++j)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
          "{%8,%9}, {%0,%1,%2,%3};"
          : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[j][0]), "r"(b[j][1]));
  }
  float *out = C + (warp * 16 + g) * 16 + t * 2;
  for (int j = 0; j < 2; ++j) {
    out[j * 8] = c[j][0];
    out[j * 8 + 1] = c[j][1];
    out[8 * 16 + j * 8] = c[j][2];
    out[8 * 16 + j * 8 + 1] = c[j][3];
  }
}
