// Loops that the warps of a wave leave in turns of their own, and that do more than multiply what
// they load: a warp that has left must not do it.
//
// RUN: %layout-port %s -o %t.hip 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ uint32_t word(const half *p) { return *(const uint32_t *)p; }
__device__ __forceinline__ void store(float *C, const float (&c)[4]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int e = 0; e < 4; ++e)
    C[(warp * 16 + lane / 4 + e / 2 * 8) * 8 + lane % 4 * 2 + e % 2] = c[e];
}
#define SETUP                                                                               \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;   \
  float c[4] = {};

// It counts its turns.
// CHECK-DAG: counts is not native: the two warps of a wave may leave a loop in turns of their own (k < K), and it does more than multiply: turns++
__global__ void __launch_bounds__(128)
counts(const half *A, const half *B, float *C, int K, const int *list, int *counter) {
  SETUP
  int turns = 0;
  for (int k = warp * 16; k < K; k += 64) {
    uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8);
    for (int r = 0; r < 2; ++r)
      b[r] = word(B + g * K + k + t * 2 + r * 8);
    mma(c, a, b);
    turns++;
  }
  store(C, c);
  counter[threadIdx.x] = turns;
}

// It reads memory that a warp which has left does not.
// CHECK-DAG: reads is not native: the two warps of a wave may leave a loop in turns of their own (k < K), and {{.*}}list[k / 16]
__global__ void __launch_bounds__(128)
reads(const half *A, const half *B, float *C, int K, const int *list, int *counter) {
  SETUP
  for (int k = warp * 16; k < K; k += 64) {
    const int at = list[k / 16];
    uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (g + r % 2 * 8) * K + at + t * 2 + r / 2 * 8);
    for (int r = 0; r < 2; ++r)
      b[r] = word(B + g * K + at + t * 2 + r * 8);
    mma(c, a, b);
  }
  store(C, c);
}

// Each turn has sums of its own, and what it does with them tells one warp from another.
// CHECK-DAG: tiles is not native: the two warps of a wave may leave a loop in turns of their own (m < K), and it does more than multiply: C[warp * 8 + m * 8] = c[0]
__global__ void __launch_bounds__(128)
tiles(const half *A, const half *B, float *C, int K, const int *list, int *counter) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  for (int m = warp * 16; m < K; m += 64) {
    float c[4] = {};
    uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (m + g + r % 2 * 8) * 16 + t * 2 + r / 2 * 8);
    for (int r = 0; r < 2; ++r)
      b[r] = word(B + g * 16 + t * 2 + r * 8);
    mma(c, a, b);
    if (lane == 0)
      C[warp * 8 + m * 8] = c[0];
  }
}

// ... or counts how often it is done.
// CHECK-DAG: added is not native: the two warps of a wave may leave a loop in turns of their own (m < K), and it does more than multiply: atomicAdd(C + m * 8 + lane, c[0])
__global__ void __launch_bounds__(128)
added(const half *A, const half *B, float *C, int K, const int *list, int *counter) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  for (int m = warp * 16; m < K; m += 64) {
    float c[4] = {};
    uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (m + g + r % 2 * 8) * 16 + t * 2 + r / 2 * 8);
    for (int r = 0; r < 2; ++r)
      b[r] = word(B + g * 16 + t * 2 + r * 8);
    mma(c, a, b);
    atomicAdd(C + m * 8 + lane, c[0]);
  }
}

// One operand comes from before the loop: what is no number times zero is no number.
// CHECK-DAG: before is not native: the two warps of a wave may leave a loop in turns of their own (k < K), and 'a' is loaded for it elsewhere, or by ldmatrix
__global__ void __launch_bounds__(128)
before(const half *A, const half *B, float *C, int K, const int *list, int *counter) {
  SETUP
  uint32_t a[4], b[2];
  for (int r = 0; r < 4; ++r)
    a[r] = word(A + (g + r % 2 * 8) * K + t * 2 + r / 2 * 8);
  for (int k = warp * 16; k < K; k += 64) {
    for (int r = 0; r < 2; ++r)
      b[r] = word(B + g * K + k + t * 2 + r * 8);
    mma(c, a, b);
  }
  store(C, c);
}

// What the last turn has loaded is multiplied once more.
// CHECK-DAG: behind is not native: the two warps of a wave may leave a loop in turns of their own (k < K), and 'a' is seen behind it
__global__ void __launch_bounds__(128)
behind(const half *A, const half *B, float *C, int K, const int *list, int *counter) {
  SETUP
  uint32_t a[4] = {}, b[2] = {};
  for (int k = warp * 16; k < K; k += 64) {
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8);
    for (int r = 0; r < 2; ++r)
      b[r] = word(B + g * K + k + t * 2 + r * 8);
    mma(c, a, b);
  }
  mma(c, a, b);
  store(C, c);
}

// It may be left on the way.
// CHECK-DAG: breaks is not native: {{.*}}condition on the thread: k < K
__global__ void __launch_bounds__(128)
breaks(const half *A, const half *B, float *C, int K, const int *list, int *counter) {
  SETUP
  for (int k = warp * 16; k < K; k += 64) {
    if (k == list[0])
      break;
    uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8);
    for (int r = 0; r < 2; ++r)
      b[r] = word(B + g * K + k + t * 2 + r * 8);
    mma(c, a, b);
  }
  store(C, c);
}

// Each thread asks for itself.
// CHECK-DAG: ofLanes is not native: {{.*}}condition on the thread: k < K
__global__ void __launch_bounds__(128)
ofLanes(const half *A, const half *B, float *C, int K, const int *list, int *counter) {
  SETUP
  for (int k = warp * 16 + t * 2; k < K; k += 64) {
    uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (g + r % 2 * 8) * K + k + r / 2 * 8);
    for (int r = 0; r < 2; ++r)
      b[r] = word(B + g * K + k + r * 8);
    mma(c, a, b);
  }
  store(C, c);
}

// What a turn loads for a product behind the loop.
// CHECK-DAG: ahead is not native: the two warps of a wave may leave a loop in turns of their own (k < K), and what it loads is not multiplied in it as it is
__global__ void __launch_bounds__(128)
ahead(const half *A, const half *B, float *C, int K, const int *list, int *counter) {
  SETUP
  uint32_t last[4] = {0, 0, 0, 0}, b[2];
  for (int k = warp * 16; k < K; k += 64) {
    uint32_t a[4];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8);
    for (int r = 0; r < 4; ++r)
      last[r] = word(B + (g + r % 2 * 8) * K + k + t * 2 + r / 2 * 8);
    for (int r = 0; r < 2; ++r)
      b[r] = word(B + g * K + k + t * 2 + r * 8);
    mma(c, a, b);
  }
  uint32_t d[2];
  for (int r = 0; r < 2; ++r)
    d[r] = word(A + g * K + t * 2 + r * 8);
  mma(c, last, d);
  store(C, c);
}

// A lambda from in front of the tiles' loop that adds to memory: who does another's turn adds twice.
// CHECK-DAG: addedByLambda is not native: the two warps of a wave may leave a loop in turns of their own (m < K), and it does more than multiply: add(m * 8 + lane, c[0])
__global__ void __launch_bounds__(128)
addedByLambda(const half *A, const half *B, float *C, int K, const int *list, int *counter) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  auto add = [&](int at, float v) { atomicAdd(C + at, v); };
  for (int m = warp; m < K; m += 4) {
    float c[4] = {0, 0, 0, 0};
    uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (m * 16 + g + r % 2 * 8) * 16 + t * 2 + r / 2 * 8);
    for (int r = 0; r < 2; ++r)
      b[r] = word(B + g * 16 + t * 2 + r * 8);
    mma(c, a, b);
    add(m * 8 + lane, c[0]);
  }
}

// One that reads what each warp has for itself.
// CHECK-DAG: readByLambda is not native: the two warps of a wave may leave a loop in turns of their own (m < K), and it does more than multiply: store(m * 8 + lane, c[0])
__global__ void __launch_bounds__(128)
readByLambda(const half *A, const half *B, float *C, int K, const int *list, int *counter) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float *mine = C + warp * K * 128;
  auto store = [&](int at, float v) { mine[at] = v; };
  for (int m = warp; m < K; m += 4) {
    float c[4] = {0, 0, 0, 0};
    uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (m * 16 + g + r % 2 * 8) * 16 + t * 2 + r / 2 * 8);
    for (int r = 0; r < 2; ++r)
      b[r] = word(B + g * 16 + t * 2 + r * 8);
    mma(c, a, b);
    store(m * 8 + lane, c[0]);
  }
}
