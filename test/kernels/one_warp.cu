// C[M,8] = A[M,16] * B[16,8] by one warp a block, fragments loaded by hand: on a
// 64-lane wave half of the lanes are missing.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void oneWarp(const half *A, const half *B, float *C) {
  const int lane = threadIdx.x & 31, row = blockIdx.x * 16 + lane / 4, k = lane % 4 * 2;
  unsigned a[4], b[2];
  a[0] = *(const unsigned *)&A[row * 16 + k];
  a[1] = *(const unsigned *)&A[(row + 8) * 16 + k];
  a[2] = *(const unsigned *)&A[row * 16 + k + 8];
  a[3] = *(const unsigned *)&A[(row + 8) * 16 + k + 8];
  // B is column-major: column n = lane / 4.
  b[0] = *(const unsigned *)&B[lane / 4 * 16 + k];
  b[1] = *(const unsigned *)&B[lane / 4 * 16 + k + 8];
  float d[4] = {1.f, 2.f, 3.f, 4.f};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  for (int i = 0; i < 4; ++i)
    C[(row + i / 2 * 8) * 8 + k + i % 2] = d[i];
}

void launch(const half *A, const half *B, float *C, int blocks) {
  oneWarp<<<blocks, 32>>>(A, B, C);
}
