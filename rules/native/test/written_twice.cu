// An element that is handed on by another lane now, and a write of the thread's own to the same
// memory: their order is a thread's in CUDA, and would be none here.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
// RUN: %ported %t.hip | FileCheck %s --check-prefix=OUT
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void loadA(uint32_t (&a)[4], uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
               : "r"(at));
}
__device__ void loadB(uint32_t (&b)[2], uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(b[0]), "=r"(b[1])
               : "r"(at));
}

// CHECK-DAG: behind keeps its epilogue, behind a conversion of 'c': 'C' is written behind the epilogue without a barrier
__global__ void __launch_bounds__(64) behind(const half *A, float *C, int n) {
  __shared__ half s[512];
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = warp * 16 + lane / 4, col = lane % 4 * 2;
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    __syncthreads();
    for (int t = threadIdx.x; t < 512; t += 64)
      s[t] = A[i * 512 + t];
    __syncthreads();
    uint32_t a[4], b[2];
    loadA(a, base + (warp * 16 + lane % 16) * 16);
    loadB(b, base + lane % 16 * 16);
    mma(c, a, b);
  }
  C[row * 8 + col] = c[0];
  C[row * 8 + col + 1] = c[1];
  C[(row + 8) * 8 + col] = c[2];
  C[(row + 8) * 8 + col + 1] = c[3];
  if (lane % 4 == 1)
    C[row * 8 + col] = 9.f;
}

// CHECK-DAG: before keeps its epilogue, behind a conversion of 'c': 'C' is written before the epilogue without a barrier
__global__ void __launch_bounds__(64) before(const half *A, float *C, int n) {
  __shared__ half s[512];
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = warp * 16 + lane / 4, col = lane % 4 * 2;
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    __syncthreads();
    for (int t = threadIdx.x; t < 512; t += 64)
      s[t] = A[i * 512 + t];
    __syncthreads();
    uint32_t a[4], b[2];
    loadA(a, base + (warp * 16 + lane % 16) * 16);
    loadB(b, base + lane % 16 * 16);
    mma(c, a, b);
  }
  for (int e = 0; e < 4; ++e)
    C[(row + e / 2 * 8) * 8 + col + e % 2] = -1.f;
  C[row * 8 + col] = c[0];
  C[row * 8 + col + 1] = c[1];
  C[(row + 8) * 8 + col] = c[2];
  C[(row + 8) * 8 + col + 1] = c[3];
}

// With a barrier between them their order is everybody's.
// OUT-LABEL: void __launch_bounds__(64) waits(
// OUT: = -1.f;
// OUT: __syncthreads();
// OUT-NOT: to_warp_layout
// OUT: lp::each_pair
__global__ void __launch_bounds__(64) waits(const half *A, float *C, int n) {
  __shared__ half s[512];
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = warp * 16 + lane / 4, col = lane % 4 * 2;
  float c[4] = {};
  for (int i = 0; i < n; ++i) {
    __syncthreads();
    for (int t = threadIdx.x; t < 512; t += 64)
      s[t] = A[i * 512 + t];
    __syncthreads();
    uint32_t a[4], b[2];
    loadA(a, base + (warp * 16 + lane % 16) * 16);
    loadB(b, base + lane % 16 * 16);
    mma(c, a, b);
  }
  for (int e = 0; e < 4; ++e)
    C[(row + e / 2 * 8) * 8 + col + e % 2] = -1.f;
  __syncthreads();
  C[row * 8 + col] = c[0];
  C[row * 8 + col + 1] = c[1];
  C[(row + 8) * 8 + col] = c[2];
  C[(row + 8) * 8 + col + 1] = c[3];
}
