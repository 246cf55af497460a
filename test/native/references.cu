// Places of a tile that reach the load by a reference: to a struct of the thread's own, to a row of
// shared memory, through a wrapper's parameter.
//
// RUN: %prove --launch %S/references.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

struct Place { int tile, column; };

__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void ldsm4At(uint32_t (&r)[4], const half (&tiles)[8][16][24], int lane, const Place &at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(&tiles[at.tile][lane % 16][at.column + lane / 16 * 8])));
}
__device__ __forceinline__ void ldsm4Of(uint32_t (&r)[4], const half (&tile)[16][24], int lane, Place at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(&tile[lane % 16][at.column + lane / 16 * 8])));
}
__device__ __forceinline__ void mma(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Two warps of four m16 tiles each; B is both warps'.
__global__ void __launch_bounds__(64) references(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half sA[8][16][24], sB[16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][2][4] = {};
  for (int k = 0; k < K; k += 16) {
    for (int v = threadIdx.x; v < 128 * 2; v += 64)
      *(int4 *)&sA[v / 32][v / 2 % 16][v % 2 * 8] = *(const int4 *)&A[v / 2 * K + k + v % 2 * 8];
    for (int v = threadIdx.x; v < 16 * 2; v += 64)
      *(int4 *)&sB[v / 2][v % 2 * 8] = *(const int4 *)&B[v / 2 * K + k + v % 2 * 8];
    __syncthreads();
    uint32_t a[4][4], b[2];
    const Place first = {warp * 4, 0}, &same = first;
    ldsm4(a[0], &sA[same.tile][lane % 16][lane / 16 * 8]);
    const Place second = {warp * 4 + 1, 0};
    ldsm4At(a[1], sA, lane, second);
    const half(&row)[16][24] = sA[warp * 4 + 2];
    ldsm4(a[2], &row[lane % 16][lane / 16 * 8]);
    ldsm4Of(a[3], sA[warp * 4 + 3], lane, first);
    for (int j = 0; j < 2; j++) {
      b[0] = *(const uint32_t *)&sB[j * 8 + lane / 4][lane % 4 * 2];
      b[1] = *(const uint32_t *)&sB[j * 8 + lane / 4][lane % 4 * 2 + 8];
      for (int i = 0; i < 4; i++)
        mma(c[i][j], a[i], b);
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 2; j++)
      for (int e = 0; e < 4; e++)
        C[(warp * 64 + i * 16 + lane / 4 + e / 2 * 8) * 16 + j * 8 + lane % 4 * 2 + e % 2] = c[i][j][e];
}
