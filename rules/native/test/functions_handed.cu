// Functions that are handed rows of fragments and values of the thread: what is asked of which
// lane, and which forms are left to the bridged tier.
// RUN: %layout-port %s -o %t.hip --target gfx942 > %t.log 2>&1
// RUN: FileCheck %s < %t.log
// RUN: %ported %t.hip | FileCheck %s --check-prefix=TEXT
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t *r, uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
}
__device__ void ldsm2(uint32_t *r, uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
}
__device__ void mma(float *d, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#define SETUP                                                                                      \
  __shared__ half s[2048];                                                                         \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);                                     \
  float c[2][4] = {};                                                                              \
  uint32_t a[2][4], b[2];

// The thread's number, the lane and the warp by the names of the function.
// TEXT-LABEL: byNumber(
// TEXT: lp::load_a(r, [&](int lane, int warp) {
// TEXT-NEXT: const int thread = warp * 32 + lane;
// TEXT-NEXT: return tile + thread * 16;
__device__ void byNumber(uint32_t (&r)[4], uint32_t tile, int thread) {
  ldsm4(r, tile + thread * 16);
  ldsm4(r, tile + thread * 16);
}

// A row each; what the warp alone decides is read of the warp.
// TEXT-LABEL: byWarp(
// TEXT: lp::load_a(r, [&, first_ = first](int lane, int warp) {
// TEXT-NEXT: const auto first = lp::of_warp(first_, warp);
// TEXT-NEXT: return tile + (first + lane) * 16;
__device__ void byWarp(uint32_t *r, uint32_t tile, int first, int lane) {
  ldsm4(r, tile + (first + lane) * 16);
  ldsm4(r, tile + (first + lane) * 16);
}

// CHECK-NOT: twoNumbers is not native
__global__ void __launch_bounds__(64) twoNumbers(float *C) {
  SETUP
  byNumber(a[0], base, threadIdx.x);
  byNumber(a[1], base + 1024, threadIdx.x);
  ldsm2(b, base + lane % 16 * 16);
  mma(c[0], a[0], b);
  mma(c[1], a[1], b);
  C[threadIdx.x] = c[0][0] + c[1][0];
}

// CHECK-NOT: twoRows is not native
__global__ void __launch_bounds__(64) twoRows(float *C) {
  SETUP
  byWarp(a[0], base, warp * 32, lane);
  byWarp(a[1], base, warp * 32 + 64, lane);
  ldsm2(b, base + lane % 16 * 16);
  mma(c[0], a[0], b);
  mma(c[1], a[1], b);
  C[threadIdx.x] = c[0][0] + c[1][0];
}

__device__ void moved(uint32_t *r, uint32_t at) {
  for (int i = 0; i < 2; ++i) {
    ldsm4(r, at + i * 512);
    r += 4;
  }
}

// CHECK-DAG: walking is not native: a destination of ldmatrix is not a register of a fragment variable
__global__ void __launch_bounds__(64) walking(float *C) {
  SETUP
  moved(a[0], base + threadIdx.x * 16);
  ldsm2(b, base + lane % 16 * 16);
  mma(c[0], a[0], b);
  mma(c[1], a[1], b);
  C[threadIdx.x] = c[0][0] + c[1][0];
}

__device__ void either(uint32_t (&r)[4], uint32_t at) {
  ldsm4(r, at);
  ldsm4(r, at);
}

// CHECK-NOT: severalSets is not native
__global__ void __launch_bounds__(64) severalSets(float *C) {
  SETUP
  uint32_t other[4];
  either(a[0], base + threadIdx.x * 16);
  either(other, base + 1024 + threadIdx.x * 16);
  ldsm2(b, base + lane % 16 * 16);
  mma(c[0], a[0], b);
  mma(c[1], other, b);
  C[threadIdx.x] = c[0][0] + c[1][0];
}

__device__ void chosen(uint32_t (&r)[4], uint32_t at) {
  ldsm4(r, at);
  ldsm4(r, at);
}

// CHECK-DAG: byThread is not native: a fragment is chosen by a value of the thread: warp
__global__ void __launch_bounds__(64) byThread(float *C) {
  SETUP
  chosen(a[warp], base + lane * 16);
  chosen(a[0], base + 1024 + lane * 16);
  ldsm2(b, base + lane % 16 * 16);
  mma(c[0], a[0], b);
  mma(c[1], a[1], b);
  C[threadIdx.x] = c[0][0] + c[1][0];
}

__device__ void advancing(uint32_t (&r)[2][4], int &at, uint32_t tile) {
  for (int i = 0; i < 2; ++i) {
    ldsm4(r[i], tile + at);
    at += 512;
  }
}

// CHECK-DAG: advanced keeps 'a' in CUDA's layout and moves it for each product: the address walks: 'at' changes after it was computed from the thread
__global__ void __launch_bounds__(64) advanced(float *C) {
  SETUP
  int at = threadIdx.x * 16;
  advancing(a, at, base);
  ldsm2(b, base + lane % 16 * 16);
  mma(c[0], a[0], b);
  mma(c[1], a[1], b);
  C[threadIdx.x] = c[0][0] + c[1][0];
}

__device__ void again(uint32_t (&r)[2][4], uint32_t at, int depth) {
  ldsm4(r[depth], at);
  if (depth)
    again(r, at, depth - 1);
}

// CHECK-DAG: recursive is not native: 'again' handles fragments and calls itself
__global__ void __launch_bounds__(64) recursive(float *C) {
  SETUP
  again(a, base + threadIdx.x * 16, 1);
  ldsm2(b, base + lane % 16 * 16);
  mma(c[0], a[0], b);
  mma(c[1], a[1], b);
  C[threadIdx.x] = c[0][0] + c[1][0];
}

__device__ void unlessLast(uint32_t (&r)[2][4], uint32_t at, int n) {
  if (n < 40)
    for (int i = 0; i < 2; ++i)
      ldsm4(r[i], at + i * 512);
}

// CHECK-DAG: onCondition is not native: the two warps of a wave may part at a condition on the thread: n < 40
__global__ void __launch_bounds__(64) onCondition(float *C) {
  SETUP
  unlessLast(a, base + threadIdx.x * 16, threadIdx.x);
  ldsm2(b, base + lane % 16 * 16);
  mma(c[0], a[0], b);
  mma(c[1], a[1], b);
  C[threadIdx.x] = c[0][0] + c[1][0];
}

// CHECK-DAG: inSomeWarps is not native: fragments are handled in 'loadBoth' where the two warps of a wave may part
__device__ void loadBoth(uint32_t (&r)[2][4], uint32_t at) {
  for (int i = 0; i < 2; ++i)
    ldsm4(r[i], at + i * 512);
}
__global__ void __launch_bounds__(64) inSomeWarps(float *C, int n) {
  SETUP
  if (warp < n)
    loadBoth(a, base + threadIdx.x * 16);
  ldsm2(b, base + lane % 16 * 16);
  mma(c[0], a[0], b);
  mma(c[1], a[1], b);
  C[threadIdx.x] = c[0][0] + c[1][0];
}

struct Place {
  uint32_t at, step;
};
// TEXT: void placed(
// TEXT: [&, place_ = place](int lane, int warp) {
// TEXT-NEXT: const Place place = {lp::of_thread(place_.at, lane, warp), unsigned(512)};
__device__ void placed(uint32_t (&r)[2][4], Place place) {
  for (int i = 0; i < 2; ++i)
    ldsm4(r[i], place.at + i * place.step);
}

// TEXT: {{.*}} inAStruct(
// TEXT: placed(a, Place{base + threadIdx.x * 16, 512});
// TEXT-NEXT: lp::load_b(b,
__global__ void __launch_bounds__(64) inAStruct(float *C) {
  SETUP
  placed(a, Place{base + threadIdx.x * 16, 512});
  ldsm2(b, base + lane % 16 * 16);
  mma(c[0], a[0], b);
  mma(c[1], a[1], b);
  C[threadIdx.x] = c[0][0] + c[1][0];
}

// CHECK-DAG: peeked is not native: it shares a function that handles fragments with 'inSomeWarps', which is not ported alike
__global__ void __launch_bounds__(64) peeked(float *C) {
  SETUP
  loadBoth(a, base + threadIdx.x * 16);
  const uint32_t *now = a[0];
  ldsm2(b, base + lane % 16 * 16);
  mma(c[0], now, b);
  C[threadIdx.x] = c[0][0] + now[1];
}

__device__ void byTable(uint32_t (&r)[2][4], uint32_t tile, const int *places) {
  for (int i = 0; i < 2; ++i)
    ldsm4(r[i], tile + places[i]);
}

// CHECK-DAG: ofTable keeps 'a' in CUDA's layout and moves it for each product: 'places' is an array or struct of the thread's own
__global__ void __launch_bounds__(64) ofTable(float *C) {
  SETUP
  int places[2] = {lane * 16, 512 + lane * 16};
  byTable(a, base, places);
  ldsm2(b, base + lane % 16 * 16);
  mma(c[0], a[0], b);
  mma(c[1], a[1], b);
  C[threadIdx.x] = c[0][0] + c[1][0];
}

__device__ void byReference(uint32_t (&r)[2][4], const uint32_t &at, uint32_t &walks) {
  for (int i = 0; i < 2; ++i) {
    ldsm4(r[i], at);
    walks += 512;
  }
}

// CHECK-DAG: aliased keeps 'a' in CUDA's layout and moves it for each product: 'at' is a reference to a value of the thread
__global__ void __launch_bounds__(64) aliased(float *C) {
  SETUP
  uint32_t at = base + lane * 16;
  byReference(a, at, at);
  ldsm2(b, base + lane % 16 * 16);
  mma(c[0], a[0], b);
  mma(c[1], a[1], b);
  C[threadIdx.x] = c[0][0] + c[1][0];
}

// What a variable was made from is another by now: it is asked for, not made again.
// TEXT-LABEL: byLane(
// TEXT: const auto lane = lp::of_thread(lane_, ofLane, warp);
__device__ void byLane(uint32_t (&r)[2][4], uint32_t tile, int lane) {
  for (int i = 0; i < 2; ++i)
    ldsm4(r[i], tile + i * 512 + lane * 16);
}

// CHECK-NOT: stale is not native
__global__ void __launch_bounds__(64) stale(float *C, int n) {
  SETUP
  const int sum = n + lane;
  n += 3;
  byLane(a, base, sum - n + 3);
  ldsm2(b, base + lane % 16 * 16);
  mma(c[0], a[0], b);
  mma(c[1], a[1], b);
  C[threadIdx.x] = c[0][0] + c[1][0];
}

// A parameter that is made from itself has the value that its lane has for it.
// TEXT-LABEL: moreOf(
// TEXT: const auto first = lp::of_thread(first_, lane, warp);
__device__ void moreOf(uint32_t (&r)[2][4], uint32_t tile, int first) {
  first = first + threadIdx.x % 32;
  for (int i = 0; i < 2; ++i)
    ldsm4(r[i], tile + i * 512 + first * 16);
}

// CHECK-NOT: made is not native
__global__ void __launch_bounds__(64) made(float *C) {
  SETUP
  moreOf(a, base, 0);
  ldsm2(b, base + lane % 16 * 16);
  mma(c[0], a[0], b);
  mma(c[1], a[1], b);
  C[threadIdx.x] = c[0][0] + c[1][0];
}
