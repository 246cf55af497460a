// Functions, methods and loops that put operands together, where it cannot be followed which, or what
// from.
// RUN: %layout-port %s -o %t.hip --target gfx942 > %t.log 2>&1
// RUN: FileCheck %s < %t.log
#include <cuda_fp16.h>
#include <stdint.h>

__device__ uint32_t word(const half *p) { return *reinterpret_cast<const uint32_t *>(p); }

__device__ void mma(float (&c)[4], const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ void fillTwo(uint32_t (&b)[2][2], const half *p, int K, int lane) {
  for (int j = 0; j < 2; ++j) {
    b[j][0] = word(p + (j * 8 + lane / 4) * K + lane % 4 * 2);
    b[j][1] = word(p + (j * 8 + lane / 4) * K + lane % 4 * 2 + 8);
  }
}

// What another lane has read there it only knows itself.
struct FragA {
  uint32_t x[4];
  int row;
  __device__ void load(const half *p, int K, int lane) {
    for (int r = 0; r < 4; ++r)
      x[r] = word(p + (row + r % 2 * 8) * K + lane % 4 * 2 + r / 2 * 8);
  }
};
// CHECK-DAG: ofObject is not native: it shares a function that handles fragments with 'besideOthers', which is not ported alike
__global__ void __launch_bounds__(64) ofObject(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float c[2][4] = {};
  FragA a;
  a.row = warp * 16 + lane / 4;
  uint32_t b[2][2];
  fillTwo(b, B, K, lane);
  a.load(A, K, lane);
  for (int j = 0; j < 2; ++j)
    mma(c[j], a.x, b[j]);
  for (int j = 0; j < 2; ++j)
    C[threadIdx.x * 2 + j] = c[j][0];
}

// A turn goes on from where the last one stopped.
// CHECK-DAG: carried keeps 'a' in CUDA's layout and moves it for each product: 'a': its value assigns on the way
__global__ void __launch_bounds__(64) carried(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float c[2][4] = {};
  uint32_t a[4], b[2][2];
  const half *from = A + (warp * 16 + lane / 4) * K + lane % 4 * 2;
  for (int q = 0; q < 2; ++q) {
    const half *p = from;
    for (int h = 0; h < 2; ++h) {
      a[q * 2 + h] = word(p++ + h * 8 * K + q * 8);
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int q = 0; q < 2; ++q)
      b[j][q] = word(B + (j * 8 + lane / 4) * K + lane % 4 * 2 + q * 8);
  for (int j = 0; j < 2; ++j)
    mma(c[j], a, b[j]);
  for (int j = 0; j < 2; ++j)
    C[threadIdx.x * 2 + j] = c[j][0];
}

// CHECK-DAG: carriedInside keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64) carriedInside(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float c[2][4] = {};
  uint32_t a[4], b[2][2];
  for (int q = 0; q < 2; ++q) {
    int at = (warp * 16 + lane / 4 - 8) * K + lane % 4 * 2;
    for (int h = 0; h < 2; ++h) {
      at += 8 * K;
      a[q * 2 + h] = word(A + at + q * 8);
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int q = 0; q < 2; ++q)
      b[j][q] = word(B + (j * 8 + lane / 4) * K + lane % 4 * 2 + q * 8);
  for (int j = 0; j < 2; ++j)
    mma(c[j], a, b[j]);
  for (int j = 0; j < 2; ++j)
    C[threadIdx.x * 2 + j] = c[j][0];
}

// CHECK-DAG: besideOthers is not native: a loop puts an operand together and fills something else
__global__ void __launch_bounds__(64) besideOthers(const half *A, const half *B, float *C, unsigned *bits, int K) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float c[2][4] = {};
  uint32_t a[4], kept[4], b[2][2];
  for (int r = 0; r < 4; ++r) {
    a[r] = word(A + (warp * 16 + lane / 4 + r % 2 * 8) * K + lane % 4 * 2 + r / 2 * 8);
    kept[r] = word(B + r * 2);
  }
  fillTwo(b, B, K, lane);
  for (int j = 0; j < 2; ++j)
    mma(c[j], a, b[j]);
  for (int j = 0; j < 2; ++j)
    C[threadIdx.x * 2 + j] = c[j][0];
  bits[threadIdx.x] = kept[0] ^ kept[3];
}

// Registers that some turns leave out.
// CHECK-DAG: someOnly keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64) someOnly(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float c[2][4] = {};
  uint32_t a[4] = {}, b[2][2];
  for (int q = 0; q < 2; ++q)
    for (int h = 0; h < 2; ++h)
      a[q + h] = word(A + (warp * 16 + lane / 4 + h * 8) * K + lane % 4 * 2 + q * 8);
  for (int j = 0; j < 2; ++j)
    for (int q = 0; q < 2; ++q)
      b[j][q] = word(B + (j * 8 + lane / 4) * K + lane % 4 * 2 + q * 8);
  for (int j = 0; j < 2; ++j)
    mma(c[j], a, b[j]);
  for (int j = 0; j < 2; ++j)
    C[threadIdx.x * 2 + j] = c[j][0];
}

// The words that one of them has are read once more.
// CHECK-DAG: readTwice is not native: only some of the registers that ldmatrix fills do nothing but hand on what they got
__global__ void __launch_bounds__(64) readTwice(const half *A, const half *B, float *C, unsigned *bits, int K) {
  __shared__ __align__(16) half tile[16][24];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int i = threadIdx.x; i < 16 * 16; i += 64)
    tile[i / 16][i % 16] = B[i / 16 * K + i % 16];
  __syncthreads();
  float c[2][4] = {};
  uint32_t a[4], b[2][2], r0, r1, r2, r3;
  for (int r = 0; r < 4; ++r)
    a[r] = word(A + (warp * 16 + lane / 4 + r % 2 * 8) * K + lane % 4 * 2 + r / 2 * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
               : "r"((unsigned)__cvta_generic_to_shared(&tile[lane % 8 + lane / 16 * 8][lane / 8 % 2 * 8])));
  b[0][0] = r0;
  b[0][1] = r1;
  b[1][0] = r2;
  b[1][1] = r3;
  for (int j = 0; j < 2; ++j)
    mma(c[j], a, b[j]);
  for (int j = 0; j < 2; ++j)
    C[threadIdx.x * 2 + j] = c[j][0];
  bits[threadIdx.x] = r2;
}

// Which warps come to the product nobody knows: it is not sure that any does.
// CHECK-DAG: perhaps is not native: {{.*}}a condition on the thread: {{.*}}k < K / 2
__global__ void __launch_bounds__(64) perhaps(const half *A, const half *B, float *C, int K, int most) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t *p = reinterpret_cast<const uint32_t *>(A + (warp * 16 + lane / 4) * K);
  const uint32_t *q = reinterpret_cast<const uint32_t *>(B + lane / 4 * K);
  float c[4] = {};
  for (int k = lane % 4; k < K / 2; k += 8) {
    if (most < 0)
      continue;
    uint32_t a[4] = {p[k], p[4 * K + k], p[k + 4], p[4 * K + k + 4]};
    uint32_t b[2] = {q[k], q[k + 4]};
    mma(c, a, b);
  }
  C[threadIdx.x] = c[0];
}

// Each warp begins elsewhere.
// CHECK-DAG: byWarp is not native: {{.*}}a condition on the thread: {{.*}}k < K / 2
__global__ void __launch_bounds__(64) byWarp(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t *p = reinterpret_cast<const uint32_t *>(A + lane / 4 * K);
  const uint32_t *q = reinterpret_cast<const uint32_t *>(B + lane / 4 * K);
  float c[4] = {};
  for (int k = warp * 8 + lane % 4; k < K / 2; k += 16) {
    uint32_t a[4] = {p[k], p[4 * K + k], p[k + 4], p[4 * K + k + 4]};
    uint32_t b[2] = {q[k], q[k + 4]};
    mma(c, a, b);
  }
  C[threadIdx.x] = c[0];
}

// The last tile's words are asked for beside others of the thread's own.
// CHECK-DAG: besides keeps 'b' in CUDA's layout and moves it for each product: one load fills 'b' and variables that are no such operand
__global__ void __launch_bounds__(64) besides(const half *A, const half *B, float *C, unsigned *bits, int K) {
  __shared__ __align__(16) half tile[16][24];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int i = threadIdx.x; i < 16 * 16; i += 64)
    tile[i / 16][i % 16] = B[i / 16 * K + i % 16];
  __syncthreads();
  float c[2][4] = {};
  uint32_t a[4], b[2][2], y[2];
  for (int r = 0; r < 4; ++r)
    a[r] = word(A + (warp * 16 + lane / 4 + r % 2 * 8) * K + lane % 4 * 2 + r / 2 * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(b[0][0]), "=r"(b[0][1])
               : "r"((unsigned)__cvta_generic_to_shared(&tile[lane % 8][lane / 8 % 2 * 8])));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(y[0]), "=r"(y[1]), "=r"(b[1][0]), "=r"(b[1][1])
               : "r"((unsigned)__cvta_generic_to_shared(&tile[lane % 8 + lane / 16 * 8][lane / 8 % 2 * 8])));
  for (int j = 0; j < 2; ++j)
    mma(c[j], a, b[j]);
  for (int j = 0; j < 2; ++j)
    C[threadIdx.x * 2 + j] = c[j][0];
  bits[threadIdx.x] = y[0] ^ y[1];
}

// CHECK-DAG: twice keeps 'b' in CUDA's layout and moves it for each product: one load fills a register of 'b' twice
__global__ void __launch_bounds__(64) twice(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half tile[16][24];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int i = threadIdx.x; i < 16 * 16; i += 64)
    tile[i / 16][i % 16] = B[i / 16 * K + i % 16];
  __syncthreads();
  float c[2][4] = {};
  uint32_t a[4], b[2][2] = {};
  for (int r = 0; r < 4; ++r)
    a[r] = word(A + (warp * 16 + lane / 4 + r % 2 * 8) * K + lane % 4 * 2 + r / 2 * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(b[0][0]), "=r"(b[0][1]), "=r"(b[1][1]), "=r"(b[1][1])
               : "r"((unsigned)__cvta_generic_to_shared(&tile[lane % 8 + lane / 16 * 8][lane / 8 % 2 * 8])));
  for (int j = 0; j < 2; ++j)
    mma(c[j], a, b[j]);
  for (int j = 0; j < 2; ++j)
    C[threadIdx.x * 2 + j] = c[j][0];
}

// A function that calls itself.
__device__ void again(float (&c)[4], const uint32_t *a, const uint32_t *b, int turns) {
  again(c, a, b, turns - 1);
  mma(c, a, b);
}
// CHECK-DAG: recursive is not native: 'again' handles fragments and calls itself
__global__ void __launch_bounds__(64) recursive(const half *A, const half *B, float *C, int n) {
  const int lane = threadIdx.x % 32;
  float c[4] = {};
  uint32_t a[4], b[2];
  for (int r = 0; r < 4; ++r)
    a[r] = word(A + lane * 8 + r * 2);
  for (int r = 0; r < 2; ++r)
    b[r] = word(B + lane * 4 + r * 2);
  if (lane < n)
    again(c, a, b, n);
  C[threadIdx.x] = c[0];
}

