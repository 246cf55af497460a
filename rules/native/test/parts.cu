// Structs of fragments, vectors as registers, methods and functions that only fill: what of
// them keeps a kernel from being native, by name and line.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

struct Fragments {
  uint32_t a[4], b[2];
  float c[4];
  __device__ void multiply() {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

__device__ void ldsm4(uint32_t (&r)[4], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
}
__device__ void ldsm2(uint32_t (&r)[2], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
}
__device__ void mma(float4 &d, const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d.x), "+f"(d.y), "+f"(d.z), "+f"(d.w)
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#define SETUP                                                                                      \
  __shared__ half s[512];                                                                          \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);

// CHECK-NOT: partsAreTold is not native
__global__ void __launch_bounds__(64) partsAreTold(float *C) {
  SETUP
  Fragments f;
  for (int e = 0; e < 4; ++e)
    f.c[e] = 0.f;
  ldsm4(f.a, base + (warp * 16 + lane % 16) * 16);
  ldsm2(f.b, base + lane % 16 * 16);
  f.multiply();
  C[threadIdx.x] = f.c[0];
}

// CHECK-DAG: operandIsRead keeps 'f.a' in CUDA's layout and moves it for each product: 'f.a' is an operand and is used by other code ({{.*}}parts.cu:[[@LINE+9]])
__global__ void __launch_bounds__(64) operandIsRead(float *C) {
  SETUP
  Fragments f;
  for (int e = 0; e < 4; ++e)
    f.c[e] = 0.f;
  ldsm4(f.a, base + (warp * 16 + lane % 16) * 16);
  ldsm2(f.b, base + lane % 16 * 16);
  f.multiply();
  C[threadIdx.x] = f.c[0] + f.a[0];
}

// CHECK-DAG: copied keeps 'f.a' in CUDA's layout and moves it for each product: 'f.a' is an operand and is used by other code ({{.*}}parts.cu:[[@LINE+9]])
__global__ void __launch_bounds__(64) copied(float *C) {
  SETUP
  Fragments f;
  for (int e = 0; e < 4; ++e)
    f.c[e] = 0.f;
  ldsm4(f.a, base + (warp * 16 + lane % 16) * 16);
  ldsm2(f.b, base + lane % 16 * 16);
  f.multiply();
  Fragments g = f;
  C[threadIdx.x] = g.c[0];
}

// CHECK-DAG: unequalVector is not native: the registers of 'd' begin with different values ({{.*}}parts.cu:[[@LINE+3]])
__global__ void __launch_bounds__(64) unequalVector(float *C) {
  SETUP
  float4 d = make_float4(0.f, 0.f, 0.f, 1.f);
  uint32_t a[4], b[2];
  ldsm4(a, base + (warp * 16 + lane % 16) * 16);
  ldsm2(b, base + lane % 16 * 16);
  mma(d, a, b);
  C[threadIdx.x] = d.x;
}

// What comes out of a function of constants is no constant.
__device__ float4 start(int n) { return make_float4(n, threadIdx.x, n, n); }

// CHECK-DAG: startedElsewhere is not native: the registers of 'd' begin with different values ({{.*}}parts.cu:[[@LINE+3]])
__global__ void __launch_bounds__(64) startedElsewhere(float *C) {
  SETUP
  float4 d = start(0);
  uint32_t a[4], b[2];
  ldsm4(a, base + (warp * 16 + lane % 16) * 16);
  ldsm2(b, base + lane % 16 * 16);
  mma(d, a, b);
  C[threadIdx.x] = d.x;
}
