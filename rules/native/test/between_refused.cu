// Code between the products that does not do the same to rows r and r + 8 needs CUDA's layout:
// by name and reason. Nothing of it is native.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
// RUN: %ported %t.hip | FileCheck %s --check-prefix=OUT
// OUT-NOT: shfl_xor_wave
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t (&r)[4], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
}
__device__ void ldsm2(uint32_t (&r)[2], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#define SETUP                                                                                      \
  __shared__ half s[512];                                                                          \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);                                     \
  float c[4] = {}, rows[2] = {};                                                                   \
  uint32_t a[4], b[2];
#define NEIGHBOUR(x) __shfl_xor_sync(0xffffffff, x, 1)

__device__ float across(float x) { return __shfl_xor_sync(0xffffffff, x, 1); }
__global__ void other(float *C) { C[threadIdx.x] += across(C[threadIdx.x]); }

// CHECK-DAG: oneHalf is not native: 'c' is used between the products: rows r and r + 8 of a tile are not treated alike in 'c'
__global__ void __launch_bounds__(64) oneHalf(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    c[0] *= 0.5f;
  }
  C[threadIdx.x] = c[0] + rows[0] + rows[1];
}

// CHECK-DAG: mixing is not native: 'c' is used between the products: rows r and r + 8 of a tile are mixed in 'c'
__global__ void __launch_bounds__(64) mixing(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    c[0] += c[2];
  }
  C[threadIdx.x] = c[0] + rows[0] + rows[1];
}

// CHECK-DAG: masked is not native: 'c' is used between the products: 'c' depends on the lane, or is not the same for rows r and r + 8
__global__ void __launch_bounds__(64) masked(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    if (lane % 4 * 2 > warp)
      c[0] = c[1] = c[2] = c[3] = 0;
  }
  C[threadIdx.x] = c[0] + rows[0] + rows[1];
}

// CHECK-DAG: storing is not native: 'c' is used between the products: rows r and r + 8 of a tile are not stored alike
__global__ void __launch_bounds__(64) storing(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    C[i] = c[0];
  }
  C[threadIdx.x] = c[0] + rows[0] + rows[1];
}

// CHECK-DAG: storingWhere is not native: 'c' is used between the products: results are stored to memory between the products
__global__ void __launch_bounds__(64) storingWhere(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    if (c[0] > 0)
      C[i] = 1;
  }
  C[threadIdx.x] = c[0] + rows[0] + rows[1];
}

// CHECK-DAG: down is not native: 'c' is used between the products: '__shfl_down_sync' of results is no exchange of whole warps by a known mask
__global__ void __launch_bounds__(64) down(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] += __shfl_down_sync(0xffffffff, c[r], 1);
  }
  C[threadIdx.x] = c[0] + rows[0] + rows[1];
}

// CHECK-DAG: partly is not native: 'c' is used between the products: '__shfl_xor_sync' of results is no exchange of whole warps by a known mask
__global__ void __launch_bounds__(64) partly(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] += __shfl_xor_sync(0xffff, c[r], 1);
  }
  C[threadIdx.x] = c[0] + rows[0] + rows[1];
}

// CHECK-DAG: voting is not native: 'c' is used between the products: '__any_sync' is given results between the products
__global__ void __launch_bounds__(64) voting(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    if (__any_sync(0xffffffff, c[0] > 0))
      c[0] = 0;
  }
  C[threadIdx.x] = c[0] + rows[0] + rows[1];
}

// CHECK-DAG: unknownIndex is not native: 'c' is used between the products: an index of a register array is not known
__global__ void __launch_bounds__(64) unknownIndex(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    c[i & 3] = 0;
  }
  C[threadIdx.x] = c[0] + rows[0] + rows[1];
}

// CHECK-DAG: leaving is not native: the two warps of a wave may part at a condition on the thread: c[0] > 100
__global__ void __launch_bounds__(64) leaving(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    if (c[0] > 100)
      break;
  }
  C[threadIdx.x] = c[0] + rows[0] + rows[1];
}

// CHECK-DAG: inMacro is not native: 'c' is used between the products: a shuffle of results stands in a macro
__global__ void __launch_bounds__(64) inMacro(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] += NEIGHBOUR(c[r]);
  }
  C[threadIdx.x] = c[0] + rows[0] + rows[1];
}

// CHECK-DAG: both is not native: 'c' is used between the products: 'across' exchanges results between the lanes there and other values here
__global__ void __launch_bounds__(64) both(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] += across(c[r]);
  }
  C[threadIdx.x] = c[0] + rows[0] + rows[1];
}

// A template that nobody has instantiated here may be, elsewhere.
__device__ float along(float x) { return __shfl_xor_sync(0xffffffff, x, 2); }
template <class T> __device__ T alongTwice(T x) { return along(x) + along(x); }
// CHECK-DAG: maybeBoth is not native: 'c' is used between the products: 'along' exchanges results between the lanes there and other values here
__global__ void __launch_bounds__(64) maybeBoth(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] += along(c[r]);
  }
  C[threadIdx.x] = c[0] + rows[0] + rows[1];
}

// CHECK-DAG: unequalStart is not native: 'c' is used between the products: rows r and r + 8 of a tile are not treated alike in 'rows'
__global__ void __launch_bounds__(64) unequalStart(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    if (i == 0)
      rows[1] = 1;
    for (int r = 0; r < 4; ++r)
      rows[r / 2] += c[r];
  }
  C[threadIdx.x] = c[0] + rows[0] + rows[1];
}

// CHECK-DAG: chosenWrite is not native: 'c' is used between the products: an arm of '?:' changes variables
__global__ void __launch_bounds__(64) chosenWrite(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    float factor = 1;
    const float more = c[0] > 0 ? (factor = 2) + 1 : 3;
    for (int r = 0; r < 4; ++r) c[r] *= factor + more;
  }
  C[threadIdx.x] = c[0] + rows[0] + rows[1];
}

// CHECK-DAG: shortCut is not native: 'c' is used between the products: a side of '&&' or '||' changes variables
__global__ void __launch_bounds__(64) shortCut(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    float factor = 1;
    c[0] > 0 && (factor = 2) > 0;
    for (int r = 0; r < 4; ++r) c[r] *= factor;
  }
  C[threadIdx.x] = c[0] + rows[0] + rows[1];
}

// CHECK-DAG: chosenPlace is not native: 'c' is used between the products: which variable is meant is decided by '?:'
__global__ void __launch_bounds__(64) chosenPlace(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    float low = 1, high = 1;
    (c[0] > 0 ? low : high) = 2;
    for (int r = 0; r < 4; ++r) c[r] *= low + 3 * high;
  }
  C[threadIdx.x] = c[0] + rows[0] + rows[1];
}

// Lanes that take a loop more often than others do more to elements that are another's.
// CHECK-DAG: byTurns is not native: 'c' is used between the products: lanes may take a loop that changes results a different number of times
__global__ void __launch_bounds__(64) byTurns(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    for (int t = 0; t < lane; t += 8)
      for (int r = 0; r < 4; ++r) c[r] *= 2.f;
  }
  C[threadIdx.x] = c[0] + rows[0] + rows[1];
}

// CHECK-DAG: countedByTurns is not native: 'c' is used between the products: 'factor' depends on the lane: the address walks: 'factor' changes after it was computed from the thread
__global__ void __launch_bounds__(64) countedByTurns(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    float factor = 1;
    for (int t = 0; t < lane; t += 8) factor *= 2.f;
    for (int r = 0; r < 4; ++r) c[r] *= factor;
  }
  C[threadIdx.x] = c[0] + rows[0] + rows[1];
}

// An operand that is changed in registers: of one register, by the turn, by the lane, where lanes say
// so. One way for all of its registers, by what all lanes have, would do.
// CHECK-DAG: scaledInPart keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64) scaledInPart(float *C, uint32_t by, int n) {
  SETUP
  ldsm4(a, base + (warp * 16 + lane % 16) * 16);
  ldsm2(b, base + lane % 16 * 16);
  for (int r = 0; r < 2; ++r) a[r] ^= by;
  mma(c, a, b);
  C[threadIdx.x] = c[0] + rows[0] + rows[1];
}
// CHECK-DAG: scaledByTurn keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64) scaledByTurn(float *C, uint32_t by, int n) {
  SETUP
  ldsm4(a, base + (warp * 16 + lane % 16) * 16);
  ldsm2(b, base + lane % 16 * 16);
  for (int r = 0; r < 4; ++r) a[r] ^= by + r;
  mma(c, a, b);
  C[threadIdx.x] = c[0] + rows[0] + rows[1];
}
// CHECK-DAG: scaledByLane keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64) scaledByLane(float *C, uint32_t by, int n) {
  SETUP
  ldsm4(a, base + (warp * 16 + lane % 16) * 16);
  ldsm2(b, base + lane % 16 * 16);
  const uint32_t own = by + lane;
  for (int r = 0; r < 4; ++r) a[r] ^= own;
  mma(c, a, b);
  C[threadIdx.x] = c[0] + rows[0] + rows[1];
}
// CHECK-DAG: scaledBySome keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64) scaledBySome(float *C, uint32_t by, int n) {
  SETUP
  ldsm4(a, base + (warp * 16 + lane % 16) * 16);
  ldsm2(b, base + lane % 16 * 16);
  if (lane < 8)
    for (int r = 0; r < 4; ++r) a[r] ^= by;
  mma(c, a, b);
  C[threadIdx.x] = c[0] + rows[0] + rows[1];
}

// Sums that a persistent loop begins anew in some turns only, or in each but one that is left early.
// CHECK-DAG: clearedAtTimes is not native: 'c' is used between the products: rows r and r + 8 of a tile are not stored alike
__global__ void __launch_bounds__(64) clearedAtTimes(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    if (i % 2)
      for (int r = 0; r < 4; ++r) c[r] = 0.f;
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    C[i * 64 + threadIdx.x] = c[0] + rows[0] + rows[1];
  }
}
// CHECK-DAG: leftUncleared is not native: 'c' is used between the products: a loop whose count is not known is left, or goes on with its next turn, under a condition
__global__ void __launch_bounds__(64) leftUncleared(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    C[i * 64 + threadIdx.x] = c[0] + rows[0] + rows[1];
    if (i % 3)
      continue;
    for (int r = 0; r < 4; ++r) c[r] = 0.f;
  }
}
