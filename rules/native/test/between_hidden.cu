// Code between the products that changes results where a quick look sees a value: a constructor, the
// end of an object, a side of '&&', an arm of '?:', an object that holds a reference; and a lambda that
// sees what a variable was. Each does to one element, or one row, what it does not to the others.
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

#define SETUP                                                                                      \
  __shared__ half s[512];                                                                          \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);                                     \
  uint32_t a[4], b[2];
#define STORE(c)                                                                                   \
  for (int e = 0; e < 4; ++e)                                                                      \
    C[e * 64 + threadIdx.x] = c[e];

// Above the diagonal of a tile.
#define ABOVE (lane % 4 * 2 + e % 2 > lane / 4 + e / 2 * 8)

struct Lower {
  __device__ Lower(float &x, bool is) {
    if (is)
      x -= 5.f;
  }
};
struct LowerAtEnd {
  __device__ ~LowerAtEnd() {
    if (is)
      x -= 5.f;
  }
  float &x;
  bool is;
};
struct Lowered {
  float (&c)[4];
  __device__ bool at(int e) const {
    c[e] -= 5.f;
    return true;
  }
};
struct Halved {
  float &x;
};

// CHECK-DAG: byConstructor is not native: 'c' is used between the products: a constructor changes more than its object
__global__ void __launch_bounds__(64) byConstructor(float *C, int n) {
  SETUP
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    for (int e = 0; e < 4; ++e)
      Lower lower(c[e], ABOVE);
  }
  STORE(c)
}

// CHECK-DAG: byTemporary is not native: 'c' is used between the products: a constructor changes more than its object
__global__ void __launch_bounds__(64) byTemporary(float *C, int n) {
  SETUP
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    for (int e = 0; e < 4; ++e)
      (void)Lower(c[e], ABOVE);
  }
  STORE(c)
}

// CHECK-DAG: byEnd is not native: 'c' is used between the products: the end of 'lower' is a function's
__global__ void __launch_bounds__(64) byEnd(float *C, int n) {
  SETUP
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    for (int e = 0; e < 4; ++e)
      const LowerAtEnd lower{c[e], ABOVE};
  }
  STORE(c)
}

// CHECK-DAG: bySide is not native: 'c' is used between the products: a side of '&&' or '||' changes variables
__global__ void __launch_bounds__(64) bySide(float *C, int n) {
  SETUP
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    auto lower = [&](int e) {
      c[e] -= 5.f;
      return true;
    };
    for (int e = 0; e < 4; ++e)
      ABOVE && lower(e);
  }
  STORE(c)
}

// CHECK-DAG: byObject is not native: 'c' is used between the products: a side of '&&' or '||' changes variables
__global__ void __launch_bounds__(64) byObject(float *C, int n) {
  SETUP
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    const Lowered lower{c};
    for (int e = 0; e < 4; ++e)
      ABOVE && lower.at(e);
  }
  STORE(c)
}

// CHECK-DAG: byArm is not native: 'c' is used between the products: an arm of '?:' changes variables
__global__ void __launch_bounds__(64) byArm(float *C, int n) {
  SETUP
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    auto lower = [&](int e) {
      c[e] -= 5.f;
      return true;
    };
    for (int e = 0; e < 4; ++e)
      ABOVE ? lower(e) : false;
  }
  STORE(c)
}

// CHECK-DAG: byReference is not native: 'c' is used between the products: rows r and r + 8 of a tile are not treated alike in 'c'
__global__ void __launch_bounds__(64) byReference(float *C, int n) {
  SETUP
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    const Halved halved{c[2]};
    halved.x *= 0.5f;
  }
  STORE(c)
}

// CHECK-DAG: byOldCopy is not native: 'c' is used between the products: rows r and r + 8 of a tile are not treated alike in 'c'
__global__ void __launch_bounds__(64) byOldCopy(float *C, int n) {
  SETUP
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    float keep = c[0];
    auto kept = [keep] { return keep; };
    keep = c[2];
    c[2] = kept() * 2.f;
    c[0] *= 2.f;
  }
  STORE(c)
}
