// A function that changes a struct that it is handed by value: what it has then is not what the call
// says, for addresses and for conditions.
//
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int LD = 40;

__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void ldsm2(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
struct Place {
  int lane, row;
  __device__ void up() { row += 1; }
};
struct Warp { int number; };

// Of a member, by a method, as a whole.
__device__ void loadMember(uint32_t (&a)[4], const half *s, Place p, int k) {
  p.row *= 16;
  ldsm4(a, s + (p.row + p.lane % 16) * LD + k + p.lane / 16 * 8);
}
__device__ void loadByMethod(uint32_t (&a)[4], const half *s, Place p, int k) {
  p.up();
  ldsm4(a, s + (p.row + p.lane % 16) * LD + k + p.lane / 16 * 8);
}
__device__ void loadWhole(uint32_t (&a)[4], const half *s, Place p, int k) {
  p = Place{p.lane, p.row + 1};
  ldsm4(a, s + (p.row + p.lane % 16) * LD + k + p.lane / 16 * 8);
}
__device__ void multiply(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2], Warp w) {
  w.number = threadIdx.x / 32;
  if (w.number == 0)
    mma(c, a, b);
}

#define KERNEL(name) __global__ void __launch_bounds__(64) name(const half *A, float *C)
#define BEGIN                                                                                      \
  __shared__ __align__(16) half s[34 * LD];                                                        \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  for (int i = threadIdx.x; i < 34 * LD; i += 64)                                                  \
    s[i] = A[i];                                                                                   \
  __syncthreads();                                                                                 \
  const Place place{lane, warp};                                                                   \
  uint32_t a[4], b[2];                                                                             \
  float c[4] = {};
#define STORE                                                                                      \
  for (int e = 0; e < 4; ++e)                                                                      \
    C[(warp * 16 + lane / 4 + e / 2 * 8) * 8 + lane % 4 * 2 + e % 2] = c[e];

// CHECK-DAG: ofMember keeps 'a' in CUDA's layout and moves it for each product: 'p' is an array or struct of the thread's own ({{.*}}by_value_changed.cu:
KERNEL(ofMember) {
  BEGIN
  for (int k = 0; k < 32; k += 16) {
    loadMember(a, s, place, k);
    ldsm2(b, s + lane % 8 * LD + k + lane / 8 % 2 * 8);
    mma(c, a, b);
  }
  STORE
}

// CHECK-DAG: byMethod keeps 'a' in CUDA's layout and moves it for each product: 'p' is an array or struct of the thread's own ({{.*}}by_value_changed.cu:
KERNEL(byMethod) {
  BEGIN
  for (int k = 0; k < 32; k += 16) {
    loadByMethod(a, s, place, k);
    ldsm2(b, s + lane % 8 * LD + k + lane / 8 % 2 * 8);
    mma(c, a, b);
  }
  STORE
}

// CHECK-DAG: asWhole keeps 'a' in CUDA's layout and moves it for each product: 'p' is an array or struct of the thread's own ({{.*}}by_value_changed.cu:
KERNEL(asWhole) {
  BEGIN
  for (int k = 0; k < 32; k += 16) {
    loadWhole(a, s, place, k);
    ldsm2(b, s + lane % 8 * LD + k + lane / 8 % 2 * 8);
    mma(c, a, b);
  }
  STORE
}

// CHECK-DAG: parted is not native: the two warps of a wave may part at a condition on the thread: w.number == 0 ({{.*}}by_value_changed.cu:
KERNEL(parted) {
  BEGIN
  for (int k = 0; k < 32; k += 16) {
    ldsm4(a, s + (warp * 16 + lane % 16) * LD + k + lane / 16 * 8);
    ldsm2(b, s + lane % 8 * LD + k + lane / 8 % 2 * 8);
    multiply(c, a, b, Warp{0});
  }
  STORE
}
