// What the code between the products keeps for itself, where it is not known what that is, or rows r
// and r + 8 have different things of it.
//
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
// RUN: %ported %t.hip | FileCheck %s --check-prefix=OUT
// OUT-NOT: lp::load_a
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

// Three steps of k: 32 rows of A, 8 of B.
__device__ void fill(half *sA, half *sB, const half *A, const half *B) {
  for (int i = threadIdx.x; i < 3 * 512; i += 64)
    sA[i] = A[i];
  for (int i = threadIdx.x; i < 3 * 128; i += 64)
    sB[i] = B[i];
  __syncthreads();
}
__device__ uint32_t addressOf(const half *p) { return (uint32_t)__cvta_generic_to_shared(p); }

struct Max {
  float m0, m1;
};
struct Sum {
  float l0, l1;
};
struct State : Max, Sum {};

// CHECK-DAG: basesApart is not native: 'c' is used between the products: rows r and r + 8 of a tile are not treated alike in 'c'
__global__ void __launch_bounds__(64) basesApart(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    State state;
    state.m0 = 0.5f;
    state.m1 = 0.25f;
    state.l0 = state.l1 = 1.f;
    for (int e = 0; e < 4; ++e)
      c[e] *= e < 2 ? state.m0 : state.m1;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

// CHECK-DAG: bitField is not native: 'c' is used between the products: 'flags.causal' depends on the lane: it reads 'flags', registers of the thread's own
__global__ void __launch_bounds__(64) bitField(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  struct {
    unsigned causal : 1, other : 1;
  } flags;
  flags.causal = 1;
  flags.other = 0;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    if (flags.causal)
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

// CHECK-DAG: overflowingBits is not native: 'c' is used between the products: '!count.n' depends on the lane: it reads 'count', registers of the thread's own
__global__ void __launch_bounds__(64) overflowingBits(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    struct {
      unsigned n : 2;
    } count = {3};
    count.n += 1;
    if (!count.n)
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

// CHECK-DAG: bitFieldOfResult is not native: 'c' is used between the products: a bit field is made from results
__global__ void __launch_bounds__(64) bitFieldOfResult(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  struct {
    int low : 9, high : 9;
  } kept = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    kept.low = (int)c[0];
    c[0] -= kept.low;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

struct Base {
  int causal;
};
struct Virtual : virtual Base {
  int size;
};

// CHECK-DAG: virtualBase is not native: 'c' is used between the products: where a virtual base lies is not followed
__global__ void __launch_bounds__(64) virtualBase(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  Virtual opt;
  opt.causal = 1;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    if (opt.causal)
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

// CHECK-DAG: laterPart is not native: 'c' is used between the products: 'now' depends on the lane: the address walks: 'now' changes after it was computed from the thread
__global__ void __launch_bounds__(64) laterPart(const half *A, const half *B, float *C, int n, const float *G) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  float2 fade = *(const float2 *)&G[lane / 4 * 2];
  float now = 1.f;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    for (int e = 0; e < 4; ++e)
      c[e] *= now;
    now = fade.x;
    fade.x *= 0.5f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

// CHECK-DAG: startsApart is not native: 'c' is used between the products: rows r and r + 8 of a tile are not treated alike in 'sum'
__global__ void __launch_bounds__(64) startsApart(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  float2 sum = make_float2(0.f, 1.f);
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    sum.x += c[0];
    sum.y += c[2];
  }
  c[0] += sum.x;
  c[1] += sum.x;
  c[2] += sum.y;
  c[3] += sum.y;
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

// CHECK-DAG: laterSwitch is not native: 'c' is used between the products: 'now' depends on the lane: the address walks: 'now' changes after it was computed from the thread
__global__ void __launch_bounds__(64) laterSwitch(const half *A, const half *B, float *C, int n, const float *G, int mode) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  float fade, now = 1.f;
  switch (mode) {
  case 0:
    fade = 1.f;
    break;
  default:
    fade = G[lane / 4];
  }
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    for (int e = 0; e < 4; ++e)
      c[e] *= now;
    now = fade;
    fade *= 0.5f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

// Which element a turn writes hangs on the lane.
// CHECK-DAG: someElement is not native: 'c' is used between the products: 'c' depends on the lane, or is not the same for rows r and r + 8
__global__ void __launch_bounds__(64) someElement(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  int table[2] = {1, 0};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    if (table[0] == 1)
      for (int e = 0; e < 4; ++e)
        c[e] *= 0.5f;
    table[lane & 1] = 0;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

// CHECK-DAG: carriedPointer is not native: 'c' is used between the products: '*step' depends on the lane: 'step' points to a variable of the thread's own
__global__ void __launch_bounds__(64) carriedPointer(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  float slow = lane, fast = 1.f;
  const float *step = &fast;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    for (int e = 0; e < 4; ++e)
      c[e] *= *step;
    step = &slow;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

struct Opt {
  int causal;
};
__device__ void setCausal(Opt &opt) { opt.causal = 1; }

// CHECK-DAG: functionPointer is not native: 'c' is used between the products: 'c' depends on the lane, or is not the same for rows r and r + 8
__global__ void __launch_bounds__(64) functionPointer(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  Opt opt = {0};
  void (*init)(Opt &) = &setCausal;
  init(opt);
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    if (opt.causal)
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

// CHECK-DAG: memberPointer is not native: 'c' is used between the products: 'opt.causal' depends on the lane: it reads 'opt', registers of the thread's own
__global__ void __launch_bounds__(64) memberPointer(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  Opt opt = {0};
  int Opt::*which = &Opt::causal;
  opt.*which = 1;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    if (opt.causal)
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

// CHECK-DAG: storedPointer is not native: 'c' is used between the products: 'c' depends on the lane, or is not the same for rows r and r + 8
__global__ void __launch_bounds__(64) storedPointer(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  __shared__ int *places[64];
  int causal = 0;
  places[threadIdx.x] = &causal;
  *places[threadIdx.x] = 1;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    if (causal)
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

// CHECK-DAG: shiftedApart is not native: 'c' is used between the products: rows r and r + 8 of a tile are not treated alike in 'c'
__global__ void __launch_bounds__(64) shiftedApart(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    for (int e = 0; e < 2; ++e) {
      c[e] = (float)((int)c[e] >> 1);
      c[e + 2] = (float)((unsigned)(int)c[e + 2] >> 1);
    }
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

// CHECK-DAG: widenedApart is not native: 'c' is used between the products: rows r and r + 8 of a tile are not treated alike in 'c'
__global__ void __launch_bounds__(64) widenedApart(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    for (int e = 0; e < 2; ++e) {
      c[e] = (short)(int)c[e];
      c[e + 2] = (unsigned short)(short)(int)c[e + 2];
    }
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

__device__ float halved(float x, int) {
  using Whole = int;
  return (Whole)(x * 2.f) * 0.5f;
}
__device__ float quartered(float x, int) {
  using Whole = unsigned char;
  return (Whole)(x * 2.f) * 0.5f;
}

// Two types of one name.
// CHECK-DAG: namedApart is not native: 'c' is used between the products: rows r and r + 8 of a tile are not treated alike in 'c'
__global__ void __launch_bounds__(64) namedApart(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    for (int e = 0; e < 2; ++e)
      c[e] = halved(c[e], e);
    for (int e = 0; e < 2; ++e)
      c[e + 2] = quartered(c[e + 2], e);
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

// CHECK-DAG: changesItsCopy is not native: 'c' is used between the products: 'next()' depends on the lane: it changes something where it is computed, which other lanes cannot do again
__global__ void __launch_bounds__(64) changesItsCopy(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  int flag = 0;
  auto next = [flag]() mutable { return flag++; };
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    if (next())
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

// CHECK-DAG: leftUnder is not native: 'c' is used between the products: a loop whose count is not known is left, or goes on with its next turn, under a condition
__global__ void __launch_bounds__(64) leftUnder(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    for (int t = 0; t < n; ++t) {
      if (t >= lane / 4)
        break;
      for (int e = 0; e < 4; ++e)
        c[e] *= 0.5f;
    }
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

// CHECK-DAG: nextUnder is not native: 'c' is used between the products: a loop whose count is not known is left, or goes on with its next turn, under a condition
__global__ void __launch_bounds__(64) nextUnder(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    for (int t = 0; t < n; ++t) {
      if (t >= lane / 4)
        continue;
      for (int e = 0; e < 4; ++e)
        c[e] *= 0.5f;
    }
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

struct Row {
  int at;
  __device__ explicit Row(int first) : at(first + threadIdx.x % 32 / 4) {}
};

// What a constructor makes of the thread's index is the thread's.
// CHECK-DAG: readByConstructor is not native: 'c' is used between the products: 'lane % 4 * 2 + (e & 1) > row.at + (e >> 1) * 8' depends on the lane: it reads 'row', registers of the thread's own
__global__ void __launch_bounds__(64) readByConstructor(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  const Row row(0);
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    for (int e = 0; e < 4; ++e)
      if (lane % 4 * 2 + (e & 1) > row.at + (e >> 1) * 8)
        c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

struct Asked {
  __device__ virtual bool causal() const { return false; }
};
struct Says : Asked {
  __device__ bool causal() const override { return true; }
};

// CHECK-DAG: whoseIsIt is not native: 'c' is used between the products: 'c' depends on the lane, or is not the same for rows r and r + 8
__global__ void __launch_bounds__(64) whoseIsIt(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  Says says;
  const Asked &asked = says;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    if (asked.causal())
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

template <int Step> __device__ void walk(float &x, int n) {
  for (int t = 0; t < n; ++t)
    x = x * 0.5f + Step;
}

// Two loops of one text.
// CHECK-DAG: loopsApart is not native: 'c' is used between the products: rows r and r + 8 of a tile are not treated alike in 'c'
__global__ void __launch_bounds__(64) loopsApart(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  float x = 1.f;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    walk<0>(x, n);
    const float before = x;
    walk<1>(x, n);
    for (int e = 0; e < 4; ++e)
      c[e] *= e < 2 ? before : x;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

__device__ float first(int lane, int n) {
  float x = 1.f;
  for (int t = 0; t < n; ++t) {
    if (t > lane / 4)
      return x;
    x *= 0.5f;
  }
  return x;
}

// CHECK-DAG: returnsFromLoop is not native: 'c' is used between the products: a function returns from a loop
__global__ void __launch_bounds__(64) returnsFromLoop(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    for (int e = 0; e < 4; ++e)
      c[e] *= first(lane, n);
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

// CHECK-DAG: storedByAsm is not native: 'c' is used between the products: 'c' depends on the lane, or is not the same for rows r and r + 8
__global__ void __launch_bounds__(64) storedByAsm(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  int causal = 0;
  asm volatile("st.u32 [%0], 1;" ::"l"(&causal) : "memory");
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    if (causal)
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

// CHECK-DAG: keptByReference is not native: 'c' is used between the products: 'sum' is used in a way that is not followed
__global__ void __launch_bounds__(64) keptByReference(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  float (&&sum)[2] = {0.f, 0.f};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    sum[0] += c[0] + c[1];
    sum[1] += c[2] + c[3];
  }
  C[192 + lane / 4 + warp * 16] = sum[0];
  C[200 + lane / 4 + warp * 16] = sum[1];
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}
