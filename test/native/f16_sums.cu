// f16 accumulators kept in uint32_t pairs from the first multiply to the store; the f16
// result goes out as 32-bit words. PTX in template device functions. B is read along n: two
// neighbours at once where a warp has four tiles, four where it has eight.
//
// RUN: %prove --launch %S/f16_sums.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
// CHECK-DAG: two neighbours of n a read, one for each of two tiles
// CHECK-DAG: four neighbours of n a read, one for each of four tiles
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

template <typename T> __device__ __forceinline__ uint32_t toShared(T *p) {
  uint32_t address;
  asm("{ .reg .u64 u64addr; cvta.to.shared.u64 u64addr, %1; cvt.u32.u64 %0, u64addr; }"
      : "=r"(address) : "l"(p));
  return address;
}

template <int Matrices> __device__ __forceinline__ void ldsm(uint32_t *r, uint32_t address) {
  if constexpr (Matrices == 4)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address));
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1]) : "r"(address));
}

__device__ __forceinline__ void mmaF16(uint32_t *d, const uint32_t *a, const uint32_t *b) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
      : "+r"(d[0]), "+r"(d[1])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__global__ void __launch_bounds__(64) f16Sums(const half *A, const half *B, half *C, int N, int K) {
  __shared__ __align__(16) half a_s[32][24]; // 8 halves of padding
  __shared__ __align__(16) half b_s[16][32 + 8];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  uint32_t acc[4][2] = {{0u, 0u}, {0u, 0u}, {0u, 0u}, {0u, 0u}};
  for (int k = 0; k < K; k += 16) {
    *(int4 *)&a_s[threadIdx.x / 2][threadIdx.x % 2 * 8] =
        *(const int4 *)&A[(blockIdx.x * 32 + threadIdx.x / 2) * K + k + threadIdx.x % 2 * 8];
    *(int4 *)&b_s[threadIdx.x / 4][threadIdx.x % 4 * 8] =
        *(const int4 *)&B[(k + threadIdx.x / 4) * N + blockIdx.y * 32 + threadIdx.x % 4 * 8];
    __syncthreads();
    uint32_t a[4], b[2];
    ldsm<4>(a, toShared(&a_s[warp * 16 + (lane & 15)][(lane >> 4) << 3]));
#pragma unroll
    for (int j = 0; j < 4; j++) {
      ldsm<2>(b, toShared(&b_s[lane & 15][j * 8]));
      mmaF16(acc[j], a, b);
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 4; j++)
#pragma unroll
    for (int r = 0; r < 2; r++)
      reinterpret_cast<uint32_t *>(C)[((blockIdx.x * 32 + warp * 16 + r * 8 + (lane >> 2)) * N +
                                       blockIdx.y * 32 + j * 8) / 2 + (lane & 3)] = acc[j][r];
}

// Eight tiles, and sums that go back to CUDA's lanes: each thread looks at all it has.
__global__ void __launch_bounds__(64) f16Eight(const half *A, const half *B, half *C, float *folded,
                                               int N, int K) {
  __shared__ __align__(16) half a_s[32][24];
  __shared__ __align__(16) half b_s[16][64 + 16];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  uint32_t acc[8][2] = {};
  for (int k = 0; k < K; k += 16) {
    *(int4 *)&a_s[threadIdx.x / 2][threadIdx.x % 2 * 8] =
        *(const int4 *)&A[(blockIdx.x * 32 + threadIdx.x / 2) * K + k + threadIdx.x % 2 * 8];
    for (int v = threadIdx.x; v < 16 * 8; v += 64)
      *(int4 *)&b_s[v / 8][v % 8 * 8] = *(const int4 *)&B[(k + v / 8) * N + v % 8 * 8];
    __syncthreads();
    uint32_t a[4], b[2];
    ldsm<4>(a, toShared(&a_s[warp * 16 + (lane & 15)][(lane >> 4) << 3]));
#pragma unroll
    for (int j = 0; j < 8; j++) {
      ldsm<2>(b, toShared(&b_s[lane & 15][j * 8]));
      mmaF16(acc[j], a, b);
    }
    __syncthreads();
  }
  float all = 0;
#pragma unroll
  for (int j = 0; j < 8; j++)
    for (int r = 0; r < 2; r++) {
      *(uint32_t *)&C[(blockIdx.x * 32 + warp * 16 + r * 8 + (lane >> 2)) * N + j * 8 + (lane & 3) * 2] =
          acc[j][r];
      all += __low2float(*(half2 *)&acc[j][r]) - 2 * __high2float(*(half2 *)&acc[j][r]);
    }
  folded[blockIdx.x * 64 + threadIdx.x] = all;
}

// Sums begin with one in even columns and zero in odd ones: B cannot be read along n.
__global__ void __launch_bounds__(64) f16Begun(const half *A, const half *B, half *C, int N, int K) {
  __shared__ __align__(16) half a_s[32][24];
  __shared__ __align__(16) half b_s[16][32 + 8];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  uint32_t acc[4][2];
  for (int j = 0; j < 4; j++)
    for (int r = 0; r < 2; r++)
      acc[j][r] = 0x3c00u;
  for (int k = 0; k < K; k += 16) {
    *(int4 *)&a_s[threadIdx.x / 2][threadIdx.x % 2 * 8] =
        *(const int4 *)&A[(blockIdx.x * 32 + threadIdx.x / 2) * K + k + threadIdx.x % 2 * 8];
    *(int4 *)&b_s[threadIdx.x / 4][threadIdx.x % 4 * 8] =
        *(const int4 *)&B[(k + threadIdx.x / 4) * N + blockIdx.y * 32 + threadIdx.x % 4 * 8];
    __syncthreads();
    uint32_t a[4], b[2];
    ldsm<4>(a, toShared(&a_s[warp * 16 + (lane & 15)][(lane >> 4) << 3]));
#pragma unroll
    for (int j = 0; j < 4; j++) {
      ldsm<2>(b, toShared(&b_s[lane & 15][j * 8]));
      mmaF16(acc[j], a, b);
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 4; j++)
#pragma unroll
    for (int r = 0; r < 2; r++)
      reinterpret_cast<uint32_t *>(C)[((blockIdx.x * 32 + warp * 16 + r * 8 + (lane >> 2)) * N +
                                       blockIdx.y * 32 + j * 8) / 2 + (lane & 3)] = acc[j][r];
}
