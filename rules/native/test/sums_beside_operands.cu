// One struct holds the sums and the operands: what is put into the one is not taken for the other.
//
// RUN: %layout-port %s -o %t.hip --target gfx90a,gfx942,gfx950 --verify --launch %S/Inputs/sums_beside_operands.yaml 2>&1 | FileCheck %s
//
// CHECK-DAG: verify gfx90a: proved
// CHECK-DAG: verify gfx942: proved
// CHECK-DAG: verify gfx950: proved
#include <cuda_fp16.h>
#include <stdint.h>

struct Fragments {
  float c[2][4];
  uint32_t a[4], b[2][2];
};

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

__device__ void fetch(half *tile, const half *from, int count) {
  for (int i = threadIdx.x; i < count; i += 64)
    tile[i] = from[i];
}

// A bias for the upper rows alone: registers of a thread are begun in a loop of their own.
// CHECK-DAG: from CUDA's fragment layout, in front of the loop: other code begins it
__global__ void __launch_bounds__(64) beganByRow(const half *A, const half *B, const float *bias, float *C) {
  __shared__ __align__(16) half tileA[32][16], tileB[16][16];
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16; // two warps with 16 rows each
  fetch(&tileA[0][0], A, 512);
  fetch(&tileB[0][0], B, 256);
  __syncthreads();
  Fragments f;
  for (int j = 0; j < 2; ++j) {
    for (int e = 0; e < 4; ++e) {
      f.c[j][e] = e >= 2 ? 0.f : bias[(row + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2];
    }
  }
  ldsm4(f.a, (uint32_t)__cvta_generic_to_shared(&tileA[row + lane % 16][lane / 16 * 8]));
  for (int j = 0; j < 2; ++j)
    ldsm2(f.b[j], (uint32_t)__cvta_generic_to_shared(&tileB[j * 8 + lane % 8][lane / 8 % 2 * 8]));
  for (int j = 0; j < 2; ++j)
    mma(f.c[j], f.a, f.b[j]);
  for (int j = 0; j < 2; ++j) {
    float *to = C + (row + lane / 4) * 16 + j * 8 + lane % 4 * 2;
    to[0] = f.c[j][0];
    to[1] = f.c[j][1];
    to[8 * 16] = f.c[j][2];
    to[8 * 16 + 1] = f.c[j][3];
  }
}

// A bias by column, which rows r and r + 8 have in common, is computed where the elements are.
__global__ void __launch_bounds__(64) beganByColumn(const half *A, const half *B, const float *bias, float *C) {
  __shared__ __align__(16) half tileA[32][16], tileB[16][16];
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16; // two warps with 16 rows each
  fetch(&tileA[0][0], A, 512);
  fetch(&tileB[0][0], B, 256);
  __syncthreads();
  Fragments f;
  for (int j = 0; j < 2; ++j) {
    for (int e = 0; e < 4; ++e) {
      f.c[j][e] = bias[j * 8 + lane % 4 * 2 + e % 2];
    }
  }
  ldsm4(f.a, (uint32_t)__cvta_generic_to_shared(&tileA[row + lane % 16][lane / 16 * 8]));
  for (int j = 0; j < 2; ++j)
    ldsm2(f.b[j], (uint32_t)__cvta_generic_to_shared(&tileB[j * 8 + lane % 8][lane / 8 % 2 * 8]));
  for (int j = 0; j < 2; ++j)
    mma(f.c[j], f.a, f.b[j]);
  for (int j = 0; j < 2; ++j) {
    float *to = C + (row + lane / 4) * 16 + j * 8 + lane % 4 * 2;
    to[0] = f.c[j][0];
    to[1] = f.c[j][1];
    to[8 * 16] = f.c[j][2];
    to[8 * 16 + 1] = f.c[j][3];
  }
}

// Operands put together by hand stay operands beside sums that are cleared.
// CHECK-NOT: byHand is not native
__global__ void __launch_bounds__(64) byHand(const half *A, const half *B, const float *, float *C) {
  __shared__ __align__(16) half tileA[32][16], tileB[16][16];
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16; // two warps with 16 rows each
  fetch(&tileA[0][0], A, 512);
  fetch(&tileB[0][0], B, 256);
  __syncthreads();
  Fragments f;
  for (int j = 0; j < 2; ++j)
    for (int e = 0; e < 4; ++e)
      f.c[j][e] = 0.f;
  for (int e = 0; e < 4; ++e)
    f.a[e] = *reinterpret_cast<const uint32_t *>(
        &tileA[row + lane / 4 + e % 2 * 8][lane % 4 * 2 + e / 2 * 8]);
  for (int j = 0; j < 2; ++j)
    ldsm2(f.b[j], (uint32_t)__cvta_generic_to_shared(&tileB[j * 8 + lane % 8][lane / 8 % 2 * 8]));
  for (int j = 0; j < 2; ++j)
    mma(f.c[j], f.a, f.b[j]);
  for (int j = 0; j < 2; ++j) {
    float *to = C + (row + lane / 4) * 16 + j * 8 + lane % 4 * 2;
    to[0] = f.c[j][0];
    to[1] = f.c[j][1];
    to[8 * 16] = f.c[j][2];
    to[8 * 16 + 1] = f.c[j][3];
  }
}
