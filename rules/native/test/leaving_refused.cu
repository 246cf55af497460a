// A warp that leaves alone can do as the other of its wave only where nobody can tell: nothing is
// counted, nothing was written before, and no function asks for the thread's number. Loops whose turns may not be as many for both warps part them, too.
//
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ int ownWarp() { return threadIdx.x / 32; }

#define KERNEL(name) __global__ void __launch_bounds__(128) name(const uint32_t *A, float *C, int M)
#define SETUP const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#define READ                                                                                       \
  float c[4] = {};                                                                                 \
  uint32_t a[4], b[2];                                                                             \
  for (int r = 0; r < 4; ++r)                                                                      \
    a[r] = A[(warp * 32 + lane) * 4 + r];                                                          \
  for (int r = 0; r < 2; ++r)                                                                      \
    b[r] = A[lane * 2 + r];

// CHECK-DAG: counted is not native: some threads of a wave may have returned before, and 'atomicAdd' would be done twice ({{.*}}:[[#@LINE+4]])
KERNEL(counted) {
  SETUP
  if (warp >= M)
    return;
  READ
  mma(c, a, b);
  atomicAdd(&C[lane], c[0]);
}

// CHECK-DAG: writesFirst is not native: some threads of a wave may have returned before ({{.*}}:[[#@LINE+5]])
KERNEL(writesFirst) {
  SETUP
  C[threadIdx.x] = 0;
  if (warp >= M)
    return;
  READ
  mma(c, a, b);
  C[threadIdx.x] = c[0];
}

// CHECK-DAG: asksElsewhere is not native: some threads of a wave may have returned before, and 'ownWarp' may tell a thread from its mirror ({{.*}}:[[#@LINE+4]])
KERNEL(asksElsewhere) {
  SETUP
  if (warp >= M)
    return;
  READ
  mma(c, a, b);
  C[ownWarp() * 32 + lane] = c[0];
}

// CHECK-DAG: byMemory is not native: some threads of a wave may have returned before ({{.*}}:[[#@LINE+4]])
KERNEL(byMemory) {
  SETUP
  if (A[warp] == 0)
    return;
  READ
  mma(c, a, b);
  C[threadIdx.x] = c[0];
}

// CHECK-DAG: behindOthers is not native: the two warps of a wave may part at a condition on the thread: warp < M (
KERNEL(behindOthers) {
  SETUP
  READ
  if (warp < M) {
    mma(c, a, b);
  }
  C[threadIdx.x] = c[0];
}

// CHECK-DAG: uneven is not native: the two warps of a wave may leave a loop in turns of their own (tile < 7), and it does more than multiply: C[tile * 32 + lane] = c[0] (
KERNEL(uneven) {
  SETUP
  for (int tile = warp; tile < 7; tile += 4) {
    READ
    for (int i = 0; i < M; ++i)
      mma(c, a, b);
    C[tile * 32 + lane] = c[0];
  }
}

// CHECK-DAG: slices is not native: the two warps of a wave may leave a loop in turns of their own (k < M), and 'a' is loaded for it elsewhere, or by ldmatrix (
KERNEL(slices) {
  SETUP
  READ
  for (int k = warp * 16; k < M; k += 64)
    for (int i = 0; i < M; ++i)
      mma(c, a, b);
  C[threadIdx.x] = c[0];
}

// CHECK-DAG: cutOff is not native: the two warps of a wave may part at a condition on the thread: k < (warp + 1) * M / 2 (
KERNEL(cutOff) {
  SETUP
  READ
  for (int k = warp * M / 2; k < (warp + 1) * M / 2; ++k)
    for (int i = 0; i < M; ++i)
      mma(c, a, b);
  C[threadIdx.x] = c[0];
}

// warp - 2 has no sign: far behind the end for the first two warps.
// CHECK-DAG: wraps is not native: the two warps of a wave may part at a condition on the thread: p < warp + 2 (
KERNEL(wraps) {
  const int lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  READ
  for (unsigned p = warp - 1; p < warp + 2; ++p)
    for (int i = 0; i < M; ++i)
      mma(c, a, b);
  C[threadIdx.x] = c[0];
}

// -64 / 32 is -2, and -59 / 32 is -1: the first block's first warp does not divide alike.
// CHECK-DAG: belowNothing is not native: some threads of a wave may have returned before, and a macro, or more than its parts, names the thread's number (
KERNEL(belowNothing) {
  SETUP
  const int thread = int(blockIdx.x * 128 + threadIdx.x) - 64;
  if (thread / 32 >= M)
    return;
  READ
  mma(c, a, b);
  C[threadIdx.x] = c[0];
}

// Each thread decides for itself, and warps that never multiply may be of several minds.
// CHECK-DAG: minds is not native: some threads of a wave may have returned before (
KERNEL(minds) {
  SETUP
  if (warp * 16 + lane / 4 >= M)
    return;
  READ
  for (int p = warp * 4; p < warp * 4 + 4; ++p)
    mma(c, a, b);
  C[threadIdx.x] = c[0];
}

struct Told {
  int at = threadIdx.x;
  __device__ Told() {}
};
__device__ int given(int at = threadIdx.x) { return at; }

// CHECK-DAG: byDefault is not native: some threads of a wave may have returned before, and a default value tells a thread from its mirror (
KERNEL(byDefault) {
  SETUP
  if (warp >= M)
    return;
  READ
  mma(c, a, b);
  C[given()] = c[0];
}

// CHECK-DAG: byMember is not native: some threads of a wave may have returned before, and a default value tells a thread from its mirror (
KERNEL(byMember) {
  SETUP
  if (warp >= M)
    return;
  READ
  mma(c, a, b);
  Told told;
  C[told.at] = c[0];
}
