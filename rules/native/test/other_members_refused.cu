// Methods and functions by whose names others are meant where their text would stand: the object is
// of a class that has the name for something else, or it is not const there and of two overloads the
// other one would be called.
//
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s --check-prefix=SAME
#include <cuda_fp16.h>
#include <stdint.h>

constexpr int kPitch = 24;

__device__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
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
  float c[4] = {};                                                                                 \
  uint32_t a[4], b[2];
#define END                                                                                        \
  for (int e = 0; e < 4; e++)                                                                      \
    C[threadIdx.x * 4 + e] = c[e];

struct Tile {
  half cells[32 * kPitch];
  __device__ int at(int row) const { return row * kPitch; }
  __device__ void rows(uint32_t (&r)[4], int row, int k) const { ldsm4(r, cells + at(row) + k); }
};
struct OtherMethod : Tile {
  __device__ int at(int row) const { return (row ^ 1) * kPitch; }
};
struct OtherCells : Tile {
  half cells[32 * kPitch];
};
struct Same : Tile {
  half more[8];
};
struct Both {
  half cells[32 * kPitch];
  __device__ int at(int row) const { return row * kPitch; }
  __device__ int at(int row) { return (row ^ 1) * kPitch; }
  __device__ const half *operator[](int row) const { return cells + row * kPitch; }
  __device__ half *operator[](int row) { return cells + (row ^ 1) * kPitch; }
  __device__ void rows(uint32_t (&r)[4], int row, int k) const { ldsm4(r, cells + at(row) + k); }
  __device__ void alike(uint32_t (&r)[4], int row, int k) { ldsm4(r, cells + at(row) + k); }
};
struct Outer {
  Both both;
  __device__ void rows(uint32_t (&r)[4], int row, int k) const { ldsm4(r, both[row] + k); }
};
__device__ void rowsOf(uint32_t (&r)[4], const Both &tile, int row, int k) {
  ldsm4(r, tile.cells + tile.at(row) + k);
}
__device__ void rowsBehind(uint32_t (&r)[4], const Both *tile, int row, int k) {
  ldsm4(r, tile->cells + tile->at(row) + k);
}
__device__ const half *behind(const half *p, int row) { return p + row * kPitch; }
__device__ half *behind(half *p, int row) { return p + (row ^ 1) * kPitch; }
__device__ void rowsFrom(uint32_t (&r)[4], const half *cells, int row, int k) {
  ldsm4(r, behind(cells, row) + k);
}
__device__ void rowsFromLocal(uint32_t (&r)[4], half *cells, int row, int k) {
  const half *const from = cells + k;
  ldsm4(r, behind(from, row));
}

__global__ void __launch_bounds__(64) otherMethod(const half *A, float *C) {
  __shared__ OtherMethod tile;
  BEGIN
  // CHECK-DAG: otherMethod keeps 'a' in CUDA's layout and moves it for each product: 'at' is another member of 'OtherMethod', by which it is used ({{.*}}:[[# @LINE + 1]])
  tile.rows(a, warp * 16 + lane % 16, lane / 16 * 8);
  ldsm2(b, s + lane % 8 * kPitch + lane / 8 % 2 * 8);
  mma(c, a, b);
  END
}

__global__ void __launch_bounds__(64) otherCells(const half *A, float *C) {
  __shared__ OtherCells tile;
  BEGIN
  // CHECK-DAG: otherCells keeps 'a' in CUDA's layout and moves it for each product: 'cells' is another member of 'OtherCells', by which it is used ({{.*}}:[[# @LINE + 1]])
  tile.rows(a, warp * 16 + lane % 16, lane / 16 * 8);
  ldsm2(b, s + lane % 8 * kPitch + lane / 8 % 2 * 8);
  mma(c, a, b);
  END
}

__global__ void __launch_bounds__(64) byItsClass(const half *A, float *C) {
  __shared__ OtherMethod tile;
  BEGIN
  // CHECK-DAG: byItsClass keeps 'a' in CUDA's layout and moves it for each product: 'at' is another member of 'OtherMethod', by which it is used ({{.*}}:[[# @LINE + 1]])
  tile.Tile::rows(a, warp * 16 + lane % 16, lane / 16 * 8);
  ldsm2(b, s + lane % 8 * kPitch + lane / 8 % 2 * 8);
  mma(c, a, b);
  END
}

__global__ void __launch_bounds__(64) notConst(const half *A, float *C) {
  __shared__ Both tile;
  BEGIN
  // CHECK-DAG: notConst keeps 'a' in CUDA's layout and moves it for each product: 'at' is overloaded for const and not, and the other one may be meant where it is used ({{.*}}:[[# @LINE + 1]])
  tile.rows(a, warp * 16 + lane % 16, lane / 16 * 8);
  ldsm2(b, s + lane % 8 * kPitch + lane / 8 % 2 * 8);
  mma(c, a, b);
  END
}

__global__ void __launch_bounds__(64) inOuter(const half *A, float *C) {
  __shared__ Outer tile;
  BEGIN
  // CHECK-DAG: inOuter keeps 'a' in CUDA's layout and moves it for each product: 'operator[]' is overloaded for const and not, and the other one may be meant where it is used ({{.*}}:[[# @LINE + 1]])
  tile.rows(a, warp * 16 + lane % 16, lane / 16 * 8);
  ldsm2(b, s + lane % 8 * kPitch + lane / 8 % 2 * 8);
  mma(c, a, b);
  END
}

__global__ void __launch_bounds__(64) byReference(const half *A, float *C) {
  __shared__ Both tile;
  BEGIN
  // CHECK-DAG: byReference keeps 'a' in CUDA's layout and moves it for each product: 'at' is overloaded for const and not, and the other one may be meant where it is used ({{.*}}:[[# @LINE + 1]])
  rowsOf(a, tile, warp * 16 + lane % 16, lane / 16 * 8);
  ldsm2(b, s + lane % 8 * kPitch + lane / 8 % 2 * 8);
  mma(c, a, b);
  END
}

__global__ void __launch_bounds__(64) byPointer(const half *A, float *C) {
  __shared__ Both tile;
  BEGIN
  // CHECK-DAG: byPointer keeps 'a' in CUDA's layout and moves it for each product: 'at' is overloaded for const and not, and the other one may be meant where it is used ({{.*}}:[[# @LINE + 1]])
  rowsBehind(a, &tile, warp * 16 + lane % 16, lane / 16 * 8);
  ldsm2(b, s + lane % 8 * kPitch + lane / 8 % 2 * 8);
  mma(c, a, b);
  END
}

__global__ void __launch_bounds__(64) ofCells(const half *A, float *C) {
  BEGIN
  // CHECK-DAG: ofCells keeps 'a' in CUDA's layout and moves it for each product: 'behind' is overloaded for const and not, and the other one may be meant where it is used ({{.*}}:[[# @LINE + 1]])
  rowsFrom(a, s, warp * 16 + lane % 16, lane / 16 * 8);
  ldsm2(b, s + lane % 8 * kPitch + lane / 8 % 2 * 8);
  mma(c, a, b);
  END
}

__global__ void __launch_bounds__(64) ofLocal(const half *A, float *C) {
  BEGIN
  // CHECK-DAG: ofLocal keeps 'a' in CUDA's layout and moves it for each product: 'behind' is overloaded for const and not, and the other one may be meant where it is used ({{.*}}:[[# @LINE + 1]])
  rowsFromLocal(a, s, warp * 16 + lane % 16, lane / 16 * 8);
  ldsm2(b, s + lane % 8 * kPitch + lane / 8 % 2 * 8);
  mma(c, a, b);
  END
}

// What is the same at the site is ported.
// SAME-NOT: {{same|alike|isConst}} is not native

__global__ void __launch_bounds__(64) same(const half *A, float *C) {
  __shared__ Same tile;
  BEGIN
  tile.rows(a, warp * 16 + lane % 16, lane / 16 * 8);
  ldsm2(b, s + lane % 8 * kPitch + lane / 8 % 2 * 8);
  mma(c, a, b);
  END
}

__global__ void __launch_bounds__(64) alike(const half *A, float *C) {
  __shared__ Both tile;
  BEGIN
  tile.alike(a, warp * 16 + lane % 16, lane / 16 * 8);
  ldsm2(b, s + lane % 8 * kPitch + lane / 8 % 2 * 8);
  mma(c, a, b);
  END
}

__global__ void __launch_bounds__(64) isConst(const half *A, float *C) {
  BEGIN
  const half *const cells = s;
  rowsFrom(a, cells, warp * 16 + lane % 16, lane / 16 * 8);
  ldsm2(b, s + lane % 8 * kPitch + lane / 8 % 2 * 8);
  mma(c, a, b);
  END
}
