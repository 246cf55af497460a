// Values that depend on the thread where the text does not say so: they are no number that all lanes
// share. On the way to an operand a changed parameter, a structured binding, a default argument, a
// constructor; and the warp by a function pointer and by a virtual function.
//
// RUN: %layout-port %s -o %t.hip 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t *r, const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void ldsm2(uint32_t *r, const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void mma(float *c, const uint32_t *a, uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
struct FragB {
  uint32_t x[2];
};
__device__ FragB spread(uint32_t q) { return {q & 0x0f0f0f0fu, q >> 4 & 0x0f0f0f0fu}; }
__device__ void mmaOf(float *c, const uint32_t *a, const FragB &b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b.x[0]), "r"(b.x[1]));
}
#define BEGIN                                                                                      \
  __shared__ half s[64 * 16];                                                                      \
  const int lane = threadIdx.x % 32;                                                               \
  s[threadIdx.x] = A[threadIdx.x];                                                                 \
  __syncthreads();
#define STORE                                                                                      \
  for (int j = 0; j < 2; ++j)                                                                      \
    for (int e = 0; e < 4; ++e)                                                                    \
      C[threadIdx.x * 8 + j * 4 + e] = c[j][e];
// CHECK-DAG: note: parameter is not native: {{.*}}'shift' is no variable in the thread's own registers
__global__ void __launch_bounds__(64)
    parameter(const half *A, const uint32_t *W, const uint32_t *Z, uint32_t shift, float *C, int n) {
  BEGIN
  shift += Z[threadIdx.x];
  float c[2][4] = {};
  for (int k = 0; k < n; ++k) {
    uint32_t a[4];
    ldsm4(a, s + (threadIdx.x / 32 * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      uint32_t q = W[k * 64 + j * 32 + lane];
      q ^= shift;
      mmaOf(c[j], a, spread(q));
    }
  }
  STORE
}
struct Pair {
  uint32_t x, y;
};
// CHECK-DAG: note: binding is not native: {{.*}}its value depends on the thread by a default argument, a constructor or a structured binding
__global__ void __launch_bounds__(64)
    binding(const half *A, const uint32_t *W, const uint32_t *Z, uint32_t shift, float *C, int n) {
  BEGIN
  const auto [x, y] = *(const Pair *)&Z[lane * 2];
  float c[2][4] = {};
  for (int k = 0; k < n; ++k) {
    uint32_t a[4];
    ldsm4(a, s + (threadIdx.x / 32 * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      uint32_t q = W[k * 64 + j * 32 + lane];
      q ^= x + y;
      mmaOf(c[j], a, spread(q));
    }
  }
  STORE
}
__device__ uint32_t zero(const uint32_t *Z, int l = threadIdx.x & 31) { return Z[l]; }
// CHECK-DAG: note: byDefault is not native: {{.*}}its value depends on the thread by a default argument, a constructor or a structured binding
__global__ void __launch_bounds__(64)
    byDefault(const half *A, const uint32_t *W, const uint32_t *Z, uint32_t shift, float *C, int n) {
  BEGIN
  float c[2][4] = {};
  for (int k = 0; k < n; ++k) {
    uint32_t a[4];
    ldsm4(a, s + (threadIdx.x / 32 * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      uint32_t q = W[k * 64 + j * 32 + lane];
      q ^= zero(Z);
      mmaOf(c[j], a, spread(q));
    }
  }
  STORE
}
struct Zero {
  uint32_t v;
  __device__ Zero(const uint32_t *Z) : v(Z[threadIdx.x & 31]) {}
};
// CHECK-DAG: note: byConstructor is not native: {{.*}}its value depends on the thread by a default argument, a constructor or a structured binding
__global__ void __launch_bounds__(64)
    byConstructor(const half *A, const uint32_t *W, const uint32_t *Z, uint32_t shift, float *C, int n) {
  BEGIN
  float c[2][4] = {};
  for (int k = 0; k < n; ++k) {
    uint32_t a[4];
    ldsm4(a, s + (threadIdx.x / 32 * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      uint32_t q = W[k * 64 + j * 32 + lane];
      q ^= Zero(Z).v;
      mmaOf(c[j], a, spread(q));
    }
  }
  STORE
}

__device__ int warpOf() { return threadIdx.x / 32; }
struct Base {
  __device__ virtual int warp() const { return 0; }
};
struct Other : Base {
  __device__ int warp() const override { return threadIdx.x / 32; }
};
// Each lane is asked for its warp's number.
// RUN: %ported %t.hip | FileCheck %s --check-prefix=TEXT
// TEXT-LABEL: void __launch_bounds__(64) byPointer(
// TEXT: const auto warp = lp::of_thread(warp_
__global__ void __launch_bounds__(64) byPointer(const half *A, float *C, int n) {
  BEGIN
  int (*ask)() = warpOf;
  const int warp = ask();
  float c[2][4] = {};
  for (int k = 0; k < n; ++k) {
    uint32_t a[4], b[2];
    ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
      mma(c[j], a, b[0], b[1]);
    }
  }
  STORE
}
// TEXT-LABEL: void __launch_bounds__(64) byVirtual(
// TEXT: const auto warp = lp::of_thread(warp_
__global__ void __launch_bounds__(64) byVirtual(const half *A, float *C, int n) {
  BEGIN
  Other other;
  const Base &base = other;
  const int warp = base.warp();
  float c[2][4] = {};
  for (int k = 0; k < n; ++k) {
    uint32_t a[4], b[2];
    ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
      mma(c[j], a, b[0], b[1]);
    }
  }
  STORE
}
