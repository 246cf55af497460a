// Masks in functions and by objects that cannot be computed for another lane: by name and reason.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
// RUN: %ported %t.hip | FileCheck %s --check-prefix=OUT
// OUT-NOT: of_element
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
  float c[4] = {};                                                                                 \
  uint32_t a[4], b[2];

// One for each kernel: whoever shares one is refused for that.
__device__ void cutBehind(float (&c)[4], int first) {
  for (int r = 0; r < 4; ++r)
    if (first + r % 2 > 5)
      c[r] = 0.f;
}
// CHECK-DAG: behind is not native: 'c' is used between the products: 'first + r % 2 > 5' depends on the lane: it is not in the kernel's own text, and 'cutBehind' is called behind the products, too
__global__ void __launch_bounds__(64) behind(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    cutBehind(c, lane % 4 * 2);
  }
  cutBehind(c, lane % 4 * 2);
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

__device__ void cutTwice(float (&c)[4], int first) {
  for (int r = 0; r < 4; ++r)
    if (first + r % 2 > 5)
      c[r] = 0.f;
}
__device__ void cutTwice(float (&c)[4], float) { c[0] = c[2] = 0.f; }
// CHECK-DAG: overloaded is not native: 'c' is used between the products: 'first + r % 2 > 5' depends on the lane: it is not in the kernel's own text, and 'cutTwice' is not the only function of its name
__global__ void __launch_bounds__(64) overloaded(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    cutTwice(c, lane % 4 * 2);
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

__device__ void cutWalking(float (&c)[4], int first) {
  for (int r = 0; r < 4; ++r)
    if (first + r % 2 > 5)
      c[r] = 0.f;
}
// CHECK-DAG: walking is not native: 'c' is used between the products: 'first + r % 2 > 5' depends on the lane: 'first' is 'walk', and it uses 'walk', which cannot be computed anew for another lane
__global__ void __launch_bounds__(64) walking(float *C, int n) {
  SETUP
  int walk = lane % 4;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    cutWalking(c, walk);
    walk += 2;
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

__device__ void cutMoving(float (&c)[4], int first) {
  for (int r = 0; r < 4; ++r) {
    if (first > 5)
      c[r] = 0.f;
    first += r % 2;
  }
}
// CHECK-DAG: moving is not native: 'c' is used between the products: 'first > 5' depends on the lane: 'first' is handed in a way that it cannot be asked for
__global__ void __launch_bounds__(64) moving(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    cutMoving(c, lane % 4);
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

__device__ void cutRow(float (&c)[4], int h, int first) {
  for (int e = 0; e < 2; ++e)
    if (first + e > 5)
      c[h * 2 + e] = 0.f;
}
// Which of the rows it is the kernel's loop says.
// CHECK-DAG: rowByRow is not native: 'c' is used between the products: 'first + e > 5' depends on the lane: what it hangs on is in another function
__global__ void __launch_bounds__(64) rowByRow(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    for (int h = 0; h < 2; ++h)
      cutRow(c, h, lane / 4 + h * 8);
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: lambdaOfThread is not native: 'c' is used between the products: 'isFar(r)' depends on the lane: it calls 'isFar', which reads 'lane'
__global__ void __launch_bounds__(64) lambdaOfThread(float *C, int n) {
  SETUP
  auto isFar = [&](int r) { return lane / 4 + r / 2 * 8 > 5; };
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      if (isFar(r))
        c[r] = 0.f;
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: lambdaOfIndex is not native: 'c' is used between the products: 'isFar(r)' depends on the lane: it calls 'isFar', which asks its thread
__global__ void __launch_bounds__(64) lambdaOfIndex(float *C, int n) {
  SETUP
  auto isFar = [](int r) { return int(threadIdx.x) % 32 / 4 + r / 2 * 8 > 5; };
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      if (isFar(r))
        c[r] = 0.f;
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: counted is not native: 'c' is used between the products: 'isFar(lane / 4 + r / 2 * 8)' depends on the lane: it changes something where it is computed, which other lanes cannot do again
__global__ void __launch_bounds__(64) counted(float *C, int n) {
  SETUP
  int asked = 0;
  auto isFar = [&](int row) { return ++asked > row; };
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      if (isFar(lane / 4 + r / 2 * 8))
        c[r] = 0.f;
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3] + asked;
}

// CHECK-DAG: copied is not native: 'c' is used between the products: 'isFar(lane / 4 + r / 2 * 8)' depends on the lane: it calls 'isFar', which reads 'bound'
__global__ void __launch_bounds__(64) copied(float *C, int n) {
  SETUP
  int bound = 3;
  auto isFar = [=](int row) { return row > bound; };
  bound = n;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      if (isFar(lane / 4 + r / 2 * 8))
        c[r] = 0.f;
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3] + bound;
}

// Between rows r and r + 8 other lanes are waited for, which may have written. (A shuffle alone orders
// nothing in memory.)
// CHECK-DAG: rereads is not native: 'c' is used between the products: 'M[lane / 4 + h * 8]' depends on the lane: it reads memory, which may be written from one half of the rows to the other
__global__ void __launch_bounds__(64) rereads(float *C, const float *M, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 16);
    ldsm2(b, base + lane % 16 * 16);
    mma(c, a, b);
    for (int h = 0; h < 2; ++h) {
      c[h * 2] += M[lane / 4 + h * 8];
      c[h * 2] += __shfl_xor_sync(~0u, c[h * 2], 1);
      __syncwarp();
    }
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}
