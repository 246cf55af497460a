// A kernel's own type whose name is another one's elsewhere in the kernel, or around it: what an
// address says by it might be the other one where the address is made again.
//
// RUN: %layout-port %s -o %t.hip 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

template <int Width> struct Sizes {
  static constexpr int pitch = Width;
};
using Around = Sizes<8>;

__device__ void rows16(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void rows8(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#define BEGIN                                                                                      \
  __shared__ half s[48 * 16];                                                                      \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  for (int i = threadIdx.x; i < 48 * 16; i += 64)                                                  \
    s[i] = A[i];                                                                                   \
  __syncthreads();                                                                                 \
  float c[2][4] = {};                                                                              \
  uint32_t a[4], b[2];
#define END                                                                                        \
  for (int e = 0; e < 8; e++)                                                                      \
    C[threadIdx.x * 8 + e] = c[e / 4][e % 4];
template <int Size> __global__ void __launch_bounds__(64) twice(const half *A, float *C) {
  BEGIN
  using Tile = Sizes<Size>;
  const int row = (warp * 16 + lane % 16) * Tile::pitch;
  {
    using Tile = Sizes<Size / 2>;
    // CHECK: note: twice keeps 'a' in CUDA's layout and moves it for each product: 'pitch' is of a class template, and moves into another template ({{.*}}:[[# @LINE + 1]])
    rows16(a, s + row + lane / 16 * Tile::pitch);
  }
  for (int j = 0; j < 2; j++) {
    rows8(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    mma(c[j], a, b);
  }
  END
}
template __global__ void twice<16>(const half *, float *);

template <int Size> __global__ void __launch_bounds__(64) around(const half *A, float *C) {
  BEGIN
  using Around = Sizes<Size>;
  const int row = (warp * 16 + lane % 16) * Around::pitch;
  // CHECK: note: around keeps 'a' in CUDA's layout and moves it for each product: 'pitch' is of a class template, and moves into another template ({{.*}}:[[# @LINE + 1]])
  rows16(a, s + row + lane / 16 * 8);
  for (int j = 0; j < 2; j++) {
    rows8(b, s + (32 + j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    mma(c[j], a, b);
  }
  END
}
template __global__ void around<16>(const half *, float *);
