// Functions that are handed a whole tile and cannot be written for one row of it: the epilogue keeps
// its text, behind a conversion.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
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

#define SETUP_OF(sums)                                                                             \
  __shared__ half s[1024];                                                                         \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);                                     \
  float sums = {};                                                                                 \
  uint32_t a[4], b[2];                                                                             \
  float *const p = C + lane / 4 * 16 + warp * 8 + lane % 4 * 2;
#define SETUP SETUP_OF(c[4])

__device__ void sum(float *p, const float (&c)[4]) { *p = c[0] + c[2]; }
// CHECK-DAG: bothRows keeps its epilogue, behind a conversion of 'c': in 'sum', one statement uses both rows of a tile (
__global__ void __launch_bounds__(64) bothRows(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  sum(p, c);
}

__device__ void ratio(float *p, const float (&c)[4], const float (&d)[4]) { *p = c[0] / d[0]; }
// CHECK-DAG: twoTiles keeps its epilogue, behind a conversion of 'c': in 'ratio', two tiles are handed on together (
__global__ void __launch_bounds__(64) twoTiles(float *C) {
  SETUP_OF(c[1][4])
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c[0], a, b);
  ratio(p, c[0], c[0]);
}

__device__ void join(float *p, const float (&c)[4]) {
  const float *q = c;
  *p = q[0];
}
// CHECK-DAG: wholeAgain keeps its epilogue, behind a conversion of 'c': in 'join', 'c' is used in another way than by its registers (
__global__ void __launch_bounds__(64) wholeAgain(float *C) {
  SETUP_OF(c[1][4])
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c[0], a, b);
  join(p, c[0]);
}

__device__ void some(float *p, const float (&c)[4], int rows) {
  for (int e = 0; e < 4; ++e) {
    if (e / 2 * 8 == rows)
      return;
    p[e / 2 * 128 + e % 2] = c[e];
  }
}
// A turn of one row that returns leaves out those of the other.
// CHECK-DAG: leaves keeps its epilogue, behind a conversion of 'c': the epilogue calls 'some', which does more than write to places that it is given (
__global__ void __launch_bounds__(64) leaves(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  some(p, c, 8);
}

__device__ void scatter(float *p, const float (&c)[4]) {
  p[(int)c[0]] = c[1];
  p[(int)c[2]] = c[3];
}
// CHECK-DAG: byValue keeps its epilogue, behind a conversion of 'c': whether each element is written to a place of its own is not clear (
__global__ void __launch_bounds__(64) byValue(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  scatter(C, c);
}

__device__ void last(float *p, const float (&c)[4]) {
  *p = c[0];
  *p = c[2];
}
// CHECK-DAG: onePlace keeps its epilogue, behind a conversion of 'c': several elements are written to one place (
__global__ void __launch_bounds__(64) onePlace(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  last(p, c);
}

__device__ void close(float *p, const float (&c)[4]) {
  for (int e = 0; e < 4; ++e)
    p[e / 2 * 128 + e % 2 * 128] = c[e];
}
// CHECK-DAG: meetsOther keeps its epilogue, behind a conversion of 'c': several elements are written to one place (
__global__ void __launch_bounds__(64) meetsOther(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  close(p, c);
}

__device__ void swapped(float *p, const float (&c)[4]) { *p = __shfl_xor_sync(~0u, c[0], 1); }
// CHECK-DAG: asks keeps its epilogue, behind a conversion of 'c': the epilogue calls 'swapped', which asks other lanes (
__global__ void __launch_bounds__(64) asks(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  swapped(p, c);
}

__device__ void stepped(float *p, const float (&c)[4], int by = 128) {
  p[0] = c[0];
  p[by] = c[2];
}
// CHECK-DAG: byDefault keeps its epilogue, behind a conversion of 'c': in 'stepped', there is no place for another parameter (
__global__ void __launch_bounds__(64) byDefault(float *C) {
  SETUP_OF(c[1][4])
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c[0], a, b);
  stepped(p, c[0]);
}

__device__ void clamped(float *p, float (&c)[4]) {
  c[0] = fmaxf(c[0], 0.f);
  *p = c[0];
}
// CHECK-DAG: changed keeps its epilogue, behind a conversion of 'c': 'c' is changed in the epilogue (
__global__ void __launch_bounds__(64) changed(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  clamped(p, c);
}

__device__ int total;
__device__ void counted(float *p, const float (&c)[4]) {
  *p = c[0];
  ++total;
}
// CHECK-DAG: counts keeps its epilogue, behind a conversion of 'c': the epilogue calls 'counted', which does more than write to places that it is given (
__global__ void __launch_bounds__(64) counts(float *C) {
  SETUP_OF(c[1][4])
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c[0], a, b);
  counted(p, c[0]);
}

template <int R> __device__ void each(float *p, const float (&c)[R]) {
  for (int e = 0; e < R; ++e)
    p[e / 2 * 128 + e % 2] = c[e];
}
// CHECK-DAG: sized keeps its epilogue, behind a conversion of 'c': in 'each', a macro or a template's parameter writes the tile (
__global__ void __launch_bounds__(64) sized(float *C) {
  SETUP_OF(c[1][4])
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c[0], a, b);
  each(p, c[0]);
}

__device__ void scaled(float *p, const float (&c)[4], float by) {
  p[0] = c[0] * by;
  p[128] = c[2] * by;
}
// CHECK-DAG: withRegister keeps its epilogue, behind a conversion of 'c': a tile is handed on together with what belongs to one of its rows (
__global__ void __launch_bounds__(64) withRegister(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  scaled(p, c, c[1]);
}

__device__ void plain(float *p, const float (&c)[4]) {
  p[0] = c[0];
  p[128] = c[2];
}
// A change of one row stands before the tile is handed on, that of the other behind it.
// CHECK-DAG: passed keeps its epilogue, behind a conversion of 'c': the two rows of a tile are treated differently (
__global__ void __launch_bounds__(64) passed(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  c[0] *= 2.f;
  plain(p, c);
  c[2] *= 2.f;
}

// CHECK-DAG: someLanes keeps its epilogue, behind a conversion of 'c': some lanes of a wave may not reach the epilogue: lane < 8 (
__global__ void __launch_bounds__(64) someLanes(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  if (lane < 8)
    return;
  plain(p, c);
  p[256] = 0.f;
}

