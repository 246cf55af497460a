// Lambdas of the kernel whose fragments are not followed: they keep a copy of what changes, and their
// text would be written anew where they are called; or they put operands together and are called
// with a value of the thread, where warps part, or by no name. Such kernels are bridged.
//
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s --implicit-check-not="copiesLast is not native"
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int LD = 40;

__device__ __forceinline__ uint32_t word(const half *p) { return *(const uint32_t *)p; }
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  const uint32_t s = (uint32_t)__cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(s));
}
#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(64) name(const half *A, const half *B, float *C)
#define BEGIN                                                                                      \
  __shared__ __align__(16) half sa[34][LD];                                                        \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4 * 2;      \
  for (int e = threadIdx.x; e < 34 * 32; e += 64)                                                  \
    sa[e / 32][e % 32] = A[e];                                                                     \
  __syncthreads();                                                                                 \
  uint32_t a[4];                                                                                   \
  float c[4] = {};
#define STORE                                                                                      \
  for (int e = 0; e < 4; ++e)                                                                      \
    C[(warp * 16 + g + e / 2 * 8) * 8 + t + e % 2] = c[e];

// CHECK-DAG: copies is not native: a lambda that handles fragments keeps a copy of 'row', which changes ({{.*}}lambdas_refused.cu:[[@LINE+9]])
KERNEL(copies) {
  BEGIN
  int row = warp * 16 + lane % 16;
  auto read = [=](uint32_t (&r)[4], int k) {
    ldsm4(r, &sa[row][k + lane / 16 * 8]);
  };
  row += 1;
  for (int k = 0; k < 32; k += 16) {
    read(a, k);
    const uint32_t b[2] = {word(B + g * 32 + k + t), word(B + g * 32 + k + t + 8)};
    mma(c, a, b);
  }
  STORE
}

// Written anew at its call, where `at` is another.
// CHECK-DAG: namedAlike keeps 'b' in CUDA's layout and moves it for each product: 'at' is computed from 'start', which changes before it is used ({{.*}}lambdas_refused.cu:
KERNEL(namedAlike) {
  BEGIN
  int start = 0;
  auto fill = [&](uint32_t (&r)[2]) {
    const int at = start + t;
    r[0] = word(B + g * 32 + at);
    r[1] = word(B + g * 32 + at + 8);
  };
  int at = 0;
  for (int k = 0; k < 32; k += 16) {
    uint32_t b[2];
    ldsm4(a, &sa[warp * 16 + lane % 16][k + lane / 16 * 8]);
    start = k;
    fill(b);
    mma(c, a, b);
    at += 16;
  }
  C[512] = at;
  STORE
}

// CHECK-DAG: goesByAnother keeps 'b' in CUDA's layout and moves it for each product: 'b' is put together in a lambda that is called in a way that is not followed ({{.*}}lambdas_refused.cu:
KERNEL(goesByAnother) {
  BEGIN
  uint32_t b[2];
  int row = g;
  auto fill = [&](int k) {
    b[0] = word(B + row * 32 + k + t);
    b[1] = word(B + row * 32 + k + t + 8);
  };
  auto &again = fill;
  for (int k = 0; k < 32; k += 16) {
    ldsm4(a, &sa[warp * 16 + lane % 16][k + lane / 16 * 8]);
    again(k);
    mma(c, a, b);
    row ^= 1;
  }
  STORE
}

// What it copied did not change behind it.
KERNEL(copiesLast) {
  BEGIN
  int row = warp * 16;
  row += lane % 16;
  auto read = [=](uint32_t (&r)[4], int k) {
    ldsm4(r, &sa[row][k + lane / 16 * 8]);
  };
  for (int k = 0; k < 32; k += 16) {
    read(a, k);
    const uint32_t b[2] = {word(B + g * 32 + k + t), word(B + g * 32 + k + t + 8)};
    mma(c, a, b);
  }
  STORE
}

// CHECK-DAG: named is not native: a lambda that handles fragments keeps a copy of what it calls 'own' ({{.*}}lambdas_refused.cu:[[@LINE+8]])
KERNEL(named) {
  BEGIN
  const int row = warp * 16 + lane % 16;
  auto read = [own = row, lane](uint32_t (&r)[4], int k) {
    ldsm4(r, &sa[own][k + lane / 16 * 8]);
  };
  for (int k = 0; k < 32; k += 16) {
    read(a, k);
    const uint32_t b[2] = {word(B + g * 32 + k + t), word(B + g * 32 + k + t + 8)};
    mma(c, a, b);
  }
  STORE
}

// CHECK-DAG: given keeps 'a' in CUDA's layout and moves it for each product: 'a' is put together in a lambda that is called in a way that is not followed (
KERNEL(given) {
  BEGIN
  auto fetch = [&](int k, int r) {
    a[0] = word(&sa[r][k + t]);
    a[1] = word(&sa[r + 8][k + t]);
    a[2] = word(&sa[r][k + t + 8]);
    a[3] = word(&sa[r + 8][k + t + 8]);
  };
  for (int k = 0; k < 32; k += 16) {
    fetch(k, warp * 16 + g);
    const uint32_t b[2] = {word(B + g * 32 + k + t), word(B + g * 32 + k + t + 8)};
    mma(c, a, b);
  }
  STORE
}

// CHECK-DAG: parted keeps 'a' in CUDA's layout and moves it for each product: 'a' is put together in a lambda that is called in a way that is not followed (
KERNEL(parted) {
  BEGIN
  auto fetch = [&](int k) {
    a[0] = word(&sa[warp * 16 + g][k + t]);
    a[1] = word(&sa[warp * 16 + g + 8][k + t]);
    a[2] = word(&sa[warp * 16 + g][k + t + 8]);
    a[3] = word(&sa[warp * 16 + g + 8][k + t + 8]);
  };
  for (int k = 0; k < 32; k += 16) {
    if (k == 0 || warp == 0)
      fetch(k);
    const uint32_t b[2] = {word(B + g * 32 + k + t), word(B + g * 32 + k + t + 8)};
    mma(c, a, b);
  }
  STORE
}

// Called by a lambda that handles no matrices: nobody asks with what that one is called.
// CHECK-DAG: within keeps 'a' in CUDA's layout and moves it for each product: 'a' is put together in a lambda that is called in a way that is not followed (
KERNEL(within) {
  BEGIN
  auto fetch = [&](int k) {
    a[0] = word(&sa[warp * 16 + g][k + t]);
    a[1] = word(&sa[warp * 16 + g + 8][k + t]);
    a[2] = word(&sa[warp * 16 + g][k + t + 8]);
    a[3] = word(&sa[warp * 16 + g + 8][k + t + 8]);
  };
  auto some = [&](int n) {
    if (n < 20)
      fetch(0);
  };
  for (int k = 0; k < 32; k += 16) {
    fetch(k);
    some(lane);
    const uint32_t b[2] = {word(B + g * 32 + k + t), word(B + g * 32 + k + t + 8)};
    mma(c, a, b);
  }
  STORE
}

// Handed to somebody who calls it.
// CHECK-DAG: handedOn keeps 'a' in CUDA's layout and moves it for each product: 'a' is put together in a lambda that is called in a way that is not followed (
KERNEL(handedOn) {
  BEGIN
  auto fetch = [&](int k) {
    a[0] = word(&sa[warp * 16 + g][k + t]);
    a[1] = word(&sa[warp * 16 + g + 8][k + t]);
    a[2] = word(&sa[warp * 16 + g][k + t + 8]);
    a[3] = word(&sa[warp * 16 + g + 8][k + t + 8]);
  };
  auto run = [](auto &f) { f(0); };
  for (int k = 0; k < 32; k += 16) {
    fetch(k);
    if (lane & 1)
      run(fetch);
    const uint32_t b[2] = {word(B + g * 32 + k + t), word(B + g * 32 + k + t + 8)};
    mma(c, a, b);
  }
  STORE
}

// CHECK-DAG: nameless keeps 'a' in CUDA's layout and moves it for each product: 'a' is put together in a lambda that is called in a way that is not followed (
KERNEL(nameless) {
  BEGIN
  int row = warp * 16 + g;
  for (int k = 0; k < 32; k += 16) {
    [&] {
      a[0] = word(&sa[row][k + t]);
      a[1] = word(&sa[row + 8][k + t]);
      a[2] = word(&sa[row][k + t + 8]);
      a[3] = word(&sa[row + 8][k + t + 8]);
    }();
    row += 1;
    const uint32_t b[2] = {word(B + g * 32 + k + t), word(B + g * 32 + k + t + 8)};
    mma(c, a, b);
  }
  STORE
}

__device__ __forceinline__ uint32_t packed(float x, float y) {
  const half2 v = __floats2half2_rn(x, y);
  return *(const uint32_t *)&v;
}
#define TWO_PRODUCTS                                                                               \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4 * 2;      \
  const half *p = A + (warp * 16 + g) * 16 + t;                                                    \
  float s[2][4] = {}, c[4] = {};

// CHECK-DAG: handedMask keeps 'w' in CUDA's layout and moves it for each product: {{.*}} depends on the lane: it is in a lambda that is called with a value of the thread (
KERNEL(handedMask) {
  TWO_PRODUCTS
  const uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  for (int j = 0; j < 2; ++j) {
    const uint32_t b[2] = {word(B + (j * 8 + g) * 16 + t), word(B + (j * 8 + g) * 16 + t + 8)};
    mma(s[j], a, b);
  }
  auto mask = [&](int column) {
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        s[j][e] = j * 8 + column + e % 2 < 13 ? s[j][e] : 0.f;
  };
  mask(t);
  const uint32_t w[4] = {packed(s[0][0], s[0][1]), packed(s[0][2], s[0][3]), packed(s[1][0], s[1][1]),
                         packed(s[1][2], s[1][3])};
  const uint32_t b[2] = {word(B + g * 16 + t), word(B + g * 16 + t + 8)};
  mma(c, w, b);
  STORE
}

// CHECK-DAG: movedMask keeps 'w' in CUDA's layout and moves it for each product: {{.*}} depends on the lane: {{.*}}'column'{{.*}} (
KERNEL(movedMask) {
  TWO_PRODUCTS
  const uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  for (int j = 0; j < 2; ++j) {
    const uint32_t b[2] = {word(B + (j * 8 + g) * 16 + t), word(B + (j * 8 + g) * 16 + t + 8)};
    mma(s[j], a, b);
  }
  int column = t;
  auto mask = [&] {
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        s[j][e] = j * 8 + column + e % 2 < 13 ? s[j][e] : 0.f;
  };
  column ^= 2;
  mask();
  const uint32_t w[4] = {packed(s[0][0], s[0][1]), packed(s[0][2], s[0][3]), packed(s[1][0], s[1][1]),
                         packed(s[1][2], s[1][3])};
  const uint32_t b[2] = {word(B + g * 16 + t), word(B + g * 16 + t + 8)};
  mma(c, w, b);
  STORE
}
