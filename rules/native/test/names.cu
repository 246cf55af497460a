// What stands in an address has the author's names. Where one of them is something else by the
// time of the load, the load stays as it is.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
// RUN: %ported %t.hip | FileCheck %s --check-prefix=PORT
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t (&r)[4], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
}
__device__ void ldsm2(uint32_t (&r)[2], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#define KERNEL(name) __global__ void __launch_bounds__(64) name(float *C, int K, int flag)
#define SETUP                                                                                      \
  __shared__ half s[512];                                                                          \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const uint32_t at = (uint32_t)__cvta_generic_to_shared(s);                                       \
  uint32_t a[4], b[2];                                                                             \
  float c[4] = {};
#define STORE C[threadIdx.x] = c[0];

// CHECK-DAG: hidden keeps 'a' in CUDA's layout and moves it for each product: 'n' is another variable where it is used (
KERNEL(hidden) {
  SETUP
  const int n = 16, row = warp * n + lane % n;
  {
    const int n = 7;
    ldsm4(a, at + row * 16);
    ldsm2(b, at + lane % 16 * 16 + n * 2);
    mma(c, a, b);
  }
  STORE
}

// CHECK-DAG: twoOfOne keeps 'a' in CUDA's layout and moves it for each product: it uses two variables of the name 'row' (
KERNEL(twoOfOne) {
  SETUP
  const int row = lane % 16, place = warp * 16 + row;
  {
    const int row = place % 32;
    ldsm4(a, at + row * 16);
    ldsm2(b, at + lane % 16 * 16);
    mma(c, a, b);
  }
  STORE
}

// CHECK-DAG: asOne keeps 'a' in CUDA's layout and moves it for each product: threadIdx is used as a whole: name its .x, .y or .z (
KERNEL(asOne) {
  SETUP
  const dim3 t = threadIdx;
  ldsm4(a, at + (warp * 16 + t.x % 16) * 16);
  ldsm2(b, at + lane % 16 * 16);
  mma(c, a, b);
  STORE
}

// CHECK-NOT: third is not native
KERNEL(third) {
  SETUP
  ldsm4(a, at + (warp * 16 + lane % 16 + threadIdx.z) * 16);
  ldsm2(b, at + lane % 16 * 16);
  mma(c, a, b);
  STORE
}

// An address that changes something is computed once, by the lane itself.
// CHECK-DAG: counted keeps 'a' in CUDA's layout and moves it for each product: it changes something where it is computed, which other lanes cannot do again (
KERNEL(counted) {
  SETUP
  int n = 0;
  ldsm4(a, at + (warp * 16 + lane % 16 + n++) * 16);
  ldsm2(b, at + lane % 16 * 16);
  mma(c, a, b);
  STORE
}

// What is behind a pointer, and what a lambda does, is not followed: the lane that has the
// value is asked.
// CHECK-NOT: pointedAt is not native
KERNEL(pointedAt) {
  SETUP
  int row = 0;
  int *p = &row;
  row = lane;
  *p = warp * 16 + lane % 16;
  ldsm4(a, at + row * 16);
  ldsm2(b, at + lane % 16 * 16);
  mma(c, a, b);
  STORE
}

// CHECK-NOT: setByLambda is not native
KERNEL(setByLambda) {
  SETUP
  int row = 0;
  auto set = [&] { row = warp * 16 + lane % 16; };
  row = lane;
  set();
  ldsm4(a, at + row * 16);
  ldsm2(b, at + lane % 16 * 16);
  mma(c, a, b);
  STORE
}

// A struct of the thread's numbers is made again, whatever its type is called, and stays unsigned.
// CHECK-NOT: inAStruct is not native
// CHECK: compiled: gfx942 yes
// PORT-LABEL: KERNEL(inAStruct)
// PORT: const Who who = {unsigned(lane), unsigned(warp)};
// PORT: const decltype(half16) half16 = {unsigned(warp * 32 + lane) / 16 % 2};
struct Who {
  unsigned lane, warp;
};
KERNEL(inAStruct) {
  __shared__ half s[512];
  const uint32_t at = (uint32_t)__cvta_generic_to_shared(s);
  uint32_t a[4], b[2];
  float c[4] = {};
  const Who who{threadIdx.x & 31, threadIdx.x >> 5};
  const struct {
    unsigned upper;
  } half16 = {threadIdx.x / 16 % 2};
  ldsm4(a, at + (who.warp * 16 + who.lane % 16) * 32 + half16.upper * 16);
  ldsm2(b, at + who.lane % 16 * 16);
  mma(c, a, b);
  STORE
}
