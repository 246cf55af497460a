// Objects that write, and variables that elements are collected in, which keep the epilogue as it is.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s \
// RUN:   --implicit-check-not='{{(collected|oneArray) keeps}}'
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
  __shared__ half s[1024];                                                                         \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);                                     \
  float c[4] = {};                                                                                 \
  uint32_t a[4], b[2];

struct Out {
  float *C;
  float by;
  __device__ void operator()(int at, float x) const { C[at] = by * x; }
};
struct Counting {
  float *C;
  int n;
  __device__ void operator()(int at, float x) {
    C[at] = x;
    n = n + 1;
  }
};
struct OnePlace {
  float *C;
  __device__ void put(int at, float x) const { C[at / 1024] = x; }
};
struct Walking {
  float *C;
  __device__ void next() { C += 8; }
  __device__ void put(int at, float x) const { C[at] = x; }
};
struct Shifted {
  float *C;
  const float *D;
  __device__ void put(int at, float x) const { C[at] = x + D[at + 1]; }
};
__device__ void change(Out &out) { out.C += 8; }

// CHECK-DAG: ofLane keeps its epilogue, behind a conversion of 'c': 'out' is made of what each thread has for itself (
__global__ void __launch_bounds__(64) ofLane(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  const int at = lane / 4 * 16 + warp * 8 + lane % 4 * 2;
  Out out{C + lane / 4 * 16, 2.f};
  for (int e = 0; e < 4; ++e)
    out(at + e / 2 * 128 + e % 2, c[e]);
}

// CHECK-DAG: counting keeps its epilogue, behind a conversion of 'c': 'out' may be changed by a method that is not const (
__global__ void __launch_bounds__(64) counting(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  const int at = lane / 4 * 16 + warp * 8 + lane % 4 * 2;
  Counting out{C, 0};
  for (int e = 0; e < 4; ++e)
    out(at + e / 2 * 128 + e % 2, c[e]);
}

// CHECK-DAG: onePlace keeps its epilogue, behind a conversion of 'c': several elements are written to one place (
__global__ void __launch_bounds__(64) onePlace(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  const int at = lane / 4 * 16 + warp * 8 + lane % 4 * 2;
  OnePlace out{C};
  for (int e = 0; e < 4; ++e)
    out.put(at + e / 2 * 128 + e % 2, c[e]);
}

// CHECK-DAG: walking keeps its epilogue, behind a conversion of 'c': 'out' may be changed by a method that is not const (
__global__ void __launch_bounds__(64) walking(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  const int at = lane / 4 * 16 + warp * 8 + lane % 4 * 2;
  Walking out{C};
  for (int e = 0; e < 4; ++e) {
    out.put(at + e / 2 * 128 + e % 2, c[e]);
    out.next();
  }
}

// CHECK-DAG: assigned keeps its epilogue, behind a conversion of 'c': 'out' may be changed (
__global__ void __launch_bounds__(64) assigned(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  const int at = lane / 4 * 16 + warp * 8 + lane % 4 * 2;
  Out out{C, 1.f};
  if (lane < 4)
    out.by = 2.f;
  for (int e = 0; e < 4; ++e)
    out(at + e / 2 * 128 + e % 2, c[e]);
}

// CHECK-DAG: lent keeps its epilogue, behind a conversion of 'c': 'out' may be changed (
__global__ void __launch_bounds__(64) lent(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  const int at = lane / 4 * 16 + warp * 8 + lane % 4 * 2;
  Out out{C, 1.f};
  change(out);
  for (int e = 0; e < 4; ++e)
    out(at + e / 2 * 128 + e % 2, c[e]);
}

// What the one writes may be what the other does.
// CHECK-DAG: two keeps its epilogue, behind a conversion of 'c': whether each element is written to a place of its own is not clear (
__global__ void __launch_bounds__(64) two(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  const int at = lane / 4 * 16 + warp * 8 + lane % 4 * 2;
  Out one{C, 1.f}, other{C + 128, 1.f};
  for (int e = 0; e < 2; ++e) {
    one(at + 128 + e, c[e]);
    other(at + e, c[e + 2]);
  }
}

// CHECK-DAG: shifted keeps its epilogue, behind a conversion of 'c': 'C' may be the memory that the epilogue writes; '// layout-port: noalias(C)' would tell (
__global__ void __launch_bounds__(64) shifted(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  const int at = lane / 4 * 16 + warp * 8 + lane % 4 * 2;
  Shifted out{C, C};
  for (int e = 0; e < 4; ++e)
    out.put(at + e / 2 * 128 + e % 2, c[e]);
}

// CHECK-DAG: given keeps its epilogue, behind a conversion of 'c': the epilogue may read what it writes, by a pointer that is not followed (
__global__ void __launch_bounds__(64) given(float *C, Shifted out) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  const int at = lane / 4 * 16 + warp * 8 + lane % 4 * 2;
  for (int e = 0; e < 4; ++e)
    out.put(at + e / 2 * 128 + e % 2, c[e]);
}

// ---- variables that elements are collected in

#define TILES                                                                                      \
  __shared__ half s[1024];                                                                         \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);                                     \
  float c[2][4] = {};                                                                              \
  uint32_t a[4], b[2];

// CHECK-DAG: both keeps its epilogue, behind a conversion of 'c': 'C' is read for one row of a tile where the other's element is written (
__global__ void __launch_bounds__(64) both(float *C) {
  TILES
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
    mma(c[j], a, b);
  }
  for (int j = 0; j < 2; ++j) {
    float *p = C + lane / 4 * 32 + warp * 16 + j * 8 + lane % 4 * 2;
    float x = *p;
    x += c[j][0];
    *p = x;
    x = p[256];
    x += c[j][2];
    p[256] = x;
  }
}

// Results stay where they lie: it is read as if it stood between two products.
__global__ void __launch_bounds__(64) collected(float *C) {
  TILES
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
    mma(c[j], a, b);
  }
  for (int j = 0; j < 2; ++j) {
    float *p = C + lane / 4 * 32 + warp * 16 + j * 8 + lane % 4 * 2;
    float x = 0.f;
    for (int e = 0; e < 4; ++e)
      x += c[j][e];
    *p = x;
  }
}

// CHECK-DAG: declaredTogether keeps its epilogue, behind a conversion of 'c': one declaration holds both rows of a tile (
__global__ void __launch_bounds__(64) declaredTogether(float *C) {
  TILES
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
    mma(c[j], a, b);
  }
  for (int j = 0; j < 2; ++j) {
    float *p = C + lane / 4 * 32 + warp * 16 + j * 8 + lane % 4 * 2;
    float x = p[0], y = p[256], n = 2.f;
    x += c[j][0] * n;
    y += c[j][2] * n;
    p[0] = x;
    p[256] = y;
  }
}

// CHECK-DAG: otherWay keeps its epilogue, behind a conversion of 'c': the two rows of a tile are treated differently (
__global__ void __launch_bounds__(64) otherWay(float *C) {
  TILES
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
    mma(c[j], a, b);
  }
  for (int j = 0; j < 2; ++j) {
    float *p = C + lane / 4 * 32 + warp * 16 + j * 8 + lane % 4 * 2;
    float x = *p;
    float y = p[256];
    x *= c[j][0];
    y += c[j][2];
    *p = x;
    p[256] = y;
  }
}

// CHECK-DAG: placed keeps its epilogue, behind a conversion of 'c': 'p' is changed in the epilogue (
__global__ void __launch_bounds__(64) placed(float *C) {
  TILES
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
    mma(c[j], a, b);
  }
  for (int j = 0; j < 2; ++j) {
    float *p = C + lane / 4 * 32 + warp * 16 + j * 8 + lane % 4 * 2;
    *p = c[j][0];
    p += 255;
    p[1] = c[j][2];
  }
}

// CHECK-DAG: numbered keeps its epilogue, behind a conversion of 'c': 'n' is changed in the epilogue (
__global__ void __launch_bounds__(64) numbered(float *C) {
  TILES
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
    mma(c[j], a, b);
  }
  for (int j = 0; j < 2; ++j) {
    float *p = C + lane / 4 * 32 + warp * 16 + j * 8 + lane % 4 * 2;
    int n = lane;
    p[n] = c[j][0];
    n = n - 1;
    p[n + 1] = c[j][2];
  }
}

// CHECK-DAG: byRow keeps its epilogue, behind a conversion of 'c': whether each element is written to a place of its own is not clear (
__global__ void __launch_bounds__(64) byRow(float *C) {
  TILES
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
    mma(c[j], a, b);
  }
  for (int j = 0; j < 2; ++j) {
    float *p = C + lane / 4 * 32 + warp * 16 + j * 8 + lane % 4 * 2;
    for (int r = 0; r < 2; ++r) {
      int n = 0;
      n -= r;
      p[n + r] = c[j][2 * r];
    }
  }
}

// ---- one array for all tiles

// Results stay where they lie: it is read as if it stood between two products.
__global__ void __launch_bounds__(64) oneArray(float *C) {
  __shared__ half s[1024];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);
  float c[8] = {};
  uint32_t a[4], b[2];
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[j * 4]), "+f"(c[j * 4 + 1]), "+f"(c[j * 4 + 2]), "+f"(c[j * 4 + 3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  for (int i = 0; i < 8; ++i)
    C[(lane / 4 + i % 4 / 2 * 8) * 32 + warp * 16 + i / 4 * 8 + lane % 4 * 2 + i % 2] = c[i];
}
