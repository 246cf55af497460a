// The loop over tiles of n decides by their number which are stored, and the loop over rows of tiles
// stands in it. Where the port takes several tiles in one turn, it cannot decide so: the sums go back to
// CUDA's layout.
//
// RUN: %prove --launch %S/tiles_left.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t smem(const void *p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}

// CHECK: note: tilesLeft keeps its epilogue, behind a conversion of 'acc': the loop over the n tiles of 'acc' in the epilogue does something else in each turn ({{.*}}tiles_left.cu:[[@LINE+34]])
__global__ void __launch_bounds__(128)
    tilesLeft(const half *A, const half *B, float *C, int N, int K, int last) {
  __shared__ __align__(16) half a[64][40], b[32][64 + 8];
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const int wm = (warp >> 1) * 32, wn = (warp & 1) * 32;
  float acc[2][4][4] = {};
  for (int k = 0; k < K; k += 32) {
    for (int i = tid; i < 64 * 4; i += 128)
      *(int4 *)&a[i / 4][i % 4 * 8] = *(const int4 *)&A[i / 4 * K + k + i % 4 * 8];
    for (int i = tid; i < 32 * 8; i += 128)
      *(int4 *)&b[i / 8][i % 8 * 8] = *(const int4 *)&B[(k + i / 8) * N + i % 8 * 8];
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t af[2][4], bf[4][2];
      for (int i = 0; i < 2; i++)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(af[i][0]), "=r"(af[i][1]), "=r"(af[i][2]), "=r"(af[i][3])
                     : "r"(smem(&a[wm + i * 16 + (lane & 15)][kk + (lane >> 4) * 8])));
      for (int j = 0; j < 4; j++)
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                     : "=r"(bf[j][0]), "=r"(bf[j][1]) : "r"(smem(&b[kk + (lane & 15)][wn + j * 8])));
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                       "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                       : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                       : "r"(af[i][0]), "r"(af[i][1]), "r"(af[i][2]), "r"(af[i][3]), "r"(bf[j][0]), "r"(bf[j][1]));
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; j++) {
    if (j * 8 >= last)
      break;
    for (int i = 0; i < 2; i++) {
      float *at = C + (wm + i * 16 + lane / 4) * N + wn + j * 8 + lane % 4 * 2;
      at[0] = acc[i][j][0];
      at[1] = acc[i][j][1];
      at[8 * N] = acc[i][j][2];
      at[8 * N + 1] = acc[i][j][3];
    }
  }
}
