// Code between the products that is not followed and can reach results, by a reference, a pointer,
// a lambda, the object of a method or names for parts of an array: nothing is known of it. Nothing of
// it is native. Loops over the elements of an array are followed, and halves told apart.
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

struct Sums {
  float c[4];
  __device__ void halve(int what) {
    switch (what) {
    default:
      c[2] *= 0.5f;
    }
  }
};

#define SETUP                                                                                      \
  __shared__ half s[512];                                                                          \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);                                     \
  uint32_t a[4], b[2];
#define STORE(c)                                                                                   \
  for (int e = 0; e < 4; ++e)                                                                      \
    C[e * 64 + threadIdx.x] = c[e];

__device__ void byGoto(float (&c)[4], float s) {
  int e = 0;
again:
  c[e] *= e < 2 ? s : 1.f;
  if (++e < 4)
    goto again;
}
// CHECK-DAG: jumping is not native: 'c' is used between the products: 'c' is used in a way that is not followed
__global__ void __launch_bounds__(64) jumping(float *C, int n) {
  SETUP
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    byGoto(c, 0.5f);
  }
  STORE(c)
}

__device__ void bySwitch(float *c, int what) {
  switch (what) {
  case 1:
    c[2] *= 0.5f;
  }
}
// CHECK-DAG: switching is not native: 'c' is used between the products: 'c' is used in a way that is not followed
__global__ void __launch_bounds__(64) switching(float *C, int n) {
  SETUP
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    bySwitch(c, n);
  }
  STORE(c)
}
// CHECK-DAG: switchingObject is not native: 'sums.c' is used between the products: 'sums' is used in a way that is not followed
__global__ void __launch_bounds__(64) switchingObject(float *C, int n) {
  SETUP
  Sums sums = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(sums.c, a, b);
    sums.halve(n);
  }
  STORE(sums.c)
}

template <class F> __device__ void apply(F f, int what) {
  switch (what) {
  default:
    f(2);
  }
}
// CHECK-DAG: switchingLambda is not native: 'c' is used between the products: 'c' is used in a way that is not followed
__global__ void __launch_bounds__(64) switchingLambda(float *C, int n) {
  SETUP
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    auto halve = [&](int e) { c[e] *= 0.5f; };
    apply(halve, n);
  }
  STORE(c)
}

__device__ void byReturn(float (&c)[4], int what) {
  switch (what) {
  case 1:
    return;
  }
  for (int e = 0; e < 4; ++e)
    c[e] *= 0.5f;
}
// CHECK-DAG: returning is not native: 'c' is used between the products: code between the products is left in a way that is not followed
__global__ void __launch_bounds__(64) returning(float *C, int n) {
  SETUP
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    byReturn(c, lane & 4);
  }
  STORE(c)
}

__device__ void byNext(float (&c)[4], float s) {
  for (int e = 0; e < 4; ++e) {
    if (e < 2)
      goto next;
    c[e] *= s;
  next:;
  }
}
// CHECK-DAG: jumpingOver is not native: 'c' is used between the products: code between the products is left in a way that is not followed
__global__ void __launch_bounds__(64) jumpingOver(float *C, int n) {
  SETUP
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    byNext(c, 0.5f);
  }
  STORE(c)
}

typedef void (*Scale)(float (&)[4], float);
__device__ void scaleUpper(float (&c)[4], float s) { c[0] *= s; }
__device__ void byPointer(float (&c)[4], Scale scale) { scale(c, 0.5f); }
// CHECK-DAG: calling is not native: 'c' is used between the products: 'c' is used in a way that is not followed
__global__ void __launch_bounds__(64) calling(float *C, int n) {
  SETUP
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    byPointer(c, scaleUpper);
  }
  STORE(c)
}

__device__ void byChosen(float (&c)[4], int lane) {
  float *p = lane & 1 ? &c[0] : &c[2];
  *p *= 0.5f;
}
// CHECK-DAG: choosing is not native: 'c' is used between the products: 'c' is used in a way that is not followed
__global__ void __launch_bounds__(64) choosing(float *C, int n) {
  SETUP
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    byChosen(c, lane);
  }
  STORE(c)
}

__device__ void byNumber(float (&c)[4]) { *(float *)((unsigned long long)&c[0] + 8) = 0.f; }
// CHECK-DAG: byNumbers is not native: 'c' is used between the products: 'c' is used in a way that is not followed
__global__ void __launch_bounds__(64) byNumbers(float *C, int n) {
  SETUP
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    byNumber(c);
  }
  STORE(c)
}

struct Halver {
  __device__ Halver(float (&c)[4]) { c[2] *= 0.5f; }
};
// CHECK-DAG: constructing is not native: 'c' is used between the products: a constructor changes more than its object
__global__ void __launch_bounds__(64) constructing(float *C, int n) {
  SETUP
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    Halver{c};
  }
  STORE(c)
}

// CHECK-DAG: naming is not native: 'c' is used between the products: rows r and r + 8 of a tile are not treated alike in 'c'
__device__ void byNames(float (&c)[4]) {
  auto &[c0, c1, c2, c3] = c;
  c2 = 0.f;
}
__global__ void __launch_bounds__(64) naming(float *C, int n) {
  SETUP
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    byNames(c);
  }
  STORE(c)
}

// CHECK-DAG: counting is not native: 'c' is used between the products: rows r and r + 8 of a tile are not treated alike in 'c'
__device__ void byElements(float (&c)[4], float s) {
  int e = 0;
  for (float &x : c)
    x *= e++ < 2 ? s : 1.f;
}
__global__ void __launch_bounds__(64) counting(float *C, int n) {
  SETUP
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    byElements(c, 0.5f);
  }
  STORE(c)
}

// CHECK-DAG: inPlace is not native: 'c' is used between the products: rows r and r + 8 of a tile are not treated alike in 'c'
__global__ void __launch_bounds__(64) inPlace(float *C, int n) {
  SETUP
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    int e = 0;
    for (float &x : c)
      x *= e++ < 2 ? 0.5f : 1.f;
  }
  STORE(c)
}
