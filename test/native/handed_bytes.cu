// Bytes in flat arrays of registers, two of each for two steps of k, whose tiles are reached by
// pointers: the functions that fill them are handed one of the two and the place of the warp, and
// serve two kernels and several shapes of block, by their names: what the text says must be right
// for all.
//
// RUN: %prove --launch %S/handed_bytes.yaml 2>&1 | FileCheck %S/Inputs/native_tested.txt
#include <cuda_runtime.h>
#include <stdint.h>

#define TILE 16
#define STEP 32
#define PITCH(k) ((k) + 16)

__device__ __forceinline__ uint32_t sharedAddress(const void *p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ __forceinline__ void fetchTile(int8_t *registers, int tile, uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(reinterpret_cast<uint32_t *>(registers + tile * 16)[0]),
                 "=r"(reinterpret_cast<uint32_t *>(registers + tile * 16)[1]),
                 "=r"(reinterpret_cast<uint32_t *>(registers + tile * 16)[2]),
                 "=r"(reinterpret_cast<uint32_t *>(registers + tile * 16)[3])
               : "r"(at));
}

__device__ __forceinline__ void multiply(int *sum, const void *a, const void *b) {
  const uint32_t *x = static_cast<const uint32_t *>(a), *y = static_cast<const uint32_t *>(b);
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, "
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
               : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
}

template <int DEPTH> __device__ __forceinline__ void fill(int8_t *to, const int8_t *from, int rows, int pitch) {
  for (int i = threadIdx.y * 32 + threadIdx.x; i < rows * (DEPTH / 16); i += blockDim.y * 32)
    *reinterpret_cast<uint4 *>(to + i / (DEPTH / 16) * PITCH(DEPTH) + i % (DEPTH / 16) * 16) =
        *reinterpret_cast<const uint4 *>(from + i / (DEPTH / 16) * pitch + i % (DEPTH / 16) * 16);
}

template <int DEPTH>
__device__ __forceinline__ void rowsToRegisters(const int8_t *tile, int8_t *registers, int first,
                                                int step, int count) {
  for (int i = 0; i < count; ++i) {
    const int row = first + i * TILE + threadIdx.x % 16;
    fetchTile(registers, i, sharedAddress(tile + row * PITCH(DEPTH) + step * STEP + threadIdx.x / 16 * 16));
  }
}

template <int DEPTH>
__device__ __forceinline__ void columnsToRegisters(const int8_t *tile, int8_t *registers, int first,
                                                   int step, int count) {
  for (int i = 0; i < count; ++i) {
    const int row = first + i * TILE + threadIdx.x / 16 * 8 + threadIdx.x % 8;
    fetchTile(registers, i,
              sharedAddress(tile + row * PITCH(DEPTH) + step * STEP + threadIdx.x / 8 % 2 * 16));
  }
}

template <int BM, int BN, int DEPTH, int WM, int WN>
__global__ void bytes(const int8_t *A, const int8_t *B, int *C, int M, int N, int K) {
  __shared__ __align__(16) int8_t sA[BM * PITCH(DEPTH)], sB[BN * PITCH(DEPTH)];
  int8_t a[2][WM * STEP / 32], b[2][WN * STEP / 32];
  int c[WM * WN / 32];
  const int m0 = threadIdx.y % (BM / WM) * WM, n0 = threadIdx.y / (BM / WM) * WN;
  for (int i = 0; i < WM * WN / 32; ++i)
    c[i] = 0;
  for (int k0 = 0; k0 < K; k0 += DEPTH) {
    fill<DEPTH>(sA, A + blockIdx.y * BM * K + k0, BM, K);
    fill<DEPTH>(sB, B + blockIdx.x * BN * K + k0, BN, K);
    __syncthreads();
    rowsToRegisters<DEPTH>(sA, a[0], m0, 0, WM / TILE);
    columnsToRegisters<DEPTH>(sB, b[0], n0, 0, WN / TILE);
    for (int step = 0; step < DEPTH / STEP; ++step) {
      const int next = (step + 1) % (DEPTH / STEP);
      rowsToRegisters<DEPTH>(sA, a[(step + 1) % 2], m0, next, WM / TILE);
      columnsToRegisters<DEPTH>(sB, b[(step + 1) % 2], n0, next, WN / TILE);
      int8_t *rows = a[step % 2], *columns = b[step % 2];
      for (int i = 0; i < WM / TILE; ++i)
        for (int j = 0; j < WN / TILE; ++j) {
          multiply(c + i * WN / TILE * 8 + j * 8, rows + i * 16, columns + j * 16);
          multiply(c + i * WN / TILE * 8 + j * 8 + 4, rows + i * 16, columns + j * 16 + 8);
        }
    }
    __syncthreads();
  }
  for (int i = 0; i < WM / TILE; ++i)
    for (int j = 0; j < WN / TILE; ++j) {
      const int *tile = c + i * WN / TILE * 8 + j * 8;
      for (int e = 0; e < 8; ++e) {
        const int row = blockIdx.y * BM + m0 + i * TILE + e % 4 / 2 * 8 + threadIdx.x / 4;
        C[row * N + blockIdx.x * BN + n0 + j * TILE + e / 4 * 8 + e % 2 + threadIdx.x % 4 * 2] = tile[e];
      }
    }
}

// One step a turn, and what a row of C is scaled by.
template <int BM, int BN, int WM, int WN>
__global__ void scaledBytes(const int8_t *A, const int8_t *B, const float *scale, float *C, int N, int K) {
  __shared__ __align__(16) int8_t sA[BM * PITCH(STEP)], sB[BN * PITCH(STEP)];
  int8_t a[1][WM * STEP / 32], b[1][WN * STEP / 32];
  int c[WM * WN / 32];
  const int m0 = threadIdx.y % (BM / WM) * WM, n0 = threadIdx.y / (BM / WM) * WN;
  for (int i = 0; i < WM * WN / 32; ++i)
    c[i] = 0;
  for (int k0 = 0; k0 < K; k0 += STEP) {
    fill<STEP>(sA, A + blockIdx.y * BM * K + k0, BM, K);
    fill<STEP>(sB, B + blockIdx.x * BN * K + k0, BN, K);
    __syncthreads();
    rowsToRegisters<STEP>(sA, a[0], m0, 0, WM / TILE);
    columnsToRegisters<STEP>(sB, b[0], n0, 0, WN / TILE);
    for (int i = 0; i < WM / TILE; ++i)
      for (int j = 0; j < WN / TILE; ++j) {
        multiply(c + i * WN / TILE * 8 + j * 8, a[0] + i * 16, b[0] + j * 16);
        multiply(c + i * WN / TILE * 8 + j * 8 + 4, a[0] + i * 16, b[0] + j * 16 + 8);
      }
    __syncthreads();
  }
  for (int i = 0; i < WM / TILE; ++i)
    for (int j = 0; j < WN / TILE; ++j)
      for (int e = 0; e < 8; ++e) {
        const int row = blockIdx.y * BM + m0 + i * TILE + e % 4 / 2 * 8 + threadIdx.x / 4;
        C[row * N + blockIdx.x * BN + n0 + j * TILE + e / 4 * 8 + e % 2 + threadIdx.x % 4 * 2] =
            scale[row] * c[i * WN / TILE * 8 + j * 8 + e];
      }
}

void launch(const int8_t *A, const int8_t *B, const float *scale, int *C, float *F, int M, int N, int K) {
  auto four = bytes<64, 32, 64, 32, 16>;
  four<<<dim3(N / 32, M / 64), dim3(32, 4)>>>(A, B, C, M, N, K);
  auto two = bytes<32, 64, 128, 32, 32>;
  two<<<dim3(N / 64, M / 32), dim3(32, 2)>>>(A, B, C, M, N, K);
  scaledBytes<64, 16, 16, 16><<<dim3(N / 16, M / 64), dim3(32, 4)>>>(A, B, scale, F, N, K);
}
