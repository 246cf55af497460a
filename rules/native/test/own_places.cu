// Addresses that are made in ways that hide from whom they come: what a pointer or reference to
// the thread's own variable changes, names of a struct's parts, what lanes tell each other.
//
// RUN: %layout-port %s -o %t.hip --target gfx90a,gfx942,gfx950 --verify --launch %S/Inputs/own_places.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: %ported %t.hip | FileCheck %s
//
// REPORT-DAG: readThroughPointer keeps 'a' in CUDA's layout and moves it for each product: 'p' points to a variable of the thread's own
// REPORT-DAG: readThroughNumber keeps 'a' in CUDA's layout and moves it for each product: the address is read through a number
// REPORT-DAG: toldThere keeps 'a' in CUDA's layout and moves it for each product: it is computed from what other lanes say
// REPORT-NOT: {{refuted|eitherOf.* not native|byReference.* not native|chained.* not native|told is not native|partsByName is not native}}
// REPORT: verify gfx90a: proved
// REPORT: verify gfx942: proved
// REPORT: verify gfx950: proved
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t *r, uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
}
__device__ void ldsm2(uint32_t *r, uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
}
__device__ void mma(float *d, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
struct Place {
  int at, pitch;
};

// CHECK-LABEL: readThroughPointer(
__global__ void __launch_bounds__(64) readThroughPointer(const half *A, const half *B, float *C) {
  __shared__ __align__(16) half sA[32 * 16], sB[8 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 32 * 16; i += 64)
    sA[i] = A[blockIdx.x * 32 * 16 + i];
  for (int i = threadIdx.x; i < 8 * 16; i += 64)
    sB[i] = B[i];
  __syncthreads();
  const uint32_t from = (uint32_t)__cvta_generic_to_shared(sA) + warp * 512;
  uint32_t a[4], b[2];
  float d[4] = {};
  int at = lane % 16 * 32 + lane / 16 * 16;
  const int *p = &at;
  ldsm4(a, from + *p);
  ldsm2(b, (uint32_t)__cvta_generic_to_shared(sB + lane % 8 * 16 + lane / 8 % 2 * 8));
  mma(d, a, b);
  float *to = C + (blockIdx.x * 32 + warp * 16 + lane / 4) * 8 + lane % 4 * 2;
  to[0] = d[0];
  to[1] = d[1];
  to[64] = d[2];
  to[65] = d[3];
}

// CHECK-LABEL: readThroughNumber(
__global__ void __launch_bounds__(64) readThroughNumber(const half *A, const half *B, float *C) {
  __shared__ __align__(16) half sA[32 * 16], sB[8 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 32 * 16; i += 64)
    sA[i] = A[blockIdx.x * 32 * 16 + i];
  for (int i = threadIdx.x; i < 8 * 16; i += 64)
    sB[i] = B[i];
  __syncthreads();
  const uint32_t from = (uint32_t)__cvta_generic_to_shared(sA) + warp * 512;
  uint32_t a[4], b[2];
  float d[4] = {};
  int at = lane % 16 * 32 + lane / 16 * 16;
  const auto p = (unsigned long long)&at;
  ldsm4(a, from + *(const int *)p);
  ldsm2(b, (uint32_t)__cvta_generic_to_shared(sB + lane % 8 * 16 + lane / 8 % 2 * 8));
  mma(d, a, b);
  float *to = C + (blockIdx.x * 32 + warp * 16 + lane / 4) * 8 + lane % 4 * 2;
  to[0] = d[0];
  to[1] = d[1];
  to[64] = d[2];
  to[65] = d[3];
}

// CHECK-LABEL: partsByName(
__global__ void __launch_bounds__(64) partsByName(const half *A, const half *B, float *C) {
  __shared__ __align__(16) half sA[32 * 16], sB[8 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 32 * 16; i += 64)
    sA[i] = A[blockIdx.x * 32 * 16 + i];
  for (int i = threadIdx.x; i < 8 * 16; i += 64)
    sB[i] = B[i];
  __syncthreads();
  const uint32_t from = (uint32_t)__cvta_generic_to_shared(sA) + warp * 512;
  uint32_t a[4], b[2];
  float d[4] = {};
  const auto [at, pitch] = Place{lane % 16 * 32 + lane / 16 * 16, 32};
  ldsm4(a, from + at);
  ldsm2(b, (uint32_t)__cvta_generic_to_shared(sB + lane % 8 * 16 + lane / 8 % 2 * 8));
  mma(d, a, b);
  float *to = C + (blockIdx.x * 32 + warp * 16 + lane / 4) * 8 + lane % 4 * 2;
  to[0] = d[0];
  to[1] = d[1];
  to[64] = d[2];
  to[65] = d[3];
}

// CHECK-LABEL: eitherOf(
__global__ void __launch_bounds__(64) eitherOf(const half *A, const half *B, float *C) {
  __shared__ __align__(16) half sA[32 * 16], sB[8 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 32 * 16; i += 64)
    sA[i] = A[blockIdx.x * 32 * 16 + i];
  for (int i = threadIdx.x; i < 8 * 16; i += 64)
    sB[i] = B[i];
  __syncthreads();
  const uint32_t from = (uint32_t)__cvta_generic_to_shared(sA) + warp * 512;
  uint32_t a[4], b[2];
  float d[4] = {};
  int at = 0, other = 0;
  (blockIdx.x < 9 ? at : other) = lane % 16 * 32 + lane / 16 * 16;
  // CHECK: lp::load_a
  // CHECK: lp::of_thread(at_, lane, warp);
  ldsm4(a, from + at);
  ldsm2(b, (uint32_t)__cvta_generic_to_shared(sB + lane % 8 * 16 + lane / 8 % 2 * 8));
  mma(d, a, b);
  float *to = C + (blockIdx.x * 32 + warp * 16 + lane / 4) * 8 + lane % 4 * 2;
  to[0] = d[0];
  to[1] = d[1];
  to[64] = d[2];
  to[65] = d[3];
}

// CHECK-LABEL: byReference(
__global__ void __launch_bounds__(64) byReference(const half *A, const half *B, float *C) {
  __shared__ __align__(16) half sA[32 * 16], sB[8 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 32 * 16; i += 64)
    sA[i] = A[blockIdx.x * 32 * 16 + i];
  for (int i = threadIdx.x; i < 8 * 16; i += 64)
    sB[i] = B[i];
  __syncthreads();
  const uint32_t from = (uint32_t)__cvta_generic_to_shared(sA) + warp * 512;
  uint32_t a[4], b[2];
  float d[4] = {};
  int at = 0;
  const auto place = [&]() -> int & { return at; };
  place() = lane % 16 * 32 + lane / 16 * 16;
  // CHECK: lp::load_a
  // CHECK: lp::of_thread(at_, lane, warp);
  ldsm4(a, from + at);
  ldsm2(b, (uint32_t)__cvta_generic_to_shared(sB + lane % 8 * 16 + lane / 8 % 2 * 8));
  mma(d, a, b);
  float *to = C + (blockIdx.x * 32 + warp * 16 + lane / 4) * 8 + lane % 4 * 2;
  to[0] = d[0];
  to[1] = d[1];
  to[64] = d[2];
  to[65] = d[3];
}

// CHECK-LABEL: chained(
__global__ void __launch_bounds__(64) chained(const half *A, const half *B, float *C) {
  __shared__ __align__(16) half sA[32 * 16], sB[8 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 32 * 16; i += 64)
    sA[i] = A[blockIdx.x * 32 * 16 + i];
  for (int i = threadIdx.x; i < 8 * 16; i += 64)
    sB[i] = B[i];
  __syncthreads();
  const uint32_t from = (uint32_t)__cvta_generic_to_shared(sA) + warp * 512;
  uint32_t a[4], b[2];
  float d[4] = {};
  int at, again;
  at = again = lane % 16 * 32 + lane / 16 * 16;
  // CHECK: lp::load_a
  // CHECK: const int at = lane % 16 * 32 + lane / 16 * 16;
  ldsm4(a, from + at);
  ldsm2(b, (uint32_t)__cvta_generic_to_shared(sB + lane % 8 * 16 + lane / 8 % 2 * 8));
  mma(d, a, b);
  float *to = C + (blockIdx.x * 32 + warp * 16 + lane / 4) * 8 + lane % 4 * 2;
  to[0] = d[0];
  to[1] = d[1];
  to[64] = d[2];
  to[65] = d[3];
}

// CHECK-LABEL: told(
__global__ void __launch_bounds__(64) told(const half *A, const half *B, float *C) {
  __shared__ __align__(16) half sA[32 * 16], sB[8 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 32 * 16; i += 64)
    sA[i] = A[blockIdx.x * 32 * 16 + i];
  for (int i = threadIdx.x; i < 8 * 16; i += 64)
    sB[i] = B[i];
  __syncthreads();
  const uint32_t from = (uint32_t)__cvta_generic_to_shared(sA) + warp * 512;
  uint32_t a[4], b[2];
  float d[4] = {};
  const int at = __shfl_sync(0xffffffff, lane % 16 * 32 + lane / 16 * 16, lane ^ 3);
  const int own = __shfl_sync(0xffffffff, at, lane ^ 3);
  // CHECK: lp::load_a
  // CHECK: const int own = lane % 16 * 32 + lane / 16 * 16;
  ldsm4(a, from + own);
  ldsm2(b, (uint32_t)__cvta_generic_to_shared(sB + lane % 8 * 16 + lane / 8 % 2 * 8));
  mma(d, a, b);
  float *to = C + (blockIdx.x * 32 + warp * 16 + lane / 4) * 8 + lane % 4 * 2;
  to[0] = d[0];
  to[1] = d[1];
  to[64] = d[2];
  to[65] = d[3];
}

// CHECK-LABEL: toldThere(
__global__ void __launch_bounds__(64) toldThere(const half *A, const half *B, float *C) {
  __shared__ __align__(16) half sA[32 * 16], sB[8 * 16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 32 * 16; i += 64)
    sA[i] = A[blockIdx.x * 32 * 16 + i];
  for (int i = threadIdx.x; i < 8 * 16; i += 64)
    sB[i] = B[i];
  __syncthreads();
  const uint32_t from = (uint32_t)__cvta_generic_to_shared(sA) + warp * 512;
  uint32_t a[4], b[2];
  float d[4] = {};
  ldsm4(a, from + __shfl_sync(0xffffffff, lane % 16 * 32 + lane / 16 * 16, lane));
  ldsm2(b, (uint32_t)__cvta_generic_to_shared(sB + lane % 8 * 16 + lane / 8 % 2 * 8));
  mma(d, a, b);
  float *to = C + (blockIdx.x * 32 + warp * 16 + lane / 4) * 8 + lane % 4 * 2;
  to[0] = d[0];
  to[1] = d[1];
  to[64] = d[2];
  to[65] = d[3];
}
