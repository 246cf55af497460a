// Both operands K-major in XOR-swizzled shared memory, addressed in bytes as u32; the k step
// is an XOR on the address, as a walk.
//
// RUN: %prove --launch %S/xor_swizzle.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdint>

using u32 = uint32_t;
static constexpr int kRow = 64; // halves in a row of shared memory: 128 bytes, 8 chunks

#define LDSM_X4(r0, r1, r2, r3, addr)                                                  \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16 {%0, %1, %2, %3}, [%4];" \
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(addr))

// Byte address of chunk `chunk` of row `row`.
__device__ inline u32 swz(u32 base, int row, int chunk) {
  return base + ((row * 8 + chunk) << 4 ^ (row % 8) << 4);
}

__device__ inline void hmma(float c[4], const u32 a[4], const u32 b[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\n\t"
               "{%0, %1, %2, %3},\n\t{%4, %5, %6, %7},\n\t{%8, %9},\n\t{%10, %11, %12, %13};"
               : "=f"(c[0]), "=f"(c[1]), "=f"(c[2]), "=f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]),
                 "f"(c[1]), "f"(c[2]), "f"(c[3]));
}

__global__ __launch_bounds__(128) void swizzled(const half *a, const half *b, float *c, int n,
                                                int k) {
  __shared__ __align__(128) half smem[64 * kRow + 32 * kRow];
  const u32 sa = __cvta_generic_to_shared(smem), sb = sa + 64 * kRow * 2;
  const int t = threadIdx.x, lane = t & 0x1f, warp = t >> 5;
  a += blockIdx.y * 64 * k;
  b += blockIdx.x * 32 * k;

  float acc[4][4] = {};
  const u32 rowA = warp * 16 + (lane & 15), rowB = (lane & 7) + (lane >> 4) * 8;
  for (int k0 = 0; k0 < k; k0 += kRow) {
    for (int i = t; i < 64 * 8; i += 128)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(swz(sa, i / 8, i % 8)),
                   "l"(a + i / 8 * k + k0 + i % 8 * 8));
    for (int i = t; i < 32 * 8; i += 128)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(swz(sb, i / 8, i % 8)),
                   "l"(b + i / 8 * k + k0 + i % 8 * 8));
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();

    const u32 addrA = swz(sa, rowA, lane >> 4), addrB = swz(sb, rowB, lane >> 3 & 1);
#pragma unroll
    for (int kk = 0; kk < kRow / 16; kk++) {
      u32 ra[4], rb[4][2];
      LDSM_X4(ra[0], ra[1], ra[2], ra[3], addrA ^ kk * 32);
#pragma unroll
      for (int j = 0; j < 4; j += 2)
        LDSM_X4(rb[j][0], rb[j][1], rb[j + 1][0], rb[j + 1][1],
                (addrB ^ kk * 32) + j * 8 * kRow * 2);
#pragma unroll
      for (int j = 0; j < 4; j++)
        hmma(acc[j], ra, rb[j]);
    }
    __syncthreads();
  }

  c += (blockIdx.y * 64 + warp * 16 + lane / 4) * n + blockIdx.x * 32 + lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < 4; j++) {
    *(float2 *)(c + j * 8) = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)(c + j * 8 + 8 * n) = make_float2(acc[j][2], acc[j][3]);
  }
}
