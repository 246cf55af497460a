// Where a chip's MFMA is as deep as several steps of k, the operands of a step wait for those of
// the next: in loops that do nothing else with the sums.
//
// RUN: %layout-port %s -o %t.hip --target gfx90a,gfx942,gfx950 --verify --launch %S/Inputs/held.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: %ported %t.hip | FileCheck %s
//
// REPORT-NOT: {{is not native|refuted|unknown}}
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes
// REPORT: verify gfx90a: {{proved|tested}}
// REPORT: verify gfx942: {{proved|tested}}
// REPORT: verify gfx950: {{proved|tested}}
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void mma16(float *d, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void mma8(float *d, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
               "{%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}
__device__ void mmaBytes(int *d, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
// Rows and columns of 64 elements of k, as words of 32 (halves) or of 16 (bytes).
__device__ void readA(uint32_t (&a)[4], const uint32_t *A, int words, int step, int row, int lane) {
  const uint32_t *at = A + (row + lane / 4) * words + step * 8 + lane % 4;
  a[0] = at[0];
  a[1] = at[8 * words];
  a[2] = at[4];
  a[3] = at[8 * words + 4];
}
__device__ void readB(uint32_t (&b)[2], const uint32_t *B, int words, int step, int column, int lane) {
  const uint32_t *at = B + (column + lane / 4) * words + step * 8 + lane % 4;
  b[0] = at[0];
  b[1] = at[4];
}
template <class T, int N> __device__ void put(T *C, const T (&c)[N][4], int row, int lane) {
  for (int j = 0; j < N; ++j)
    for (int e = 0; e < 4; ++e)
      C[(row + lane / 4 + e / 2 * 8) * N * 8 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// A is in registers whole; the loop is the body of another one, and its line has a pragma.
// CHECK-LABEL: registers(
__global__ void __launch_bounds__(64) registers(const uint32_t *A, const uint32_t *B, float *C) {
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16;
  float c[6][4] = {};
  uint32_t a[4][4], b[2];
  for (int k = 0; k < 4; ++k)
    readA(a[k], A, 32, k, row, lane);
  // CHECK: lp::mfma_f16_steps_held held2[6];
  // CHECK-NEXT: #pragma unroll
  // CHECK-NEXT: for (int twice = 0; twice < 2; ++twice)
#pragma unroll
  for (int twice = 0; twice < 2; ++twice)
#pragma unroll
    for (int k = 0; k < 4; ++k)
      for (int j = 0; j < 6; ++j) {
        readB(b, B, 32, k, j * 8, lane);
        // CHECK: steps_wave({{.*}}, held2[j], k);
        mma16(c[j], a[k], b);
      }
  put(C, c, row, lane);
}

// Half as deep: two steps fill the MFMA of every chip, four that of gfx950. Steps are counted by
// twos from 8 on, and somebody has the name.
// CHECK-LABEL: shallow(
__global__ void __launch_bounds__(64) shallow(const uint32_t *A, const uint32_t *B, float *C, int held) {
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16;
  float c[6][4] = {};
  // CHECK: lp::mfma_f16_steps_{{[0-9]+}}_held held2[3][2];
  for (int k = 8; k < 24; k += 2) {
    uint32_t a[2];
    const uint32_t *at = A + (row + lane / 4) * 32 + (k - 8) * 2 + lane % 4;
    a[0] = at[0];
    a[1] = at[8 * 32];
    for (int j = 0; j < 6; j += 2) {
      uint32_t b[1], next[1];
      b[0] = B[(j * 8 + lane / 4) * 32 + (k - 8) * 2 + lane % 4];
      next[0] = B[(j * 8 + 8 + lane / 4) * 32 + (k - 8) * 2 + lane % 4];
      // CHECK: held2[j / 2]{{.*}}, (k - 8) / 2);
      mma8(c[j], a, b);
      mma8(c[j + 1], a, next);
    }
  }
  put(C, c, row + held, lane);
}

// CHECK-LABEL: bytes(
__global__ void __launch_bounds__(64) bytes(const uint32_t *A, const uint32_t *B, int *C) {
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16;
  int c[4][4] = {};
  // CHECK: lp::mfma_{{.*}}_held held2[4];
  for (int k = 0; k < 2; ++k) {
    uint32_t a[4], b[2];
    readA(a, A, 16, k, row, lane);
    for (int j = 0; j < 4; ++j) {
      readB(b, B, 16, k, j * 8, lane);
      mmaBytes(c[j], a, b);
    }
  }
  put(C, c, row, lane);
}

// One of three steps is left.
// CHECK-LABEL: threeSteps(
// CHECK: lp::mfma_f16_steps_{{[0-9]+}}_held held2[6];
// CHECK-NEXT: for (int k = 0; k < 3; ++k) {
// CHECK: steps_wave{{.*}}, j & 1, held2[j], k);
// CHECK: // lp: steps of k that no other came behind
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int j = 0; j < 6; ++j)
// CHECK-NEXT: lp::mma_{{.*}}_steps_wave{{.*}}(c[j & ~1], c[j | 1], lp::no_words{}, lp::no_words{}, j & 1, held2[j], -1);
__global__ void __launch_bounds__(64) threeSteps(const uint32_t *A, const uint32_t *B, float *C) {
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16;
  float c[6][4] = {};
  for (int k = 0; k < 3; ++k) {
    uint32_t a[4], b[2];
    readA(a, A, 32, k, row, lane);
    for (int j = 0; j < 6; ++j) {
      readB(b, B, 32, k, j * 8, lane);
      mma16(c[j], a, b);
    }
  }
  put(C, c, row, lane);
}

// Nobody knows how many there are: they go by as many as fill an MFMA.
// CHECK-LABEL: someSteps(
// CHECK: lp::mfma_f16_steps_{{[0-9]+}}_held held2[3][2];
// CHECK-NEXT: for (unsigned k02 = (unsigned)k0 * (32 / 32); k02 < steps; k02 += 2)
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (unsigned k = k02; k - k02 < 2 && k < steps; ++k) {
// CHECK: j, TILES, held2[j], k - k02);
// CHECK: // lp: steps of k that no other came behind
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int j = 0; j < TILES; ++j)
// CHECK-NEXT: lp::mma_
constexpr int TILES = 3;
__global__ void __launch_bounds__(64)
someSteps(const uint32_t *A, const uint32_t *B, float *C, unsigned steps, int k0) {
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16;
  float c[TILES][4] = {};
  for (unsigned k = (unsigned)k0 * (warpSize / 32); k < steps; ++k) {
    uint32_t a[4], b[2];
    readA(a, A, 32, k, row, lane);
    for (int j = 0; j < TILES; ++j) {
      readB(b, B, 32, k, j * 8, lane);
      mma16(c[j], a, b);
    }
  }
  put(C, c, row, lane);
}
// The same of an eighth as many words of k: gfx950's MFMA takes four, gfx90a's and gfx942's two.
// CHECK-LABEL: someShallow(
// CHECK: for (int k02 = 0; steps * 2 > k02; k02 += 4 * (WORDS / 2))
// CHECK: for (int k = k02; k - k02 < 4 * (WORDS / 2) && steps * 2 > k; k += WORDS / 2) {
// CHECK: (k - k02) / (WORDS / 2));
constexpr int WORDS = 4;
__global__ void __launch_bounds__(64) someShallow(const uint32_t *A, const uint32_t *B, float *C, int steps) {
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16;
  float c[3][4] = {};
  for (int k = 0; steps * 2 > k; k += WORDS / 2) {
    uint32_t a[2], b[1];
    const uint32_t *at = A + (row + lane / 4) * 32 + k * 2 + lane % 4;
    a[0] = at[0];
    a[1] = at[8 * 32];
    for (int j = 0; j < 3; ++j) {
      b[0] = B[(j * 8 + lane / 4) * 32 + k * 2 + lane % 4];
      mma8(c[j], a, b);
    }
  }
  put(C, c, row, lane);
}

// Where the loop may be left on the way, or a step be left out; where the end is read from memory,
// may be passed without being met, or the sums have another name in the loop.
// CHECK-LABEL: otherLoops(
// CHECK-NOT: held2
__global__ void __launch_bounds__(64)
otherLoops(const uint32_t *A, const uint32_t *B, float *C, int steps, const int *ends) {
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16;
  float c[4][4] = {};
  for (int k = 0; k < 4; ++k) {
    if (k == steps)
      break;
    uint32_t a[4], b[2];
    readA(a, A, 32, k, row, lane);
    for (int j = 0; j < 4; ++j) {
      readB(b, B, 32, k, j * 8, lane);
      mma16(c[j], a, b);
    }
  }
  for (int k = 0; k < 4; ++k) {
    if (k < steps) {
      uint32_t a[4], b[2];
      readA(a, A, 32, k, row, lane);
      for (int j = 0; j < 4; ++j) {
        readB(b, B, 32, k, j * 8, lane);
        mma16(c[j], a, b);
      }
    }
  }
  for (int k = 0; k != steps; ++k) {
    uint32_t a[4], b[2];
    readA(a, A, 32, k, row, lane);
    for (int j = 0; j < 4; ++j) {
      readB(b, B, 32, k, j * 8, lane);
      mma16(c[j], a, b);
    }
  }
  for (int k = 0; k < ends[0]; ++k) {
    uint32_t a[4], b[2];
    readA(a, A, 32, k, row, lane);
    for (int j = 0; j < 4; ++j) {
      readB(b, B, 32, k, j * 8, lane);
      mma16(c[j], a, b);
    }
  }
  put(C, c, row, lane);
}

// Sums are scaled between two steps, and another step's are other sums.
// CHECK-LABEL: scaledEachStep(
__global__ void __launch_bounds__(64) scaledEachStep(const uint32_t *A, const uint32_t *B, float *C) {
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16;
  float c[4][4] = {};
  for (int k = 0; k < 4; ++k) {
    uint32_t a[4], b[2];
    readA(a, A, 32, k, row, lane);
    for (int j = 0; j < 4; ++j) {
      for (int e = 0; e < 4; ++e)
        c[j][e] *= 0.5f;
      readB(b, B, 32, k, j * 8, lane);
      mma16(c[j], a, b);
    }
  }
  put(C, c, row, lane);
}
// CHECK-LABEL: otherSums(
__global__ void __launch_bounds__(64) otherSums(const uint32_t *A, const uint32_t *B, float *C) {
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16;
  float c[4][4] = {};
  for (int k = 0; k < 4; ++k) {
    uint32_t a[4], b[2];
    readA(a, A, 32, k, row, lane);
    readB(b, B, 32, k, k * 8, lane);
    mma16(c[k], a, b);
  }
  put(C, c, row, lane);
}
