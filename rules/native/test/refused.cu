// What keeps a kernel from being native, by name and line; it is bridged then.
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

__device__ uint32_t word(const half *p) { return *reinterpret_cast<const uint32_t *>(p); }

#define SETUP                                                                                      \
  __shared__ half s[512];                                                                          \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);                                     \
  float c[4] = {};                                                                                 \
  uint32_t a[4], b[2];

// CHECK-DAG: oneWarp is not native: the two warps of a wave may part at a condition on the thread: threadIdx.x < 32 ({{.*}}refused.cu:[[@LINE+4]])
__global__ void __launch_bounds__(64) oneWarp(float *C) {
  SETUP
  ldsm2(b, base + lane % 16 * 16);
  if (threadIdx.x < 32) {
    ldsm4(a, base + lane * 16);
    mma(c, a, b);
  }
  C[threadIdx.x] = c[0];
}

// CHECK-DAG: bounded_by_n is not native: the two warps of a wave may part at a condition on the thread: threadIdx.x / 4 < n ({{.*}}refused.cu:[[@LINE+3]])
__global__ void __launch_bounds__(64) bounded_by_n(float *C, int n) {
  SETUP
  if (threadIdx.x / 4 < n) {
    ldsm4(a, base + lane * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
  }
  C[threadIdx.x] = c[0];
}

// CHECK-DAG: scaled is not native: 'c' is used between the products: rows r and r + 8 of a tile are not treated alike in 'c' ({{.*}}refused.cu:[[@LINE+7]])
__global__ void __launch_bounds__(64) scaled(float *C) {
  SETUP
  for (int k = 0; k < 2; ++k) {
    ldsm4(a, base + lane * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    c[0] *= 0.5f;
  }
  C[threadIdx.x] = c[0];
}

// CHECK-DAG: launched is not native: it is launched with 96 threads a block, which leaves half a wave
__global__ void launched(float *C) {
  SETUP
  ldsm4(a, base + lane * 16);
  ldsm2(b, base + (warp * 16 + lane % 16) * 16);
  mma(c, a, b);
  C[threadIdx.x] = c[0];
}
void run(float *C) { launched<<<1, 96>>>(C); }

// CHECK-DAG: bounded is not native: __launch_bounds__ of 32 threads leaves half a wave
__global__ void __launch_bounds__(32) bounded(float *C) {
  SETUP
  ldsm4(a, base + lane * 16);
  ldsm2(b, base + (warp * 16 + lane % 16) * 16);
  mma(c, a, b);
  C[threadIdx.x] = c[0];
}

// CHECK-DAG: drawn is not native: the two warps of a wave may part at a condition on the thread: tile < n ({{.*}}refused.cu:[[@LINE+6]])
__global__ void __launch_bounds__(64) drawn(float *C, int *next, int n) {
  SETUP
  int tile = 0;
  if (lane == 0)
    tile = atomicAdd(next, 1);
  while (tile < n) {
    ldsm4(a, base + lane * 16);
    ldsm2(b, base + (warp * 16 + lane % 16) * 16);
    mma(c, a, b);
    tile += 8;
  }
  C[threadIdx.x] = c[0];
}

// CHECK-DAG: picked is not native: a fragment is chosen by a value of the thread: (j + warp) & 1 ({{.*}}refused.cu:[[@LINE+8]])
__global__ void __launch_bounds__(64) picked(float *C) {
  SETUP
  uint32_t two[2][2];
  ldsm4(a, base + lane * 16);
  for (int j = 0; j < 2; ++j)
    ldsm2(two[j], base + (j * 16 + lane % 16) * 16);
  for (int j = 0; j < 2; ++j)
    mma(c, a, two[(j + warp) & 1]);
  C[threadIdx.x] = c[0];
}

// Functions that read the thread's index and cannot be told whose: an argument is left out, another
// of the name would be meant, or it is PTX that reads; and one that is named, not called.
// CHECK-DAG: byArgument keeps 'a' in CUDA's layout and moves it for each product: the address is computed by 'rowBehind', which reads the thread's index itself
// CHECK-DAG: ofTwo keeps 'a' in CUDA's layout and moves it for each product: the address is computed by 'oneOfTwo', which reads the thread's index itself
// CHECK-DAG: fromPtx keeps 'a' in CUDA's layout and moves it for each product: the address is computed by 'rowFromPtx', which reads the thread's index itself
// CHECK-DAG: byName is not native: 'rowNamed', which reads the thread's index itself, is named where it is not called
__device__ int rowBehind(int first, int rows = 16) {
  return (threadIdx.x % rows ^ threadIdx.x / 16 % 2 * 3) + first;
}
__device__ int oneOfTwo(int first) { return (threadIdx.x % 16 ^ threadIdx.x / 16 % 2) + first; }
__device__ int oneOfTwo(int first, unsigned by) { return by + first; }
__device__ int rowFromPtx(int first) {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return (lane % 16 ^ lane / 16) + first;
}
__device__ int rowNamed(int first) { return (threadIdx.x % 16 ^ threadIdx.x / 16 % 2) + first; }
__global__ void __launch_bounds__(64) byArgument(float *C) {
  SETUP
  ldsm4(a, base + rowBehind(8) * 16);
  ldsm2(b, base + lane % 16 * 16);
  mma(c, a, b);
  C[threadIdx.x] = c[0];
}
__global__ void __launch_bounds__(64) ofTwo(float *C) {
  SETUP
  ldsm4(a, base + oneOfTwo(8) * 16);
  ldsm2(b, base + lane % 16 * 16);
  mma(c, a, b);
  C[threadIdx.x] = c[0];
}
__global__ void __launch_bounds__(64) fromPtx(float *C) {
  SETUP
  ldsm4(a, base + rowFromPtx(8) * 16);
  ldsm2(b, base + lane % 16 * 16);
  mma(c, a, b);
  C[threadIdx.x] = c[0];
}
__global__ void __launch_bounds__(64) byName(float *C) {
  SETUP
  ldsm4(a, base + rowNamed(8) * 16);
  ldsm2(b, base + lane % 16 * 16);
  mma(c, a, b);
  int (*named)(int) = rowNamed;
  C[threadIdx.x] = c[0] + named(0);
}

// CHECK-DAG: doubles is not native: between the products of mma.m16n8k4.f64 other code works on results of 64 bits
__global__ void __launch_bounds__(64) doubles(double *C, const double *A, const double *B) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  double d[4] = {};
  for (int k = 0; k < 64; k += 4) {
    double a[2], b[1];
    a[0] = A[(lane / 4) * 64 + k + lane % 4];
    a[1] = A[(lane / 4 + 8) * 64 + k + lane % 4];
    b[0] = B[(warp * 8 + lane / 4) * 64 + k + lane % 4];
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 "
                 "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                 : "d"(a[0]), "d"(a[1]), "d"(b[0]));
    for (int e = 0; e < 4; ++e)
      d[e] *= 0.5;
  }
  for (int e = 0; e < 4; ++e)
    C[threadIdx.x * 4 + e] = d[e];
}

// Four products of eight threads each, whose A has four rows a lane.
// CHECK-DAG: quads is not native: mma.m8n8k4.f16.col.col.f32 has an operand that lies across the lanes of four 4x4 blocks
// CHECK-DAG: quadsTwice is not native: 'd' of another product is an operand of mma.m8n8k4.f16.row.col.f16
// CHECK-DAG: quadsScaled is not native: 'd' is used between the products
#define QUADS(ORDER, D, A)                                                                  \
  asm volatile("mma.sync.aligned.m8n8k4." ORDER ".f32.f16.f16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, " \
               "{%10,%11}, {%0,%1,%2,%3,%4,%5,%6,%7};"                                      \
               : "+f"(D[0]), "+f"(D[1]), "+f"(D[2]), "+f"(D[3]), "+f"(D[4]), "+f"(D[5]),     \
                 "+f"(D[6]), "+f"(D[7])                                                      \
               : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]))
__global__ void __launch_bounds__(64) quads(float *C) {
  SETUP
  float d[8] = {};
  ldsm4(a, base + lane * 16);
  QUADS("col.col", d, a);
  C[threadIdx.x] = d[0];
}

// The sums of one are the rows of the next.
__global__ void __launch_bounds__(64) quadsTwice(uint32_t *C) {
  SETUP
  uint32_t d[2][4] = {}, f[4] = {};
#define HALF_QUADS(D, A)                                                                    \
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%0,%1,%2,%3}, {%4,%5}, "   \
               "{%6,%7}, {%0,%1,%2,%3};"                                                    \
               : "+r"(D[0]), "+r"(D[1]), "+r"(D[2]), "+r"(D[3])                             \
               : "r"(A[0]), "r"(A[1]), "r"(b[0]), "r"(b[1]))
  ldsm4(a, base + lane * 16);
  b[0] = a[2], b[1] = a[3];
  HALF_QUADS(d[0], a);
  HALF_QUADS(f, d[0]);
  C[threadIdx.x] = f[0];
}

// Registers mean other rows and columns than CUDA's while it multiplies.
__global__ void __launch_bounds__(64) quadsScaled(float *C, const float *scale) {
  SETUP
  float d[8] = {};
  for (int k = 0; k < 4; ++k) {
    ldsm4(a, base + k * 512 + lane * 16);
    QUADS("row.col", d, a);
    for (int e = 0; e < 8; ++e)
      d[e] *= scale[e];
  }
  C[threadIdx.x] = d[0];
}

// CHECK-DAG: macroFills keeps 'b' in CUDA's layout and moves it for each product: 'b' is put together in a macro ({{.*}}refused.cu:[[@LINE+5]])
#define FILL_AND_STORE b[0] = word(s + lane); b[1] = word(s + lane + 32); C[lane] = 0
__global__ void __launch_bounds__(64) macroFills(float *C) {
  SETUP
  ldsm4(a, base + lane * 16);
  FILL_AND_STORE;
  mma(c, a, b);
  C[threadIdx.x] = c[0];
}

// A function that puts an operand together and reads what it has filled.
// CHECK-DAG: readsItsOwn keeps 'b' in CUDA's layout and moves it for each product: 'f' is an array or struct of the thread's own ({{.*}}refused.cu:[[@LINE+1]])
__device__ void fillTwice(uint32_t *f, const half *p) { f[0] = word(p); f[1] = f[0]; }
__global__ void __launch_bounds__(64) readsItsOwn(float *C) {
  SETUP
  ldsm4(a, base + lane * 16);
  fillTwice(b, s + lane);
  mma(c, a, b);
  C[threadIdx.x] = c[0];
}

// A name that begins like those of CUDA's makers says nothing of what a function does.
// CHECK-DAG: makesItself keeps 'made' in CUDA's layout and moves it for each product: operand B of mma.m16n8k16.f16 is neither read by ldmatrix nor put together in one place
__device__ uint2 make_swapped(uint32_t lower, uint32_t upper) { return make_uint2(upper, lower); }
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], uint2 b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b.x), "r"(b.y));
}
__global__ void __launch_bounds__(64) makesItself(float *C) {
  SETUP
  ldsm4(a, base + lane * 16);
  const uint2 made = make_swapped(word(s + lane), word(s + lane + 32));
  mma(c, a, made);
  C[threadIdx.x] = c[0];
}
