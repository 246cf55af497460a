// Operands that lanes compute from values of their own: the value is read for the lane whose
// operand it becomes, and what is done to it stays the author's, whatever it is.
// RUN: %layout-port %s -o %t.hip --target gfx90a,gfx942,gfx950 --verify --launch %S/Inputs/lanewise.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: %ported %t.hip | FileCheck %s
//
// REPORT-NOT: not native
// REPORT-NOT: tensor-mma
// REPORT: verify gfx90a: tested
// REPORT: verify gfx942: tested
// REPORT: verify gfx950: tested
#include <cuda_fp16.h>
#include <stdint.h>

struct FragB {
  half2 h[2];
};
struct Scale {
  half s;
};

__device__ uint32_t word(const half *p) { return *reinterpret_cast<const uint32_t *>(p); }
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const FragB &b) {
  mma(d, a, reinterpret_cast<const uint32_t *>(&b));
}

// Four nibbles to halves between -8 and 7.
__device__ half2 two(int q) { return __floats2half2_rn((q & 15) - 8.f, (q >> 4 & 15) - 8.f); }
__device__ FragB four(int q) {
  FragB b;
  b.h[0] = two(q);
  b.h[1] = two(q >> 8);
  return b;
}
__device__ void four(int q, uint32_t (&b)[2]) {
  half2 *h = reinterpret_cast<half2 *>(&b[0]);
  h[0] = two(q);
  h[1] = two(q >> 8);
}
__device__ void times(FragB &b, const Scale &s) {
  for (int i = 0; i < 2; ++i)
    b.h[i] = __hmul2(b.h[i], __half2half2(s.s));
}

// 32 rows of A, two warps one below the other unless `row` is set otherwise.
#define SETUP(TILES, ROW)                                                                          \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;          \
  const int row = ROW;                                                                             \
  float d[TILES][4] = {};                                                                          \
  const half *p = A + (row + g) * 16 + t * 2;
#define STORE(TILES)                                                                               \
  for (int j = 0; j < TILES; ++j)                                                                  \
    for (int r = 0; r < 4; ++r)                                                                    \
      C[(warp * TILES + j) * 128 + r * 32 + lane] = d[j][r];

// A struct that a function returns, in the call.
// CHECK-LABEL: returned(
// CHECK: const int q = lp::read_b([&](int lane, int, int j) {
// CHECK-NEXT: const int g = lane / 4;
// CHECK-NEXT: const int t = lane % 4;
// CHECK-NEXT: return P[(j * 8 + g) * 4 + t];
// CHECK-NEXT: }, j);
// CHECK-NEXT: lp::mma_m16n8k16_f32_f16_wave(d[j & ~1], d[j | 1], a, lp::bits<lp::words2>(four(q)), j & 1);
__global__ void __launch_bounds__(64) returned(const half *A, const int *P, float *C) {
  SETUP(2, warp * 16)
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  for (int j = 0; j < 2; ++j) {
    const int q = P[(j * 8 + g) * 4 + t];
    mma(d[j], a, four(q));
  }
  STORE(2)
}

// Registers that a function is handed, and a condition that the whole wave agrees on.
// CHECK-LABEL: handed(
// CHECK: int q = lp::read_b(
// CHECK: if (flags[0])
// CHECK-NEXT: q = ~q;
// CHECK: four(q, b);
// CHECK-NEXT: lp::mma_m16n8k16_f32_f16_wave(d[j & ~1], d[j | 1], a, b, j & 1);
__global__ void __launch_bounds__(64) handed(const half *A, const int *P, float *C, const int *flags) {
  SETUP(2, warp * 16)
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  for (int j = 0; j < 2; ++j) {
    uint32_t b[2];
    int q = P[(j * 8 + g) * 4 + t];
    if (flags[0])
      q = ~q;
    four(q, b);
    mma(d[j], a, b);
  }
  STORE(2)
}

// Two values, one of them by column alone; a struct of the kernel's own.
// CHECK-LABEL: scaledColumns(
// CHECK: q = lp::read_b(
// CHECK: Scale s = lp::read_b
// CHECK: FragB b = four(q);
// CHECK-NEXT: times(b, s);
// CHECK-NEXT: lp::mma_m16n8k16_f32_f16_wave(d[j & ~1], d[j | 1], a, b.h, j & 1);
__global__ void __launch_bounds__(64) scaledColumns(const half *A, const int *P, float *C, const Scale *S) {
  SETUP(2, warp * 16)
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  for (int j = 0; j < 2; ++j) {
    const int q = P[(j * 8 + g) * 4 + t];
    const Scale s = S[j * 8 + g];
    FragB b = four(q);
    times(b, s);
    mma(d[j], a, b);
  }
  STORE(2)
}

// What is looked up by the value is looked up by every lane for itself.
// CHECK-LABEL: lookedUp(
// CHECK: uint32_t b[2] = {table[q & 15], table[q >> 4 & 15]};
__global__ void __launch_bounds__(64) lookedUp(const half *A, const int *P, float *C, const uint32_t *table) {
  SETUP(2, warp * 16)
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  for (int j = 0; j < 2; ++j) {
    const int q = P[(j * 8 + g) * 4 + t];
    uint32_t b[2] = {table[q & 15], table[q >> 4 & 15]};
    mma(d[j], a, b);
  }
  STORE(2)
}

// The warps share A: each lane is of one warp.
// CHECK-LABEL: columns(
// CHECK: lp::read_b{{.*}}([&](int lane, int warp) {
__global__ void __launch_bounds__(64) columns(const half *A, const int *P, float *C) {
  SETUP(1, 0)
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  const int q = P[(warp * 8 + g) * 4 + t];
  mma(d[0], a, four(q));
  STORE(1)
}

// ... or nothing.
// CHECK-LABEL: apart(
// CHECK: lp::read_b{{.*}}([&](int lane, int warp, int j) {
__global__ void __launch_bounds__(64) apart(const half *A, const int *P, float *C) {
  SETUP(2, warp * 16)
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  for (int j = 0; j < 2; ++j) {
    const int q = P[(warp * 16 + j * 8 + g) * 4 + t];
    mma(d[j], a, four(q));
  }
  STORE(2)
}

// Tiles that do not pair; a value that lives on from tile to tile; one that is made otherwise
// for each: each tile by itself.
// CHECK-LABEL: odd(
// CHECK: lp::mma_m16n8k16_f32_f16_wave{{.*}}(d[j & ~1], d[j + 1 < 3 ? j | 1 : j], a, lp::bits<lp::words2>(four(q)), j, 3);
__global__ void __launch_bounds__(64) odd(const half *A, const int *P, float *C) {
  SETUP(3, warp * 16)
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  for (int j = 0; j < 3; ++j) {
    const int q = P[(j * 8 + g) * 4 + t];
    mma(d[j], a, four(q));
  }
  STORE(3)
}
// CHECK-LABEL: carried(
// CHECK: lp::mma_m16n8k16_f32_f16_wave{{.*}}(d[j], a, lp::bits<lp::words2>(four(q)));
__global__ void __launch_bounds__(64) carried(const half *A, const int *P, float *C) {
  SETUP(2, warp * 16)
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  int q = P[g * 4 + t];
  for (int j = 0; j < 2; ++j, q >>= 16)
    mma(d[j], a, four(q));
  STORE(2)
}
// CHECK-LABEL: byTile(
// CHECK: lp::mma_m16n8k16_f32_f16_wave{{.*}}(d[j], a, lp::bits<lp::words2>(four(q + j)));
__global__ void __launch_bounds__(64) byTile(const half *A, const int *P, float *C) {
  SETUP(2, warp * 16)
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  for (int j = 0; j < 2; ++j) {
    const int q = P[(j * 8 + g) * 4 + t];
    mma(d[j], a, four(q + j));
  }
  STORE(2)
}
// CHECK-LABEL: counted(
// CHECK: lp::mma_m16n8k16_f32_f16_wave{{.*}}(d[j], a, lp::bits<lp::words2>(four(q)));
__global__ void __launch_bounds__(64) counted(const half *A, const int *P, float *C) {
  SETUP(2, warp * 16)
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  for (int j = 0; j < 2; ++j) {
    int q = P[(j * 8 + g) * 4 + t];
    for (int n = 0; n < j; ++n)
      q >>= 4;
    mma(d[j], a, four(q));
  }
  STORE(2)
}
// CHECK-LABEL: behind(
// CHECK: lp::mma_m16n8k16_f32_f16_wave{{.*}}(d[j], a, lp::bits<lp::words2>(four(q)));
__global__ void __launch_bounds__(64) behind(const half *A, const int *P, float *C) {
  SETUP(2, warp * 16)
  uint32_t a[4] = {word(p), word(p + 128), word(p + 8), word(p + 136)};
  int q = 0;
  for (int j = 0; j < 2; ++j) {
    mma(d[j], a, four(q));
    q = P[(j * 8 + g) * 4 + t];
  }
  STORE(2)
}
