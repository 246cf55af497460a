// Classes that give out registers in other ways than by the number of an element of their own: nothing
// is known of which they give.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
// RUN: %ported %t.hip | FileCheck %s --check-prefix=OUT
// OUT-NOT: lp::load_a
#include <cuda_fp16.h>
#include <stdint.h>

// CHECK-DAG: ofBase is not native: an operand of mma.m16n8k16.f16 is what 'operator[]' of 'Derived' returns: an element is followed of an array of its own, by the number that is given ({{.*}}accessors_refused.cu:[[@LINE+53]])
// CHECK-DAG: ofTurned is not native: an operand of mma.m16n8k16.f16 is what 'operator[]' of 'Turned' returns:
// CHECK-DAG: ofCounted is not native: an operand of mma.m16n8k16.f16 is what 'operator[]' of 'Counted' returns:
// CHECK-DAG: ofPointer is not native: an operand of mma.m16n8k16.f16 is what 'operator[]' of 'Pointer' returns:
// CHECK-DAG: ofTwice is not native: an operand of mma.m16n8k16.f16 is what 'operator()' of 'Twice' returns:
__device__ void ldsm4(uint32_t (&r)[4], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
}
__device__ void ldsm2(uint32_t (&r)[2], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
}
struct Base {
  float x[4];
};
struct Derived : Base {
  __device__ float &operator[](int i) { return x[i]; }
};
struct Turned {
  float x[4];
  __device__ float &operator[](int i) { return x[i ^ 2]; }
};
struct Counted {
  float x[4];
  int count;
  __device__ float &operator[](int i) { return ++count, x[i]; }
};
struct Pointer {
  float own[4];
  float *x = own;
  __device__ float &operator[](int i) { return x[i]; }
};
struct Twice {
  float x[4][4];
  __device__ float &operator()(int i) { return x[i][i]; }
};

#define SETUP                                                                                      \
  __shared__ half s[512];                                                                          \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);                                     \
  uint32_t a[4], b[2];
#define MMA(c0, c1, c2, c3)                                                                        \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "  \
               "{%8,%9}, {%0,%1,%2,%3};"                                                           \
               : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)                                            \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

__global__ void __launch_bounds__(64) ofBase(float *C) {
  SETUP
  ldsm4(a, base + lane * 16);
  ldsm2(b, base + (warp * 16 + lane % 16) * 16);
  Derived c;
  MMA(c[0], c[1], c[2], c[3]);
  C[threadIdx.x] = c[0];
}
__global__ void __launch_bounds__(64) ofTurned(float *C) {
  SETUP
  ldsm4(a, base + lane * 16);
  ldsm2(b, base + (warp * 16 + lane % 16) * 16);
  Turned c = {};
  MMA(c[0], c[1], c[2], c[3]);
  C[threadIdx.x] = c[0];
}
__global__ void __launch_bounds__(64) ofCounted(float *C) {
  SETUP
  ldsm4(a, base + lane * 16);
  ldsm2(b, base + (warp * 16 + lane % 16) * 16);
  Counted c = {};
  MMA(c[0], c[1], c[2], c[3]);
  C[threadIdx.x] = c[0];
}
__global__ void __launch_bounds__(64) ofPointer(float *C) {
  SETUP
  ldsm4(a, base + lane * 16);
  ldsm2(b, base + (warp * 16 + lane % 16) * 16);
  Pointer c = {};
  MMA(c[0], c[1], c[2], c[3]);
  C[threadIdx.x] = c[0];
}
__global__ void __launch_bounds__(64) ofTwice(float *C) {
  SETUP
  ldsm4(a, base + lane * 16);
  ldsm2(b, base + (warp * 16 + lane % 16) * 16);
  Twice c = {};
  MMA(c(0), c(1), c(2), c(3));
  C[threadIdx.x] = c(0);
}
