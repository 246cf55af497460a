// Sums of rows by an mma of which one column is kept (RowSums.h), where they do not become
// values of rows: their operand is no result, the columns may differ, the function serves other
// places, or the warps of a wave may come to it apart.
//
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int LD = 40;

__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                    uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  const uint32_t s = (uint32_t)__cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(s));
}
#define ROWSUM(B)                                                                                  \
  asm volatile("{ .reg .f32 ph;\n"                                                                 \
               "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, ph, %1, ph}, "              \
               "{%2, %3, %4, %5}, {%6, %7}, {%8, 0., %9, 0.}; }"                                   \
               : "=f"(d[0]), "=f"(d[1])                                                            \
               : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(B), "r"(B), "f"(d[0]), "f"(d[1]))
// One text for each kernel, so that what is said of one says nothing of another.
#define FUNCTION(name)                                                                             \
  __device__ __forceinline__ void name(float *d, const uint32_t *p)
FUNCTION(sumsLoaded) {
  asm volatile("{ .reg .f32 ph;\n"
               "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, ph, %1, ph}, "
               "{%2, %3, %4, %5}, {%6, %7}, {%8, 0., %9, 0.}; }"
               : "=f"(d[0]), "=f"(d[1])
               : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(1006648320), "r"(1006648320),
                 "f"(d[0]), "f"(d[1]));
}
FUNCTION(sumsTwice) {
  asm volatile("{ .reg .f32 ph;\n"
               "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, ph, %1, ph}, "
               "{%2, %3, %4, %5}, {%6, %7}, {%8, 0., %9, 0.}; }"
               : "=f"(d[0]), "=f"(d[1])
               : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(1006648320), "r"(1006648320),
                 "f"(d[0]), "f"(d[1]));
}
FUNCTION(sumsInMacro) { ROWSUM(0x3c003c00); }

#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(64) name(const half *A, float *C, int n)
#define BEGIN                                                                                      \
  __shared__ __align__(16) half sa[48][LD];                                                        \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4 * 2;      \
  for (int e = threadIdx.x; e < 48 * 32; e += 64)                                                  \
    sa[e / 32][e % 32] = A[e];                                                                     \
  __syncthreads();                                                                                 \
  uint32_t a[4], b[4], p[4], v[4];                                                                 \
  float s[2][4] = {}, o[4] = {}, l[2] = {};
#define PACK                                                                                       \
  for (int i = 0; i < 4; ++i) {                                                                    \
    const half2 h = __floats2half2_rn(s[i / 2][i % 2 * 2], s[i / 2][i % 2 * 2 + 1]);               \
    p[i] = *(const uint32_t *)&h;                                                                  \
  }
#define STORE                                                                                      \
  for (int e = 0; e < 4; ++e)                                                                      \
    C[(warp * 16 + g + e / 2 * 8) * 8 + t + e % 2] = o[e] / (1.f + l[e / 2]);

// CHECK-DAG: ofLoaded {{.*}}: an mma with constants sums up rows of something else than results ({{.*}}sums_by_mma_refused.cu:
KERNEL(ofLoaded) {
  BEGIN
  ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
  ldsm4(b, &sa[32 + lane / 16 * 8 + lane % 8][lane / 8 % 2 * 8]);
  ldsm4(v, &sa[32 + lane / 16 * 8 + lane % 8][16 + lane / 8 % 2 * 8]);
  mma(s[0], a, b[0], b[1]);
  mma(s[1], a, b[2], b[3]);
  PACK
  sumsLoaded(l, a);
  mma(o, p, v[0], v[1]);
  STORE
}

// CHECK-DAG: behindToo {{.*}}: rows of results are summed up by an mma with constants: 'sumsTwice' is called elsewhere, too ({{.*}}sums_by_mma_refused.cu:
KERNEL(behindToo) {
  BEGIN
  ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
  ldsm4(b, &sa[32 + lane / 16 * 8 + lane % 8][lane / 8 % 2 * 8]);
  ldsm4(v, &sa[32 + lane / 16 * 8 + lane % 8][16 + lane / 8 % 2 * 8]);
  mma(s[0], a, b[0], b[1]);
  mma(s[1], a, b[2], b[3]);
  PACK
  sumsTwice(l, p);
  mma(o, p, v[0], v[1]);
  sumsTwice(l, v);
  STORE
}

// CHECK-DAG: inMacro {{.*}}: rows of results are summed up by an mma with constants: it stands in a macro or another file ({{.*}}sums_by_mma_refused.cu:
KERNEL(inMacro) {
  BEGIN
  ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
  ldsm4(b, &sa[32 + lane / 16 * 8 + lane % 8][lane / 8 % 2 * 8]);
  ldsm4(v, &sa[32 + lane / 16 * 8 + lane % 8][16 + lane / 8 % 2 * 8]);
  mma(s[0], a, b[0], b[1]);
  mma(s[1], a, b[2], b[3]);
  PACK
  sumsInMacro(l, p);
  mma(o, p, v[0], v[1]);
  STORE
}

// CHECK-DAG: apart is not native: the two warps of a wave may part at a condition on the thread: warp < n ({{.*}}sums_by_mma_refused.cu:
KERNEL(apart) {
  BEGIN
  ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
  ldsm4(b, &sa[32 + lane / 16 * 8 + lane % 8][lane / 8 % 2 * 8]);
  ldsm4(v, &sa[32 + lane / 16 * 8 + lane % 8][16 + lane / 8 % 2 * 8]);
  mma(s[0], a, b[0], b[1]);
  mma(s[1], a, b[2], b[3]);
  PACK
  mma(o, p, v[0], v[1]);
  if (warp < n)
    sumsLoaded(l, p);
  STORE
}

// The columns of its result may differ.
// CHECK-DAG: ofColumn is not native: an operand of mma.m16n8k16.f16 is not a register of a fragment variable ({{.*}}sums_by_mma_refused.cu:
__device__ __forceinline__ void firstColumns(float *d, const uint32_t *p, uint32_t w) {
  asm volatile("{ .reg .f32 ph;\n"
               "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, ph, %1, ph}, "
               "{%2, %3, %4, %5}, {%6, %6}, {%7, 0., %8, 0.}; }"
               : "=f"(d[0]), "=f"(d[1])
               : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(w), "f"(d[0]), "f"(d[1]));
}
KERNEL(ofColumn) {
  BEGIN
  ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
  ldsm4(b, &sa[32 + lane / 16 * 8 + lane % 8][lane / 8 % 2 * 8]);
  ldsm4(v, &sa[32 + lane / 16 * 8 + lane % 8][16 + lane / 8 % 2 * 8]);
  mma(s[0], a, b[0], b[1]);
  mma(s[1], a, b[2], b[3]);
  PACK
  firstColumns(l, p, v[lane % 4]);
  mma(o, p, v[0], v[1]);
  STORE
}
