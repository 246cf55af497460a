// Products that are operators, and operands that functions return, where what is handed back is used,
// where more is returned than is put together, or where a function is left on the way.
// RUN: %layout-port %s -o %t.hip --target gfx942 > %t.log 2>&1
// RUN: FileCheck %s < %t.log
#include <cuda_fp16.h>
#include <stdint.h>

struct FragA {
  uint32_t r[4];
};
struct FragB {
  uint32_t r[2];
};
struct Wide {
  uint32_t r[4];
  int columns;
};
struct FragC {
  float x[4];
};
struct Product {
  const FragA &a;
  const FragB &b;
};
__device__ Product operator*(const FragA &a, const FragB &b) { return {a, b}; }
__device__ FragC &operator+=(FragC &c, const Product &p) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c.x[0]), "+f"(c.x[1]), "+f"(c.x[2]), "+f"(c.x[3])
               : "r"(p.a.r[0]), "r"(p.a.r[1]), "r"(p.a.r[2]), "r"(p.a.r[3]), "r"(p.b.r[0]),
                 "r"(p.b.r[1]));
  return c;
}
__device__ void multiply(FragC &c, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c.x[0]), "+f"(c.x[1]), "+f"(c.x[2]), "+f"(c.x[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
// Nothing behind the first return is done.
template <bool IsOff> __device__ void multiplyUnless(FragC &c, const FragA &a, const uint32_t *b) {
  if constexpr (IsOff)
    return;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c.x[0]), "+f"(c.x[1]), "+f"(c.x[2]), "+f"(c.x[3])
               : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "r"(b[0]), "r"(b[1]));
}
__device__ uint32_t word(const half *p) { return *(const uint32_t *)p; }
__device__ FragA loadA(const half *p, int lane) {
  FragA a;
  for (int i = 0; i < 4; ++i)
    a.r[i] = word(p + (lane / 4 + i % 2 * 8) * 16 + lane % 4 * 2 + i / 2 * 8);
  return a;
}
__device__ FragB loadB(const half *p, int lane) {
  FragB b;
  for (int i = 0; i < 2; ++i)
    b.r[i] = word(p + lane / 4 * 16 + lane % 4 * 2 + i * 8);
  return b;
}
__device__ Wide loadWide(const half *p, int lane) {
  Wide a;
  for (int i = 0; i < 4; ++i)
    a.r[i] = word(p + (lane / 4 + i % 2 * 8) * 16 + lane % 4 * 2 + i / 2 * 8);
  return a;
}

#define BEGIN                                                                                      \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  FragC c = {};
#define END                                                                                        \
  for (int e = 0; e < 4; ++e)                                                                      \
    C[(warp * 16 + lane / 4 + e / 2 * 8) * 8 + lane % 4 * 2 + e % 2] = c.x[e];

__global__ void __launch_bounds__(64) usesBack(const half *A, const half *B, float *C) {
  BEGIN
  const FragA a = loadA(A + warp * 256, lane);
  const FragB b = loadB(B, lane);
  // CHECK-DAG: usesBack is not native: what 'operator+=' hands back is used in an expression
  C[512 + threadIdx.x] = (c += a * b).x[0];
  END
}

__global__ void __launch_bounds__(64) moreThanThat(const half *A, const half *B, float *C) {
  BEGIN
  // CHECK-DAG: moreThanThat keeps 'a.r' in CUDA's layout and moves it for each product: {{.*}}'a.r' is returned with more than is put together
  const Wide a = loadWide(A + warp * 256, lane);
  const FragB b = loadB(B, lane);
  multiply(c, a.r, b.r);
  END
}

// CHECK-DAG: leaves is not native: it handles fragments, and no product of them is in reach
__global__ void __launch_bounds__(64) leaves(const half *A, const half *B, float *C) {
  BEGIN
  const FragA a = loadA(A + warp * 256, lane);
  const FragB b = loadB(B, lane);
  multiplyUnless<true>(c, a, b.r);
  END
}
