// A class template's own names have no words in a kernel that is a template, too, where it is not
// plain by which object or class the kernel means them: they are a base's, are called by several
// names of the class, are the parameters of a special case, are those of another name of the class
// that is a template itself, or are made from what has another meaning by then.
//
// RUN: %layout-port %s -o %t.hip 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
template <int Pad> struct Tile {
  static constexpr int pitch = 16 + Pad;
  half cells[32 * (16 + Pad)];
  __device__ void rows(uint32_t (&r)[4], int row, int k) const { ldsm4(r, cells + row * pitch + k); }
  __device__ void padded(uint32_t (&r)[4], int row, int k) const {
    ldsm4(r, cells + row * (16 + Pad) + k);
  }
};
template <int Pad> struct Wider : Tile<Pad> {
  static constexpr int pitch = 4;
};
template <int Pad> struct Reader {
  static constexpr int pitch = 16 + Pad;
  static __device__ void rows(uint32_t (&r)[4], const half *p, int row, int k) {
    ldsm4(r, p + row * pitch + k);
  }
};
template <int Pad, bool kWide> struct Special;
template <int Pad> struct Special<Pad, true> {
  half cells[32 * (16 + Pad)];
  __device__ void rows(uint32_t (&r)[4], int row, int k) const {
    ldsm4(r, cells + row * (16 + Pad) + k);
  }
};
template <int Pad> struct Maker {
  template <int More> static __device__ int place(int row) { return row * (16 + Pad) + More; }
  half cells[32 * (16 + Pad)];
  __device__ void rows(uint32_t (&r)[4], int row, int k) const { ldsm4(r, cells + place<0>(row) + k); }
};
template <int X> using Thrice = Tile<X * 3>;
constexpr int kPad = 24;
using Fixed = Tile<kPad>;
template <int Pad> struct Direct {
  static __device__ void rows(uint32_t (&r)[4], const half *p, int row, int k) {
    ldsm4(r, p + row * (16 + Pad) + k);
  }
};
template <int X> using DirectThrice = Direct<X * 3>;
__device__ void ldsm2(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void mma(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#define BEGIN                                                                                      \
  __shared__ half s[48 * 32];                                                                      \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  s[threadIdx.x] = A[threadIdx.x];                                                                 \
  __syncthreads();                                                                                 \
  float c[2][4] = {};                                                                              \
  uint32_t a[4], b[2];
__device__ void finish(float *C, const float (&c)[2][4]) {
  for (int e = 0; e < 8; e++)
    C[threadIdx.x * 8 + e] = c[e / 4][e % 4];
}

template <int Pad> __global__ void __launch_bounds__(64) ofBase(const half *A, float *C) {
  __shared__ Wider<Pad> tile;
  BEGIN
  // CHECK: note: ofBase keeps 'a' in CUDA's layout and moves it for each product: 'pitch' is of a class template, and moves into another template: the object is of 'Wider', which has it from 'Tile' ({{.*}}:[[# @LINE + 1]])
  tile.rows(a, warp * 16 + lane % 16, lane / 16 * 8);
  for (int j = 0; j < 2; j++) {
    ldsm2(b, s + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    mma(c[j], a, b);
  }
  finish(C, c);
}
template __global__ void ofBase<8>(const half *, float *);

template <int Pad, int More> __global__ void __launch_bounds__(64) twoNames(const half *A, float *C) {
  BEGIN
  // CHECK: note: twoNames keeps 'a' in CUDA's layout and moves it for each product: 'pitch' is of a class template, and moves into another template: calls name 'Reader' in different words ({{.*}}:[[# @LINE + 2]])
  Reader<Pad>::rows(a, s, warp * 16 + lane % 16, lane / 16 * 8);
  Reader<More>::rows(a, s, warp * 16 + lane % 16, lane / 16 * 8);
  for (int j = 0; j < 2; j++) {
    ldsm2(b, s + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    mma(c[j], a, b);
  }
  finish(C, c);
}
template __global__ void twoNames<8, 8>(const half *, float *);

template <int Pad> __global__ void __launch_bounds__(64) special(const half *A, float *C) {
  __shared__ Special<Pad, true> tile;
  BEGIN
  // CHECK: note: special keeps 'a' in CUDA's layout and moves it for each product: 'Pad' is a parameter of a template whose call does not say it ({{.*}}:[[# @LINE + 1]])
  tile.rows(a, warp * 16 + lane % 16, lane / 16 * 8);
  for (int j = 0; j < 2; j++) {
    ldsm2(b, s + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    mma(c[j], a, b);
  }
  finish(C, c);
}
template __global__ void special<8>(const half *, float *);

template <int Pad> __global__ void __launch_bounds__(64) member(const half *A, float *C) {
  __shared__ Maker<Pad> tile;
  BEGIN
  // CHECK: note: member keeps 'a' in CUDA's layout and moves it for each product: 'place' is of a class template, and moves into another template: it is a template itself ({{.*}}:[[# @LINE + 1]])
  tile.rows(a, warp * 16 + lane % 16, lane / 16 * 8);
  for (int j = 0; j < 2; j++) {
    ldsm2(b, s + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    mma(c[j], a, b);
  }
  finish(C, c);
}
template __global__ void member<8>(const half *, float *);

template <int Pad> __global__ void __launch_bounds__(64) hidden(const half *A, float *C) {
  constexpr int n = Pad;
  __shared__ Tile<n> tile;
  BEGIN
  for (int n = 0; n < 2; n++)
    // CHECK: note: hidden keeps 'a' in CUDA's layout and moves it for each product: 'Pad' is a parameter of a template whose call does not say it ({{.*}}:[[# @LINE + 1]])
    tile.padded(a, warp * 16 + lane % 16 + n, lane / 16 * 8);
  for (int j = 0; j < 2; j++) {
    ldsm2(b, s + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    mma(c[j], a, b);
  }
  finish(C, c);
}
template __global__ void hidden<8>(const half *, float *);

template <int Pad> __global__ void __launch_bounds__(64) thrice(const half *A, float *C) {
  __shared__ Thrice<Pad> tile;
  BEGIN
  // CHECK: note: thrice keeps 'a' in CUDA's layout and moves it for each product: 'Pad' is a parameter of a template whose call does not say it ({{.*}}:[[# @LINE + 1]])
  tile.padded(a, warp * 16 + lane % 16, lane / 16 * 8);
  for (int j = 0; j < 2; j++) {
    ldsm2(b, s + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    mma(c[j], a, b);
  }
  finish(C, c);
}
template __global__ void thrice<8>(const half *, float *);

template <int Pad> __global__ void __launch_bounds__(64) directThrice(const half *A, float *C) {
  BEGIN
  // CHECK: note: directThrice keeps 'a' in CUDA's layout and moves it for each product: 'Pad' is a parameter of a template whose call does not say it ({{.*}}:[[# @LINE + 1]])
  DirectThrice<Pad>::rows(a, s, warp * 16 + lane % 16, lane / 16 * 8);
  for (int j = 0; j < 2; j++) {
    ldsm2(b, s + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    mma(c[j], a, b);
  }
  finish(C, c);
}
template __global__ void directThrice<8>(const half *, float *);

template <int kPad> __global__ void __launch_bounds__(64) fixed(const half *A, float *C) {
  __shared__ Fixed tile;
  BEGIN
  // CHECK: note: fixed keeps 'a' in CUDA's layout and moves it for each product: 'Pad' is a parameter of a template whose call does not say it ({{.*}}:[[# @LINE + 1]])
  tile.padded(a, warp * 16 + lane % 16, lane / 16 * 8);
  for (int j = 0; j < 2; j++) {
    ldsm2(b, s + (j * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
    mma(c[j], a, b);
  }
  finish(C, c);
}
template __global__ void fixed<8>(const half *, float *);
