// Values of the lane that go into results between the products, and cannot be computed for
// another lane: by name and reason. Nothing of it is native.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
// RUN: %ported %t.hip | FileCheck %s --check-prefix=OUT
// OUT-NOT: of_element
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
  float c[4] = {};                                                                                 \
  uint32_t a[4], b[2];
#define TIMES(x, y) x *= y

__device__ void scaled(float (&c)[4], int x) {
  for (int r = 0; r < 4; ++r)
    c[r] *= x;
}
struct Two { int first, second; };

// CHECK-DAG: walking is not native: 'c' is used between the products: 'walk' depends on the lane: it uses 'walk', which cannot be computed anew for another lane
__global__ void __launch_bounds__(64) walking(float *C, int n) {
  SETUP
  int walk = lane;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] *= walk;
    walk += 2;
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

__global__ void __launch_bounds__(64) plain(float *C) {
  float c[4] = {1.f, 2.f, 3.f, 4.f};
  scaled(c, threadIdx.x % 2);
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: elsewhere is not native: 'c' is used between the products: 'x' depends on the lane: it is not in the kernel's own text, and 'scaled' is called by others, too
__global__ void __launch_bounds__(64) elsewhere(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    scaled(c, lane);
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: inMacro is not native: 'c' is used between the products: 'lane' depends on the lane: it stands in a macro or another file
__global__ void __launch_bounds__(64) inMacro(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      TIMES(c[r], lane);
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: ownRegisters is not native: 'c' is used between the products: 'own[r & 1]' depends on the lane: 'own' is an array or struct of the thread's own
__global__ void __launch_bounds__(64) ownRegisters(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    float own[2] = {(float)lane, lane + 1.f};
    own[1] += i;
    for (int r = 0; r < 4; ++r)
      c[r] *= own[r & 1];
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: counting is not native: 'c' is used between the products: a condition on the lane decides about results and about more
__global__ void __launch_bounds__(64) counting(float *C, int n) {
  SETUP
  int count = 0;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      if (lane % 4 > r % 2) {
        c[r] = 0;
        ++count;
      }
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: storing is not native: 'c' is used between the products: a condition on the lane decides about results and about more
__global__ void __launch_bounds__(64) storing(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      if (lane % 4 > r % 2) {
        c[r] = 0;
        C[i] = 1;
      }
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// A lambda sees what has changed where it is called.
// CHECK-DAG: movingInLambda is not native: 'c' is used between the products: 'isBehind(lane)' depends on the lane: it uses 'bound', which changes from one half of the rows to the other
__global__ void __launch_bounds__(64) movingInLambda(float *C, int n) {
  SETUP
  int bound = 0;
  auto isBehind = [&](int at) { return at > bound; };
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    bound = i;
    if (isBehind(lane))
      c[0] = c[1] = 0;
    bound += 3;
    if (isBehind(lane))
      c[2] = c[3] = 0;
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: countedInLambda is not native: 'c' is used between the products: 'isBehind(lane)' depends on the lane: it uses what changes in the loop over 'e'
__global__ void __launch_bounds__(64) countedInLambda(float *C, int n) {
  SETUP
  int bound = 0;
  auto isBehind = [&](int at) { return at > bound; };
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    for (int e = 0; e < 4; ++e) {
      bound = e / 2;
      if (isBehind(lane))
        c[e] = 0;
    }
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: moving is not native: 'c' is used between the products: 'lane > bound' depends on the lane: it uses 'bound', which changes from one half of the rows to the other
__global__ void __launch_bounds__(64) moving(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    int bound = i;
    if (lane > bound)
      c[0] = c[1] = 0;
    bound += 3;
    if (lane > bound)
      c[2] = c[3] = 0;
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: later is not native: 'c' is used between the products: 'lane > bound' depends on the lane: it uses 'bound', which is not there for both halves of the rows
__global__ void __launch_bounds__(64) later(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    {
      const int bound = i;
      if (lane > bound)
        c[0] = c[1] = 0;
    }
    const int other = i + 3;
    if (lane > other)
      c[2] = c[3] = 0;
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: twoOfAName is not native: 'c' is used between the products: 'x > i' depends on the lane: it uses two variables of the name 'x'
__global__ void __launch_bounds__(64) twoOfAName(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    const int x = lane + 1;
    if (x > i)
      c[0] = c[1] = 0;
    {
      const int x = lane + 2;
      if (x > i)
        c[2] = c[3] = 0;
    }
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: ofOneHalf is not native: 'c' is used between the products: rows r and r + 8 of a tile are not treated alike in 'c'
__global__ void __launch_bounds__(64) ofOneHalf(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    if (lane > i)
      c[0] = c[1] = 0;
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: parts is not native: 'c' is used between the products: 'two.first' depends on the lane: it uses 'two', which cannot be computed anew for another lane
__global__ void __launch_bounds__(64) parts(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    Two two = {lane, i};
    two.first += i;
    for (int r = 0; r < 4; ++r)
      c[r] *= two.first;
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: handedOut is not native: 'c' is used between the products: 'ticket' depends on the lane: it uses 'ticket', which cannot be computed anew for another lane
__global__ void __launch_bounds__(64) handedOut(float *C, int n, int *tickets) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    const int ticket = atomicAdd(&tickets[i], 1);
    for (int r = 0; r < 4; ++r)
      c[r] *= ticket;
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: perTurn is not native: 'c' is used between the products: 'lane + scale' depends on the lane: it uses what changes in the loop over 'r'
__global__ void __launch_bounds__(64) perTurn(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    int scale = i;
    for (int r = 0; r < 4; ++r) {
      c[r] *= lane + scale;
      scale += 2;
    }
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: read is not native: 'c' is used between the products: 'bias' depends on the lane: 'bias' is computed from 'memory', which changes before it is used
__global__ void __launch_bounds__(64) read(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    const float bias = C[lane];
    __syncthreads(); // for who writes there
    for (int r = 0; r < 4; ++r)
      c[r] += bias;
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

__device__ float far(float x) { return x < 0.f ? -x : x; }
// CHECK-DAG: calling is not native: 'c' is used between the products: 'far(lane - 3.f) > i' depends on the lane: it is more than arithmetic, and not the same for both halves of the rows
__global__ void __launch_bounds__(64) calling(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    if (far(lane - 3.f) > i)
      c[0] = c[1] = 0;
    if (far(lane - 2.f) > i)
      c[2] = c[3] = 0;
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: ofBothWarps is not native: 'c' is used between the products: 'c' depends on the lane, or is not the same for rows r and r + 8
__global__ void __launch_bounds__(64) ofBothWarps(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    if (lane % 4 * 2 > warp)
      c[0] = c[1] = c[2] = c[3] = 0;
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: ofColumns is not native: 'c' is used between the products: 'c' depends on the lane, or is not the same for rows r and r + 8
__global__ void __launch_bounds__(64) ofColumns(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    const bool later = lane % 4 * 2 + warp > i;
    if (later)
      c[0] = c[1] = c[2] = c[3] = 0;
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}
