// Registers that are variables of their own, and what keeps them from being one fragment.
//
// RUN: %layout-port %s -o %t.hip --target gfx90a,gfx942,gfx950 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=HIP --input-file=%t.hip
#include <cuda_runtime.h>
#include <stdint.h>

#define LDSM4(R0, R1, R2, R3, addr)                                                        \
  asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0,%1,%2,%3}, [%4];"             \
               : "=r"(R0), "=r"(R1), "=r"(R2), "=r"(R3) : "r"(addr))
#define MMA(D, A0, A1, A2, A3, B0, B1)                                                     \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "         \
               "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                                    \
               : "+f"(D[0]), "+f"(D[1]), "+f"(D[2]), "+f"(D[3])                            \
               : "r"(A0), "r"(A1), "r"(A2), "r"(A3), "r"(B0), "r"(B1))
#define SETUP                                                                              \
  extern __shared__ uint32_t s[];                                                          \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;  \
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s) + warp * 1024;               \
  const uint32_t shared = (uint32_t)__cvta_generic_to_shared(s) + 4096 + lane * 16;        \
  float c[4] = {};

// HIP-LABEL: void {{.*}}loaded(
// HIP: lp::load_a{{.*}}(lp::scalars(a0, a1, a2, a3), [&](int lane, int)
// HIP: lp::load_b{{.*}}(lp::scalars(b0, b1),
// HIP: lp::load_b{{.*}}(lp::scalars(b2, b3),
// HIP: (c, lp::scalars(a0, a1, a2, a3), lp::scalars(b0, b1));
// HIP: (d, lp::scalars(a0, a1, a2, a3), lp::scalars(b2, b3));
__global__ void __launch_bounds__(64) loaded(float *C) {
  SETUP
  float d[4] = {};
  uint32_t a0, a1, a2, a3, b0, b1, b2, b3;
  LDSM4(a0, a1, a2, a3, base + lane * 16);
  LDSM4(b0, b1, b2, b3, shared);
  MMA(c, a0, a1, a2, a3, b0, b1);
  MMA(d, a0, a1, a2, a3, b2, b3);
  C[threadIdx.x] = c[0] + d[0];
}

// Sums go back where they are read, whatever they are called.
// HIP-LABEL: void {{.*}}summed(
// HIP: lp::to_warp_layout(lp::scalars(x, y, z, w));
// HIP-NEXT: C[threadIdx.x] = x + w;
__global__ void __launch_bounds__(64) summed(float *C) {
  SETUP
  uint32_t a[4], b[4];
  float x = 0, y = 0, z = 0, w = 0;
  LDSM4(a[0], a[1], a[2], a[3], base + lane * 16);
  LDSM4(b[0], b[1], b[2], b[3], shared);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(x), "+f"(y), "+f"(z), "+f"(w)
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  C[threadIdx.x] = x + w;
}

// HIP-LABEL: void {{.*}}assigned(
// HIP: lp::gather_b(lp::scalars(b0, b1), [&](int lane, int, int r) {
// HIP: return r == 0 ? s[g * 8 + t] : s[g * 8 + t + 4];
__global__ void __launch_bounds__(64) assigned(float *C) {
  SETUP
  uint32_t a0, a1, a2, a3, b0, b1;
  a0 = s[(warp * 16 + g) * 8 + t];
  a1 = s[(warp * 16 + g + 8) * 8 + t];
  a2 = s[(warp * 16 + g) * 8 + t + 4];
  a3 = s[(warp * 16 + g + 8) * 8 + t + 4];
  b0 = s[g * 8 + t];
  b1 = s[g * 8 + t + 4];
  MMA(c, a0, a1, a2, a3, b0, b1);
  C[threadIdx.x] = c[0];
}

// CHECK-DAG: twoPlaces keeps 'b1' in CUDA's layout and moves it for each product: the registers of mma.m16n8k16.f16 are not one array in order
__global__ void __launch_bounds__(64) twoPlaces(float *C) {
  SETUP
  float d[4] = {};
  uint32_t a0, a1, a2, a3, b0, b1;
  LDSM4(a0, a1, a2, a3, base + lane * 16);
  b0 = s[g], b1 = s[g + 1];
  MMA(c, a0, a1, a2, a3, b0, b1);
  MMA(d, a0, a1, a2, a3, b1, b0);
  C[threadIdx.x] = c[0] + d[0];
}

// Half of what another product takes.
// CHECK-DAG: halfATile keeps 'a0' in CUDA's layout and moves it for each product: the registers of mma.m16n8k8.f16 are not one array in order
__global__ void __launch_bounds__(64) halfATile(float *C) {
  SETUP
  float d[4] = {};
  uint32_t a0, a1, a2, a3, b0, b1, b2, b3;
  LDSM4(a0, a1, a2, a3, base + lane * 16);
  LDSM4(b0, b1, b2, b3, shared);
  MMA(c, a0, a1, a2, a3, b0, b1);
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
               "{%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a0), "r"(a1), "r"(b2));
  C[threadIdx.x] = c[0] + d[0];
}

// CHECK-DAG: alsoRead keeps 'a0' in CUDA's layout and moves it for each product: 'a0' is an operand and is used by other code ({{.*}}scalars.cu:[[@LINE+6]])
__global__ void __launch_bounds__(64) alsoRead(float *C) {
  SETUP
  uint32_t a0, a1, a2, a3, b0, b1, b2, b3;
  LDSM4(a0, a1, a2, a3, base + lane * 16);
  LDSM4(b0, b1, b2, b3, shared);
  C[threadIdx.x + 64] = a2;
  MMA(c, a0, a1, a2, a3, b0, b1);
  C[threadIdx.x] = c[0] + b2 + b3;
}

// CHECK-DAG: oneOfFour is not native: 'x' is used between the products{{.*}} ({{.*}}scalars.cu:[[@LINE+8]])
__global__ void __launch_bounds__(64) oneOfFour(float *C, int n) {
  SETUP
  uint32_t a[4], b[4];
  float x = 0, y = 0, z = 0, w = 0;
  for (int i = 0; i < n; ++i) {
    LDSM4(a[0], a[1], a[2], a[3], base + lane * 16);
    LDSM4(b[0], b[1], b[2], b[3], shared);
    z = 0;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(x), "+f"(y), "+f"(z), "+f"(w)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  C[threadIdx.x] = x + y + z + w;
}

// CHECK-DAG: unequal is not native: the registers of 'x' begin with different values
__global__ void __launch_bounds__(64) unequal(float *C) {
  SETUP
  uint32_t a[4], b[4];
  float x = 0, y = 0, z = 1, w = 0;
  LDSM4(a[0], a[1], a[2], a[3], base + lane * 16);
  LDSM4(b[0], b[1], b[2], b[3], shared);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(x), "+f"(y), "+f"(z), "+f"(w)
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  C[threadIdx.x] = x + w;
}

// CHECK-DAG: fromAnother keeps 'b0' in CUDA's layout and moves it for each product: 'b1' is made from another register
__global__ void __launch_bounds__(64) fromAnother(float *C) {
  SETUP
  uint32_t a0, a1, a2, a3;
  LDSM4(a0, a1, a2, a3, base + lane * 16);
  const uint32_t b0 = s[g * 8 + t];
  const uint32_t b1 = b0 ^ 1;
  MMA(c, a0, a1, a2, a3, b0, b1);
  C[threadIdx.x] = c[0];
}

// CHECK-DAG: together keeps 'b0' in CUDA's layout and moves it for each product: 'b0' is declared together with other variables
__global__ void __launch_bounds__(64) together(float *C) {
  SETUP
  uint32_t a0, a1, a2, a3;
  LDSM4(a0, a1, a2, a3, base + lane * 16);
  uint32_t b0 = s[g * 8 + t], b1 = s[g * 8 + t + 4], other = s[t];
  MMA(c, a0, a1, a2, a3, b0, b1);
  C[threadIdx.x] = c[0] + other;
}

// Loaded with one set of variables here, with another there.
// CHECK-DAG: crossed is not native: 'b2' is loaded together with other variables than elsewhere
__global__ void __launch_bounds__(64) crossed(float *C) {
  SETUP
  float d[4] = {};
  uint32_t a0, a1, a2, a3, b0, b1, b2, b3;
  LDSM4(a0, a1, a2, a3, base + lane * 16);
  LDSM4(b0, b1, b2, b3, shared);
  MMA(c, a0, a1, a2, a3, b0, b1);
  MMA(d, a0, a1, a2, a3, b2, b3);
  LDSM4(b2, b3, b0, b1, shared + 512);
  MMA(c, a0, a1, a2, a3, b0, b1);
  MMA(d, a0, a1, a2, a3, b2, b3);
  C[threadIdx.x] = c[0] + d[0];
}

// CHECK: compiled: gfx90a yes gfx942 yes gfx950 yes
