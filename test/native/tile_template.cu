// Tiles as a class template, tile<rows, 32-bit columns, type>: registers of two halves that the PTX
// sees as words through a pointer of another type, addresses from constants of the tile's class and
// from threadIdx.x, which is the lane in blocks of (32, 4); rows and columns of a register are static
// functions of the class.
//
// RUN: %prove --launch %S/tile_template.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
#include <cuda_fp16.h>
#include <cuda_runtime.h>

template <int I_, int J_, typename T> struct tile {
  static constexpr int I = I_;
  static constexpr int J = J_;
  static constexpr int ne = I * J / 32;
  T x[ne] = {};

  static __device__ __forceinline__ int get_i(const int l) {
    if constexpr (I == 8)
      return threadIdx.x / 4;
    else if constexpr (J == 8)
      return (l / 2 % 2) * 8 + threadIdx.x / 4;
    return -1;
  }
  static __device__ __forceinline__ int get_j(const int l) {
    if constexpr (I == 16 && J == 8)
      return (threadIdx.x % 4) * 2 + l % 2;
    return -1;
  }
};

static __device__ __forceinline__ void load_tile(tile<16, 8, half2> &t, const half2 *xs0, const int stride) {
  int *xi = (int *)t.x;
  const int *xs = (const int *)xs0 + (threadIdx.x % t.I) * stride + (threadIdx.x / t.I) * (t.J / 2);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(xi[0]), "=r"(xi[1]), "=r"(xi[2]), "=r"(xi[3])
               : "r"((unsigned)__cvta_generic_to_shared(xs)));
}
static __device__ __forceinline__ void load_tile(tile<8, 8, half2> &t, const half2 *xs0, const int stride) {
  int *xi = (int *)t.x;
  const int *xs = (const int *)xs0 + (threadIdx.x % t.I) * stride + ((threadIdx.x / t.I) * (t.J / 2)) % t.J;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(xi[0]), "=r"(xi[1])
               : "r"((unsigned)__cvta_generic_to_shared(xs)));
}
static __device__ __forceinline__ void mma(tile<16, 8, float> &D, const tile<16, 8, half2> &A, const tile<8, 8, half2> &B) {
  const int *Axi = (const int *)A.x;
  const int *Bxi = (const int *)B.x;
  int *Dxi = (int *)D.x;
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(Dxi[0]), "+r"(Dxi[1]), "+r"(Dxi[2]), "+r"(Dxi[3])
      : "r"(Axi[0]), "r"(Axi[1]), "r"(Axi[2]), "r"(Axi[3]), "r"(Bxi[0]), "r"(Bxi[1]));
}

static __device__ __forceinline__ void mma(tile<16, 4, half2> &D, const tile<16, 8, half2> &A, const tile<8, 8, half2> &B) {
  const int *Axi = (const int *)A.x;
  const int *Bxi = (const int *)B.x;
  int *Dxi = (int *)D.x;
  asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
      : "+r"(Dxi[0]), "+r"(Dxi[1])
      : "r"(Axi[0]), "r"(Axi[1]), "r"(Axi[2]), "r"(Axi[3]), "r"(Bxi[0]), "r"(Bxi[1]));
}

// Blocks of (32, 4): a row of threads is a warp.
template <int ntx>
__global__ void __launch_bounds__(128) mul_mat(const half2 *x, const half2 *y, float *dst, const int ncols, const int nrows) {
  typedef tile<16, 8, half2> tile_A;
  typedef tile<8, 8, half2> tile_B;
  typedef tile<16, 8, float> tile_C;
  constexpr int pitch = 16 + 4;
  __shared__ half2 xs[4 * 16 * pitch], ys[ntx * 8 * pitch];
  tile_C C[ntx];
  const int row0 = blockIdx.x * 64;
  for (int col = 0; col < ncols; col += 16) {
    for (int v = threadIdx.y * 32 + threadIdx.x; v < 64 * 16; v += 128)
      xs[v / 16 * pitch + v % 16] = x[(row0 + v / 16) * ncols + col + v % 16];
    for (int v = threadIdx.y * 32 + threadIdx.x; v < ntx * 8 * 16; v += 128)
      ys[v / 16 * pitch + v % 16] = y[(blockIdx.y * ntx * 8 + v / 16) * ncols + col + v % 16];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k += 8) {
      tile_A A;
      load_tile(A, xs + threadIdx.y * 16 * pitch + k, pitch);
#pragma unroll
      for (int j = 0; j < ntx; ++j) {
        tile_B B;
        load_tile(B, ys + j * 8 * pitch + k, pitch);
        mma(C[j], A, B);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < ntx; ++j)
#pragma unroll
    for (int l = 0; l < tile_C::ne; ++l) {
      const int i = row0 + threadIdx.y * 16 + tile_C::get_i(l);
      const int jj = (blockIdx.y * ntx + j) * 8 + tile_C::get_j(l);
      dst[jj * nrows + i] = C[j].x[l];
    }
}
template __global__ void mul_mat<4>(const half2 *, const half2 *, float *, const int, const int);

// Sums in halves.
__global__ void __launch_bounds__(64) mul_mat_f16(const half2 *x, const half2 *y, half2 *dst, const int ncols) {
  constexpr int pitch = 8 + 4;
  __shared__ half2 xs[2 * 16 * pitch], ys[2 * 8 * pitch];
  tile<16, 4, half2> C[2];
  const int row0 = blockIdx.x * 32;
  for (int col = 0; col < ncols; col += 8) {
    for (int v = threadIdx.y * 32 + threadIdx.x; v < 32 * 8; v += 64)
      xs[v / 8 * pitch + v % 8] = x[(row0 + v / 8) * ncols + col + v % 8];
    for (int v = threadIdx.y * 32 + threadIdx.x; v < 16 * 8; v += 64)
      ys[v / 8 * pitch + v % 8] = y[(blockIdx.y * 16 + v / 8) * ncols + col + v % 8];
    __syncthreads();
    tile<16, 8, half2> A;
    tile<8, 8, half2> B;
    load_tile(A, xs + threadIdx.y * 16 * pitch, pitch);
    for (int j = 0; j < 2; ++j) {
      load_tile(B, ys + j * 8 * pitch, pitch);
      mma(C[j], A, B);
    }
    __syncthreads();
  }
  for (int j = 0; j < 2; ++j)
    for (int l = 0; l < 2; ++l)
      dst[(row0 + threadIdx.y * 16 + l * 8 + threadIdx.x / 4) * 32 + blockIdx.y * 8 + j * 4 +
          threadIdx.x % 4] = C[j].x[l];
}
