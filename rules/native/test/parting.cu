// Where the two warps of a wave part, the kernel is not native, however the source says it:
// through structs, arrays, references, methods, jumps. The condition is named.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
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

struct Who {
  int warp;
  __device__ Who() {}
  __device__ explicit Who(int) { warp = threadIdx.x / 32; }
  __device__ void set() { warp = threadIdx.x / 32; }
};
__device__ void tell(int *w) { w[1] = threadIdx.x / 32; }

#define KERNEL(name) __global__ void __launch_bounds__(64) name(float *C, int K, int flag)
#define SETUP                                                                                      \
  __shared__ half s[512];                                                                          \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const uint32_t at = (uint32_t)__cvta_generic_to_shared(s);                                       \
  uint32_t a[4], b[2];                                                                             \
  float c[4] = {};
#define STORE C[threadIdx.x] = c[0];

// CHECK-DAG: everyTurn is not native: the two warps of a wave may part at a condition on the thread: warp == 1 && k == 3 (
KERNEL(everyTurn) {
  SETUP
  for (int k = 0; k < K; ++k) {
    if (warp == 1 && k == 3)
      continue;
    ldsm4(a, at + (warp * 16 + lane % 16) * 16);
    ldsm2(b, at + lane % 16 * 16);
    mma(c, a, b);
  }
  STORE
}

// The break comes behind the product, and before its next turn.
// CHECK-DAG: stopsEarly is not native: the two warps of a wave may part at a condition on the thread: warp < k (
KERNEL(stopsEarly) {
  SETUP
  for (int k = 0; k < K; ++k) {
    ldsm4(a, at + (warp * 16 + lane % 16) * 16);
    ldsm2(b, at + lane % 16 * 16);
    mma(c, a, b);
    if (warp < k)
      break;
  }
  STORE
}

// CHECK-DAG: returnsLate is not native: the two warps of a wave may part at a condition on the thread: warp < k (
KERNEL(returnsLate) {
  SETUP
  for (int k = 0; k < K; ++k) {
    ldsm4(a, at + (warp * 16 + lane % 16) * 16);
    ldsm2(b, at + lane % 16 * 16);
    mma(c, a, b);
    if (warp < k)
      return;
  }
  STORE
}

// CHECK-DAG: switched is not native: the two warps of a wave may part at a condition on the thread: warp (
KERNEL(switched) {
  SETUP
  switch (warp) {
  case 0:
    ldsm4(a, at + lane % 16 * 16);
    ldsm2(b, at + lane % 16 * 16);
    mma(c, a, b);
    break;
  }
  STORE
}

// CHECK-DAG: jumps is not native: a goto in a kernel that handles fragments (
KERNEL(jumps) {
  SETUP
  if (flag)
    goto done;
  ldsm4(a, at + (warp * 16 + lane % 16) * 16);
  ldsm2(b, at + lane % 16 * 16);
  mma(c, a, b);
done:
  STORE
}

// CHECK-DAG: byElement is not native: the two warps of a wave may part at a condition on the thread: who[0] (
KERNEL(byElement) {
  SETUP
  int who[2] = {0, 0};
  who[0] = warp;
  ldsm4(a, at + (warp * 16 + lane % 16) * 16);
  ldsm2(b, at + lane % 16 * 16);
  if (who[0])
    mma(c, a, b);
  STORE
}

// CHECK-DAG: byPointer is not native: the two warps of a wave may part at a condition on the thread: who[1] (
KERNEL(byPointer) {
  SETUP
  int who[2] = {0, 0};
  tell(who);
  ldsm4(a, at + (warp * 16 + lane % 16) * 16);
  ldsm2(b, at + lane % 16 * 16);
  if (who[1])
    mma(c, a, b);
  STORE
}

// CHECK-DAG: byReference is not native: the two warps of a wave may part at a condition on the thread: n (
KERNEL(byReference) {
  SETUP
  int n = 0;
  int &m = n;
  m = warp;
  ldsm4(a, at + (warp * 16 + lane % 16) * 16);
  ldsm2(b, at + lane % 16 * 16);
  if (n)
    mma(c, a, b);
  STORE
}

// CHECK-DAG: byMember is not native: the two warps of a wave may part at a condition on the thread: who.warp (
KERNEL(byMember) {
  SETUP
  Who who;
  who.warp = warp;
  ldsm4(a, at + (warp * 16 + lane % 16) * 16);
  ldsm2(b, at + lane % 16 * 16);
  if (who.warp)
    mma(c, a, b);
  STORE
}

// CHECK-DAG: byMethod is not native: the two warps of a wave may part at a condition on the thread: who.warp (
KERNEL(byMethod) {
  SETUP
  Who who;
  who.set();
  ldsm4(a, at + (warp * 16 + lane % 16) * 16);
  ldsm2(b, at + lane % 16 * 16);
  if (who.warp)
    mma(c, a, b);
  STORE
}

// CHECK-DAG: byConstructor is not native: the two warps of a wave may part at a condition on the thread: who.warp (
KERNEL(byConstructor) {
  SETUP
  Who who(flag);
  ldsm4(a, at + (warp * 16 + lane % 16) * 16);
  ldsm2(b, at + lane % 16 * 16);
  if (who.warp)
    mma(c, a, b);
  STORE
}

// What a jump leaves out differs between the warps as what it stands before.
// CHECK-DAG: brokenOff is not native: the two warps of a wave may part at a condition on the thread: n (
KERNEL(brokenOff) {
  SETUP
  int n = 0;
  for (int t = 0; t < 4; ++t) {
    if (t == warp)
      break;
    n = t + 1;
  }
  ldsm4(a, at + (warp * 16 + lane % 16) * 16);
  ldsm2(b, at + lane % 16 * 16);
  if (n)
    mma(c, a, b);
  STORE
}

// CHECK-DAG: onTheWay is not native: the two warps of a wave may part at a condition on the thread: n (
KERNEL(onTheWay) {
  SETUP
  int n = 0;
  (void)(warp && (n = 1));
  ldsm4(a, at + (warp * 16 + lane % 16) * 16);
  ldsm2(b, at + lane % 16 * 16);
  if (n)
    mma(c, a, b);
  STORE
}

// Each of two variables gets the other's value, and one of them the warp.
// CHECK-DAG: inTurns is not native: the two warps of a wave may part at a condition on the thread: n < 9 && m (
KERNEL(inTurns) {
  SETUP
  int n = 0, m = 0;
  for (int t = 0; t < K; ++t) {
    m = n;
    n = m + warp;
  }
  ldsm4(a, at + (warp * 16 + lane % 16) * 16);
  ldsm2(b, at + lane % 16 * 16);
  if (n < 9 && m)
    mma(c, a, b);
  STORE
}

// Not all registers of the tile are set.
// CHECK-DAG: clearsSome is not native: 'c' is used between the products: rows r and r + 8 of a tile are not treated alike in 'c' (
KERNEL(clearsSome) {
  SETUP
  for (int k = 0; k < K; ++k) {
    for (int e = 0; e < 4; ++e) {
      if (e == 2)
        continue;
      c[e] = 0.f;
    }
    ldsm4(a, at + (warp * 16 + lane % 16) * 16);
    ldsm2(b, at + lane % 16 * 16);
    mma(c, a, b);
  }
  STORE
}

// CHECK-DAG: clearsByFlag is not native: 'c' is used between the products: rows r and r + 8 of a tile are not treated alike in 'c' (
KERNEL(clearsByFlag) {
  SETUP
  for (int k = 0; k < K; ++k) {
    c[0] = 0.f;
    c[1] = 0.f;
    if (flag)
      c[2] = 0.f;
    c[3] = 0.f;
    ldsm4(a, at + (warp * 16 + lane % 16) * 16);
    ldsm2(b, at + lane % 16 * 16);
    mma(c, a, b);
  }
  STORE
}

// A number as a condition: zero for few launches.
// CHECK-DAG: notZero is not native: the two warps of a wave may part at a condition on the thread: warp * 4096 - flag (
KERNEL(notZero) {
  SETUP
  if (warp * 4096 - flag) {
    ldsm4(a, at + (warp * 16 + lane % 16) * 16);
    ldsm2(b, at + lane % 16 * 16);
    mma(c, a, b);
  }
  STORE
}

// CHECK-DAG: notNotZero is not native: the two warps of a wave may part at a condition on the thread: !!(warp - flag) (
KERNEL(notNotZero) {
  SETUP
  if (!!(warp - flag)) {
    ldsm4(a, at + (warp * 16 + lane % 16) * 16);
    ldsm2(b, at + lane % 16 * 16);
    mma(c, a, b);
  }
  STORE
}

// CHECK-DAG: byBool is not native: the two warps of a wave may part at a condition on the thread: on (
KERNEL(byBool) {
  SETUP
  const bool on = warp ^ flag;
  if (on) {
    ldsm4(a, at + (warp * 16 + lane % 16) * 16);
    ldsm2(b, at + lane % 16 * 16);
    mma(c, a, b);
  }
  STORE
}

// A loop inside the branch is no condition of its own: who is there turns alike.
// CHECK-DAG: outer is not native: the two warps of a wave may part at a condition on the thread: warp * 16 < flag (
KERNEL(outer) {
  SETUP
  if (warp * 16 < flag)
    for (int kk = 0; kk < 2; ++kk) {
      ldsm4(a, at + (warp * 16 + lane % 16) * 16 + kk * 8);
      ldsm2(b, at + lane % 16 * 16 + kk * 8);
      mma(c, a, b);
    }
  STORE
}

// ... and both warps of a wave are there, or none: native, and C by way of CUDA's layout.
// CHECK-DAG: together keeps its epilogue, behind a conversion of 'c': the accumulator's tile is named by a macro (
KERNEL(together) {
  SETUP
  if (warp / 2 * 32 < flag) {
    for (int kk = 0; kk < 2; ++kk) {
      ldsm4(a, at + (warp * 16 + lane % 16) * 16 + kk * 8);
      ldsm2(b, at + lane % 16 * 16 + kk * 8);
      mma(c, a, b);
    }
  }
  STORE
}

// CHECK-DAG: readsRow keeps its epilogue, behind a conversion of 'c': more than the two neighbours of a row are read at once (
KERNEL(readsRow) {
  SETUP
  ldsm4(a, at + (warp * 16 + lane % 16) * 16);
  ldsm2(b, at + lane % 16 * 16);
  mma(c, a, b);
  *(float4 *)&C[threadIdx.x * 4] = *(float4 *)&c[0];
}

// CHECK-DAG: readsBeside keeps its epilogue, behind a conversion of 'c': 'c' is read through a pointer or reference (
KERNEL(readsBeside) {
  SETUP
  ldsm4(a, at + (warp * 16 + lane % 16) * 16);
  ldsm2(b, at + lane % 16 * 16);
  mma(c, a, b);
  C[threadIdx.x] = (&c[0])[2];
}
