// Pointers and references to a tile's registers that lead elsewhere later, are handed on, read what is
// no register, or are of a tile that the thread chooses: the epilogue keeps its text, behind a conversion.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s \
// RUN:   --implicit-check-not='{{(moved|smaller|both|numbered|nobody) keeps}}'
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
  uint32_t a[4], b[2];                                                                             \
  float *const p = C + lane / 4 * 16 + warp * 8 + lane % 4 * 2;

// Results stay where they lie: it is read as if it stood between two products.
__global__ void __launch_bounds__(64) moved(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  const float *q = c;
  p[0] = q[0];
  q += 2;
  p[8 * 16] = q[0];
}

__device__ void scale(float *c) { c[3] *= 2.f; }
// CHECK-DAG: handed keeps its epilogue, behind a conversion of 'c': 'q' is used in another way than by its registers (
__global__ void __launch_bounds__(64) handed(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  float *q = c;
  scale(q);
  p[0] = q[1];
  p[8 * 16] = q[3];
}

// CHECK-DAG: beyond keeps its epilogue, behind a conversion of 'c': which register of the accumulator is meant is not clear (
__global__ void __launch_bounds__(64) beyond(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  const float *q = &c[2];
  p[0] = q[0];
  p[8 * 16] = q[2];
}

// CHECK-DAG: odd keeps its epilogue, behind a conversion of 'c': 'q' is used in another way than by its registers (
__global__ void __launch_bounds__(64) odd(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  const float *q = &c[1];
  for (int e = 0; e < 3; ++e)
    p[(e + 1) / 2 * 8 * 16 + (e + 1) % 2] = q[e];
}

// Results stay where they lie: it is read as if it stood between two products.
__global__ void __launch_bounds__(64) smaller(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  const uint16_t *q = (const uint16_t *)c;
  p[0] = q[1];
  p[8 * 16] = q[5];
}

// CHECK-DAG: further keeps its epilogue, behind a conversion of 'c': 'q' leads to registers of 'c' as another type, which is not followed (
__global__ void __launch_bounds__(64) further(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  const float2 *q = (const float2 *)&c[2];
  p[8 * 16] = q->x;
}

// Results stay where they lie: it is read as if it stood between two products.
__global__ void __launch_bounds__(64) both(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  const float4 *q = reinterpret_cast<const float4 *>(c);
  p[0] = q[0].x;
  p[8 * 16] = q[0].z;
}

// CHECK-DAG: across keeps its epilogue, behind a conversion of 'c': one statement uses both rows of a tile (
__global__ void __launch_bounds__(64) across(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  const float (&q)[4] = c;
  p[0] = q[0] + q[2];
}

// A function that is handed one register reads another from its address.
__device__ float next(const float &x) { return (&x)[2]; }
// CHECK-DAG: fromOne keeps its epilogue, behind a conversion of 'c': a function goes on from the address of 'c's register (
__global__ void __launch_bounds__(64) fromOne(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  p[0] = next(c[0]);
}

// The number that the pointer is made from changes behind it; and one that is another for each lane.
#define TILES                                                                                      \
  __shared__ half s[1024];                                                                         \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);                                     \
  float c[2][4] = {};                                                                              \
  uint32_t a[4], b[2];                                                                             \
  float *const p = C + lane / 4 * 32 + warp * 16 + lane % 4 * 2;

// Results stay where they lie: it is read as if it stood between two products.
__global__ void __launch_bounds__(64) numbered(float *C) {
  TILES
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
    mma(c[j], a, b);
  }
  int t = 0;
  for (int j = 0; j < 2; ++j) {
    const float *q = c[t];
    t = 1;
    p[j * 8] = q[0];
    p[8 * 32 + j * 8] = q[2];
  }
}

// CHECK-DAG: byLane keeps its epilogue, behind a conversion of 'c': which tile is meant depends on the thread (
__global__ void __launch_bounds__(64) byLane(float *C) {
  TILES
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
    mma(c[j], a, b);
  }
  for (int j = 0; j < 2; ++j) {
    const float (&q)[4] = c[(j + lane) & 1];
    p[j * 8] = q[0];
    p[8 * 32 + j * 8] = q[2];
  }
}

// CHECK-DAG: byLaneItself keeps its epilogue, behind a conversion of 'c': which tile is meant depends on the thread (
__global__ void __launch_bounds__(64) byLaneItself(float *C) {
  TILES
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
    mma(c[j], a, b);
  }
  for (int j = 0; j < 2; ++j) {
    p[j * 8] = c[(j + lane) & 1][0];
    p[8 * 32 + j * 8] = c[(j + lane) & 1][2];
  }
}

// Results stay where they lie: it is read as if it stood between two products.
__global__ void __launch_bounds__(64) nobody(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  {
    const float *other = c;
  }
  p[0] = c[0];
  p[8 * 16] = c[2];
}

__device__ void mmaOf4(float4 &d, const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d.x), "+f"(d.y), "+f"(d.z), "+f"(d.w)
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
// A copy is what the tile was.
// CHECK-DAG: copyOfOld keeps its epilogue, behind a conversion of 'd': 'd' is changed in the epilogue (
__global__ void __launch_bounds__(64) copyOfOld(float *C, int n) {
  SETUP
  float4 d[2] = {};
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  for (int j = 0; j < 2; ++j)
    mmaOf4(d[j], a, b);
  for (int j = 0; j < n; ++j) {
    const float4 v = d[j];
    d[j].x += 1;
    d[j].y += 1;
    d[j].z += 1;
    d[j].w += 1;
    p[j * 512] = v.x + d[j].y;
    p[j * 512 + 8 * 16] = v.z + d[j].w;
  }
}

// CHECK-DAG: besideOthers keeps its epilogue, behind a conversion of 'c': 'q' leads to a tile, and is declared beside what does not (
__global__ void __launch_bounds__(64) besideOthers(float *C, const float *__restrict__ D) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  const float *q = c, *other = D + 1;
  p[0] = q[0] + other[0];
  p[8 * 16] = q[2] + other[0];
}
