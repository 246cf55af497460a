// Results that are used in the loop over their tiles, in a function that multiplies: two tiles that
// share an MFMA would be half done there. Each is multiplied by itself.
// RUN: %layout-port %s -o %t.hip --target gfx942 --verify --launch %S/Inputs/tile_loops.yaml 2>&1 | FileCheck %s
// RUN: %ported %t.hip | FileCheck %s --check-prefix=OUT
// CHECK: verify gfx942: proved:
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

// OUT-LABEL: void step(
// OUT: _wave(d[j], a, b);
// OUT-NEXT: d[j][0] *= 0.5f;
__device__ void step(float (&d)[4][4], const half *s, int warp, int lane) {
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);
  uint32_t a[4];
  loadA(a, base + (warp * 16 + lane % 16) * 48 + lane / 16 * 16);
  for (int j = 0; j < 4; ++j) {
    uint32_t b[2];
    loadB(b, base + (j * 8 + lane % 8) * 48 + lane / 8 % 2 * 16);
    mma(d[j], a, b);
    d[j][0] *= 0.5f;
    d[j][1] *= 0.5f;
    d[j][2] *= 0.5f;
    d[j][3] *= 0.5f;
  }
}

__global__ void __launch_bounds__(64) inLoop(const half *A, float *C, int n) {
  __shared__ __align__(16) half s[32 * 24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int i = 0; i < n; ++i) {
    __syncthreads();
    for (int t = threadIdx.x; t < 512; t += 64)
      s[t / 16 * 24 + t % 16] = A[i * 512 + t];
    __syncthreads();
    step(c, s, warp, lane);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}
