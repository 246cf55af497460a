// What keeps an operand from being computed lane by lane from values that are read for
// another lane.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

struct FragB {
  half2 h[2];
};
__device__ uint32_t word(const half *p) { return *reinterpret_cast<const uint32_t *>(p); }
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const FragB &f) {
  const uint32_t *b = reinterpret_cast<const uint32_t *>(&f);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ FragB four(int q) {
  FragB b;
  b.h[0] = __floats2half2_rn(q & 15, q >> 4 & 15);
  b.h[1] = __floats2half2_rn(q >> 8 & 15, q >> 12 & 15);
  return b;
}
__device__ int atLane(int q) {
  int l;
  asm("mov.u32 %0, %%laneid;" : "=r"(l));
  return q >> l;
}
__device__ FragB kept(int q, int *to) {
  to[0] = q;
  return four(q);
}

#define SETUP                                                                                      \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;          \
  float d[4] = {};                                                                                 \
  const half *p = A + (warp * 16 + g) * 16 + t * 2;
#define STORE                                                                                      \
  for (int r = 0; r < 4; ++r)                                                                      \
    C[r * 64 + threadIdx.x] = d[r];

// CHECK-DAG: usedTwice is not native: an operand of mma.m16n8k16.f16 is not a register of a fragment variable: 'q' is used otherwise too ({{.*}}lanewise_refused.cu:[[@LINE+5]])
__global__ void __launch_bounds__(64) usedTwice(const half *A, int *P, float *C) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  const int q = P[g * 4 + t];
  mma(d, a, four(q));
  STORE
  C[threadIdx.x] += q;
}

// CHECK-DAG: asAnAddress is not native: {{.*}}: 'q' is used otherwise too
__global__ void __launch_bounds__(64) asAnAddress(const half *A, int *P, float *C) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  const int q = P[g * 4 + t];
  const int w = P[q + lane];
  mma(d, a, four(q + w));
  STORE
}

// CHECK-DAG: conditional is not native: {{.*}}: 'q' is set under a condition on the thread
__global__ void __launch_bounds__(64) conditional(const half *A, int *P, float *C) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  int q = P[g * 4 + t];
  if (lane & 1)
    q >>= 4;
  mma(d, a, four(q));
  STORE
}

// CHECK-DAG: decidedByItself is not native: {{.*}}: 'q' is {{set under a condition on the thread|used otherwise too}}
__global__ void __launch_bounds__(64) decidedByItself(const half *A, int *P, float *C) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  int q = P[g * 4 + t];
  while (q > 1000)
    q >>= 1;
  mma(d, a, four(q));
  STORE
}

// CHECK-DAG: parted is not native: {{.*}}: the lanes of a wave may part
__global__ void __launch_bounds__(64) parted(const half *A, int *P, float *C) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  int q = P[g * 4 + t];
  for (int i = 0; i < 4; ++i) {
    if (lane > i)
      continue;
    q >>= 1;
  }
  mma(d, a, four(q));
  STORE
}

// CHECK-DAG: byTheThread is not native: {{.*}}: what is multiplied reads the thread's index itself
__global__ void __launch_bounds__(64) byTheThread(const half *A, int *P, float *C) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  const int q = P[g * 4 + t];
  mma(d, a, four(q >> t));
  STORE
}

// CHECK-DAG: byTheLane is not native: {{.*}}: what is multiplied reads the thread's index itself
__global__ void __launch_bounds__(64) byTheLane(const half *A, int *P, float *C) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  const int q = P[g * 4 + t];
  mma(d, a, four(atLane(q)));
  STORE
}

// CHECK-DAG: shuffled is not native: {{.*}}: its value calls '__shfl_xor_sync'
__global__ void __launch_bounds__(64) shuffled(const half *A, int *P, float *C) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  int q = P[g * 4 + t];
  q += __shfl_xor_sync(~0u, q, 1);
  mma(d, a, four(q));
  STORE
}

// CHECK-DAG: counts is not native: {{.*}}: its value calls 'atomicAdd'
__global__ void __launch_bounds__(64) counts(const half *A, int *P, float *C) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  const int q = atomicAdd(&P[g * 4 + t], 1);
  mma(d, a, four(q));
  STORE
}

// CHECK-DAG: writing is not native: {{.*}}: its value writes memory
__global__ void __launch_bounds__(64) writing(const half *A, int *P, float *C) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  const int q = P[g * 4 + t];
  mma(d, a, kept(q, P));
  STORE
}

// CHECK-DAG: inALambda is not native: {{.*}}: 'q' is no variable in the thread's own registers
__global__ void __launch_bounds__(64) inALambda(const half *A, int *P, float *C) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  int q = P[g * 4 + t];
  const auto add = [&](int n) { q += n; };
  add(lane);
  mma(d, a, four(q));
  STORE
}

// What a lambda calls is the kernel's text where the lambda is.
// CHECK-DAG: byAnother is not native: {{.*}}: 'q' is no variable in the thread's own registers
__global__ void __launch_bounds__(64) byAnother(const half *A, int *P, float *C) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  int q = P[g * 4 + t];
  const auto halve = [&] { q >>= 1; };
  const auto some = [&](int n) {
    if (n < 16)
      halve();
  };
  some(lane);
  mma(d, a, four(q));
  STORE
}

// CHECK-DAG: pointed is not native: {{.*}}: 'q' is used otherwise too
__global__ void __launch_bounds__(64) pointed(const half *A, int *P, float *C) {
  SETUP
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  int q = P[g * 4 + t];
  int *at = &q;
  at[0] ^= lane;
  mma(d, a, four(q));
  STORE
}

// B is computed in the lanes that multiply it, so code that makes A cannot be followed beside it.
// CHECK-DAG: bothMade keeps 'a' in CUDA's layout and moves it for each product: operand A of mma.m16n8k16.f16 is neither read by ldmatrix nor put together in one place: operand B is computed here in the lanes that multiply it
__global__ void __launch_bounds__(64) bothMade(const half *A, int *P, float *C) {
  SETUP
  uint32_t a[4];
  for (int r = 0; r < 4; ++r) {
    if (r < 4)
      a[r] = word(p + r % 2 * 128 + r / 2 * 8);
  }
  const int q = P[g * 4 + t];
  mma(d, a, four(q));
  STORE
}
