// What the code between the products keeps for itself, in the ways C++ has for it: bases, unions, other
// types, what a lambda has copied. A number that is known there decides; were it another one, rows
// r and r + 8 would be treated as if the mask were not there.
//
// RUN: %layout-port %s -o %t.hip --target gfx90a,gfx942,gfx950 --verify --launch %S/Inputs/own_values.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
//
// REPORT-NOT: {{refuted|not native}}
// REPORT: verify gfx90a: proved
// REPORT: verify gfx942: proved
// REPORT: verify gfx950: proved
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

struct Mask {
  int causal;
};
struct Window {
  int size;
};
struct Options : Mask, Window {};

// The second base lies behind the first one.
__global__ void __launch_bounds__(64) inSecondBase(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  Options opt;
  opt.causal = 1;
  opt.size = 0;
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

__global__ void __launch_bounds__(64) listedBase(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  Options opt = {{0}, {1}};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    if (!opt.causal && opt.size)
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

template <class Derived> struct Asks {
  int pad = 7;
  __device__ bool isCausal() const { return static_cast<const Derived *>(this)->causal; }
};
struct Sized : Window, Asks<Sized> {
  int causal = 1;
};

__global__ void __launch_bounds__(64) fromBase(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  Sized opt;
  opt.size = 0;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    if (opt.isCausal())
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

struct Padded {
  int size;
  int : 16;
  int causal;
};

// A bit field without a name is left out of the list.
__global__ void __launch_bounds__(64) namelessBits(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  Padded opt = {0, 1};
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

// The bits that were written, as the type that is read has them.
__global__ void __launch_bounds__(64) inUnion(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  union {
    unsigned bits;
    int number;
  } x;
  x.bits = 0xfffffff0u;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    if (x.number < 0)
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

union Either {
  int number;
  long long wide;
};

__global__ void __launch_bounds__(64) listedUnion(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  Either x = {1};
  x.number += 0;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    if (x.number == 1)
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

__global__ void __launch_bounds__(64) inAnotherType(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  unsigned bits = 0xfffffff0u;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    if (*(int *)&bits < 0)
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

// -8 as unsigned, halved.
__global__ void __launch_bounds__(64) unsignedHalf(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    int half = -8;
    half /= 2u;
    if (half > 0)
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

__global__ void __launch_bounds__(64) byteSum(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    signed char sum = 100;
    sum += 100;
    if (sum < 0)
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

__device__ int kept(int v) {
  auto keep = [=] { return v; };
  v = 0;
  return keep();
}

// What the lambda has copied is what the parameter was.
__global__ void __launch_bounds__(64) copiedArgument(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    if (kept(1))
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

__global__ void __launch_bounds__(64) copiedReference(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  int flag = 1;
  int &named = flag;
  auto keep = [named] { return named; };
  flag = 0;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    if (keep())
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

__global__ void __launch_bounds__(64) copiedTwice(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  int flag = 1;
  auto outer = [flag] {
    auto inner = [=] { return flag; };
    return inner() == 1;
  };
  flag = 0;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    if (outer())
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

__global__ void __launch_bounds__(64) capturedAs(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  int flag = 1;
  auto keep = [was = flag] { return was; };
  flag = 0;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    if (keep())
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

struct Other {
  int on = 0;
  __device__ bool is(int x) const { return x != on; }
};
struct Chooser {
  int on = 1;
  Other other;
  __device__ bool choose() const { return other.is(on); }
};

// What a method is handed is the caller's.
__global__ void __launch_bounds__(64) argumentOfMember(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  const Chooser chooser;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    if (chooser.choose())
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

struct Defaults {
  int size = 1;
  int causal = size + 1;
};

__global__ void __launch_bounds__(64) defaultOfMember(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  Defaults opt;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    if (opt.causal == 2)
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

struct Shared {
  int size;
  static constexpr int causal = 1;
};

__global__ void __launch_bounds__(64) staticMember(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  Shared opt;
  opt.size = 0;
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

// What the first turn does not assign the second one does.
__global__ void __launch_bounds__(64) fromSecondTurn(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  int isFirst = 1, isOn = 0;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    if (isOn)
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
    if (!isFirst)
      isOn = 1;
    isFirst = 0;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

// Written before it is read, in every turn.
__global__ void __launch_bounds__(64) inTurnOfNone(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  float last;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    last = i;
    for (int e = 0; e < 4; ++e)
      c[e] *= last;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

struct Inner {
  int causal;
  __device__ Inner() { causal = 1; }
};
struct Outer {
  Inner inner;
  int size;
};

// Set to nothing first, and then by a body.
__global__ void __launch_bounds__(64) innerConstructor(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  Outer opt{};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    if (opt.inner.causal)
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

struct Turned {
  int causal;
  __device__ Turned() : causal(0) {}
  __device__ Turned(const Turned &from) : causal(!from.causal) {}
};

__global__ void __launch_bounds__(64) turnsCopied(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  Turned from;
  Turned opt = from;
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

// A place is found once, whatever finding it changes.
__global__ void __launch_bounds__(64) writtenOnce(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  int flags[4] = {}, k = 0;
  flags[k++] = 1;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    if (k == 1 && !flags[1])
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

__global__ void __launch_bounds__(64) walkedOnce(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  int flags[3] = {};
  int *next = flags;
  *next++ = 0;
  *next++ = 1;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    if (flags[1])
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

struct Held {
  const int *at;
  int count;
};
__device__ int both(Held held) { return held.count + *held.at; }

__global__ void __launch_bounds__(64) handedOnce(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  int count = 0;
  const int zero = 0;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    if (both({&zero, ++count}) == 1)
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}

struct Counts {
  int one, two = 0, three = one + 2;
  __device__ explicit Counts(int x) : one(x) {
    two = 0;
    for (int i = 0; i < 2; ++i)
      two += one;
  }
};

__global__ void __launch_bounds__(64) setInBody(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half sA[3 * 512], sB[3 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fill(sA, sB, A, B);
  uint32_t a[4], b[2];
  float c[4] = {};
  Counts counts(1);
  for (int i = 0; i < n; ++i) {
    ldsm4(a, addressOf(&sA[i * 512 + (warp * 16 + lane % 16) * 16 + lane / 16 * 8]));
    ldsm2(b, addressOf(&sB[i * 128 + lane % 8 * 16 + lane / 8 % 2 * 8]));
    mma(c, a, b);
    if (counts.two == 2 && counts.three == 3)
      for (int e = 0; e < 4; ++e)
        if (lane % 4 * 2 + (e & 1) > lane / 4 + (e >> 1) * 8)
          c[e] -= 5.f;
  }
  for (int e = 0; e < 4; ++e)
    C[e * 64 + threadIdx.x] = c[e];
}
