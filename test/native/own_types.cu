// The kernel's own types, made of its template's parameters: warps, pitches and the elements'
// places in C are counted by their constants.
//
// RUN: %prove --launch %S/own_types.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

template <int Rows, int Columns, int Depth> struct Sizes {
  static constexpr int warpsAlongN = Columns / 16;
  static constexpr int threads = Rows / 16 * warpsAlongN * 32;
  static constexpr int pitch = Depth + 8;
  static __device__ constexpr int at(int row, int k) { return row * pitch + k; }
};

__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// CHECK-LABEL: void {{.*}} gemm(
// CHECK: lp::load_a(a, [&](int lane, int warp) {
// CHECK: const int wm = warp / Tile::warpsAlongN * 16;
// CHECK: Tile::at(wm + lane % 16, k + lane / 16 * 8)
// CHECK: const int wn = warp % Tile::warpsAlongN * 16;
// CHECK: row * Tile::pitch
template <int Rows, int Columns, int Depth>
__global__ void __launch_bounds__(Rows *Columns / 8) gemm(const half *A, const half *B, float *C) {
  using Tile = Sizes<Rows, Columns, Depth>;
  __shared__ __align__(16) half sA[Rows * Tile::pitch], sB[Columns * Tile::pitch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / Tile::warpsAlongN * 16, wn = warp % Tile::warpsAlongN * 16;
  for (int i = threadIdx.x; i < Rows * Depth; i += Tile::threads)
    sA[Tile::at(i / Depth, i % Depth)] = A[i];
  for (int i = threadIdx.x; i < Columns * Depth; i += Tile::threads)
    sB[Tile::at(i / Depth, i % Depth)] = B[i];
  __syncthreads();
  float c[2][4] = {};
  for (int k = 0; k < Depth; k += 16) {
    uint32_t a[4], b[2];
    const uint32_t place = (uint32_t)__cvta_generic_to_shared(sA + Tile::at(wm + lane % 16, k + lane / 16 * 8));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(place));
    for (int j = 0; j < 2; j++) {
      const int row = wn + j * 8 + lane % 8;
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];\n"
                   : "=r"(b[0]), "=r"(b[1])
                   : "r"((uint32_t)__cvta_generic_to_shared(sB + row * Tile::pitch + k + lane / 8 % 2 * 8)));
      mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 2; j++)
    for (int h = 0; h < 2; h++)
      *(float2 *)&C[(wm + lane / 4 + h * 8) * Columns + wn + j * 8 + lane % 4 * 2] =
          make_float2(c[j][2 * h], c[j][2 * h + 1]);
}
template __global__ void gemm<32, 32, 32>(const half *, const half *, float *);
template __global__ void gemm<64, 16, 16>(const half *, const half *, float *);
