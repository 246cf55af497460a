// Functions that are handed sums by reference become part of the kernel before its arrays are split:
// clang is told so, but where the author told it already.
// RUN: %layout-port %s -o %t.hip --target gfx942 > %t.log 2>&1
// RUN: FileCheck %s --check-prefix=LOG < %t.log
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

// LOG: 7 native    its sums stay in registers once it is part of the kernel (first {{.*}}inlined.cu:32)
// LOG: compiled: gfx942 yes
#define DEVICE __device__
#define DEVICE_INLINE __device__ inline

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
using Sums = float[2][4];
using A = uint32_t[2][4];
using B = uint32_t[2];

// CHECK: {{^}}__device__ __forceinline__ void plain(Sums &d
__device__ void plain(Sums &d, const A &a, const B &b) {
  for (int i = 0; i < 2; ++i)
    mma(d[i], a[i], b);
}
// CHECK: {{^}}__device__ __forceinline__ void said(Sums &d
__device__ inline void said(Sums &d, const A &a, const B &b) {
  for (int i = 0; i < 2; ++i)
    mma(d[i], a[i], b);
}
// CHECK: {{^}}static __forceinline__ __device__ auto before(Sums &d
static inline __device__ auto before(Sums &d, const A &a, const B &b) -> void {
  for (int i = 0; i < 2; ++i)
    mma(d[i], a[i], b);
}
// CHECK: {{^}}DEVICE __forceinline__ void macro(Sums &d
DEVICE void macro(Sums &d, const A &a, const B &b) {
  for (int i = 0; i < 2; ++i)
    mma(d[i], a[i], b);
}
// CHECK: {{^}}DEVICE_INLINE void inMacro(Sums &d
DEVICE_INLINE void inMacro(Sums &d, const A &a, const B &b) {
  for (int i = 0; i < 2; ++i)
    mma(d[i], a[i], b);
}
// CHECK: {{^}}__device__ __forceinline__ void forced(Sums &d
__device__ __forceinline__ void forced(Sums &d, const A &a, const B &b) {
  for (int i = 0; i < 2; ++i)
    mma(d[i], a[i], b);
}
// CHECK: {{^}}__device__ void declared(Sums &d, const A &a, const B &b) {
__device__ void declared(Sums &d, const A &a, const B &b);
__device__ void declared(Sums &d, const A &a, const B &b) {
  for (int i = 0; i < 2; ++i)
    mma(d[i], a[i], b);
}
// CHECK: {{^}}__device__ __noinline__ void apart(Sums &d
__device__ __noinline__ void apart(Sums &d, const A &a, const B &b) {
  for (int i = 0; i < 2; ++i)
    mma(d[i], a[i], b);
}
// CHECK: {{^}}template <int N> __device__ __forceinline__ void counted(Sums &d
template <int N> __device__ void counted(Sums &d, const A &a, const B &b) {
  for (int i = 0; i < N; ++i)
    mma(d[i], a[i], b);
}
// CHECK: {{^}}__device__ __forceinline__ void handsOn(Sums &d
__device__ void handsOn(Sums &d, const A &a, const B &b) { plain(d, a, b); }
struct Tiles {
  Sums d;
  // CHECK: {{^}}  __device__ __forceinline__ void multiply(const A &a
  __device__ void multiply(const A &a, const B &b) {
    for (int i = 0; i < 2; ++i)
      mma(d[i], a[i], b);
  }
  // Without sums.
  // CHECK: {{^}}  __device__ void copy(half
  __device__ void copy(half *s, const half *from) { s[threadIdx.x] = from[threadIdx.x]; }
};

// CHECK-NOT: to_warp_layout
__global__ void __launch_bounds__(64) all(const half *from, float *C) {
  __shared__ half s[1024];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);
  Tiles t = {};
  Sums d = {};
  A a;
  B b;
  t.copy(s, from);
  __syncthreads();
  for (int i = 0; i < 2; ++i)
    ldsm4(a[i], base + warp * 1024 + i * 512 + lane * 16);
  ldsm2(b, base + lane % 16 * 16);
  plain(d, a, b);
  said(d, a, b);
  before(d, a, b);
  macro(d, a, b);
  inMacro(d, a, b);
  forced(d, a, b);
  declared(d, a, b);
  apart(d, a, b);
  counted<2>(d, a, b);
  handsOn(d, a, b);
  t.multiply(a, b);
  for (int i = 0; i < 2; ++i)
    for (int e = 0; e < 4; ++e)
      C[(warp * 32 + i * 16 + lane / 4 + e / 2 * 8) * 8 + lane % 4 * 2 + e % 2] = d[i][e] + t.d[i][e];
}
