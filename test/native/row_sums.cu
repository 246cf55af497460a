// The product, and of each row the sum of its elements: partial sums in two scalars, one for
// each row of a lane, go across the quad by shuffles and into shared memory by atomics.
//
// RUN: %prove --launch %S/row_sums.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t smem(const void *p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}

__global__ void __launch_bounds__(128)
    rowSums(const half *A, const half *B, half *C, float *sums, int N, int K) {
  __shared__ __align__(16) half a[32][24], b[16][64 + 8];
  __shared__ float total[32];
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const int wm = (warp >> 1) * 16, wn = (warp & 1) * 32;
  float acc[4][4] = {};
  if (tid < 32)
    total[tid] = 0.f;
  for (int k = 0; k < K; k += 16) {
    if (tid < 64)
      *(int4 *)&a[tid / 2][tid % 2 * 8] = *(const int4 *)&A[(tid / 2) * K + k + tid % 2 * 8];
    *(int4 *)&b[tid / 8][tid % 8 * 8] = *(const int4 *)&B[(k + tid / 8) * N + blockIdx.x * 64 + tid % 8 * 8];
    __syncthreads();
    uint32_t af[4], bf[4][2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(af[0]), "=r"(af[1]), "=r"(af[2]), "=r"(af[3])
                 : "r"(smem(&a[wm + (lane & 15)][(lane >> 4) * 8])));
    for (int j = 0; j < 4; j++)
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                   : "=r"(bf[j][0]), "=r"(bf[j][1]) : "r"(smem(&b[lane & 15][wn + j * 8])));
    for (int j = 0; j < 4; j++)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                   "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                   : "+f"(acc[j][0]), "+f"(acc[j][1]), "+f"(acc[j][2]), "+f"(acc[j][3])
                   : "r"(af[0]), "r"(af[1]), "r"(af[2]), "r"(af[3]), "r"(bf[j][0]), "r"(bf[j][1]));
    __syncthreads();
  }
  float above = 0.f, below = 0.f;
  const int row = wm + (lane >> 2);
#pragma unroll
  for (int j = 0; j < 4; j++) {
    const int c = blockIdx.x * 64 + wn + j * 8 + (lane & 3) * 2;
    *(half2 *)&C[row * N + c] = __floats2half2_rn(acc[j][0], acc[j][1]);
    *(half2 *)&C[(row + 8) * N + c] = __floats2half2_rn(acc[j][2], acc[j][3]);
    above += acc[j][0] + acc[j][1];
    below += acc[j][2] + acc[j][3];
  }
  above += __shfl_xor_sync(0xffffffffu, above, 1);
  above += __shfl_xor_sync(0xffffffffu, above, 2);
  below += __shfl_xor_sync(0xffffffffu, below, 1);
  below += __shfl_xor_sync(0xffffffffu, below, 2);
  if ((lane & 3) == 0) {
    atomicAdd(&total[row], above);
    atomicAdd(&total[row + 8], below);
  }
  __syncthreads();
  if (tid < 32)
    atomicAdd(&sums[tid], total[tid]);
}

// CHECK-NOT: to_warp_layout
// CHECK: for (int j = 0; j < 4; j += 4) lp::each_pair(acc[j], acc[j + 1], acc[j + 2], acc[j + 3], j,
// CHECK: [&](int lane, int warp, int j, int lower, int h, const auto &v) {
// CHECK: (h ? below : above) += v[0] + v[1];
// CHECK: above += lp::wave_xor(above, 16);
// CHECK: below += lp::wave_xor(below, 32);
// CHECK: lp::each_row([&](int lane, int warp, int lower, int h) {
// CHECK: atomicAdd(&total[row + 8 * lower], (h ? below : above));
