// An address in a wrapper mentions what has no words where the wrapper is called: the parameter of
// a template, taken from the size of an array or said by another wrapper's own, while the kernel
// is a template of other sizes too; a private constant; a macro or an overload that is another one
// by then.
//
// RUN: %layout-port %s -o %t.hip 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

template <int N> __device__ void rows(uint32_t (&r)[N], const half *p, int row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p + row * (N * 4))));
}
template <int Width> __device__ void columns(uint32_t (&r)[2], const half *p, int row) {
  constexpr int halves = Width / 2;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p + row * halves)));
}
template <int Rows> __device__ void outer(uint32_t (&r)[2], const half *p, int row) {
  columns<Rows * 2>(r, p, row);
}
class Private {
  static constexpr int width = 16;

public:
  static __device__ void rows(uint32_t (&r)[4], const half *p, int row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(p + row * width)));
  }
};
#define WIDTH 16
__device__ int offset(unsigned row) { return row * 16; }
__device__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void byMacro(uint32_t (&r)[4], const half *p, int row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p + row * WIDTH)));
}
__device__ void byOverload(uint32_t (&r)[4], const half *p, int row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p + offset(row))));
}
namespace {
__device__ int inside(unsigned row) { return row * 16; }
__device__ void byInside(uint32_t (&r)[4], const half *p, int row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p + inside(row))));
}
} // namespace
namespace argument {
struct Row {
  int number;
};
} // namespace argument
__device__ int of(argument::Row row, long) { return row.number * 16; }
__device__ int operator+(argument::Row row, long n) { return row.number * 16 + (int)n; }
__device__ void byArgument(uint32_t (&r)[4], const half *p, int row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p + of(argument::Row{row}, 0))));
}
__device__ void byOperator(uint32_t (&r)[4], const half *p, int row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p + (argument::Row{row} + 0))));
}
__device__ int index() { return (threadIdx.x % 16 ^ threadIdx.x / 16 % 2) * 16; }
namespace more {
__device__ int index(int more) { return more; }
} // namespace more
using namespace more;
namespace argument {
__device__ int of(Row row, int) { return row.number; }
__device__ int operator+(Row row, int n) { return row.number + n; }
} // namespace argument
__device__ int inside(int row) { return row; }
#undef WIDTH
#define WIDTH 8
__device__ int offset(int row) { return row * WIDTH; }
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

template <int Size> __global__ void __launch_bounds__(64) deduced(const half *A, float *C) {
  BEGIN
  // CHECK: note: deduced keeps 'a' in CUDA's layout and moves it for each product: 'N' is a parameter of a template whose call does not say it ({{.*}}:[[# @LINE + 1]])
  rows(a, s + warp * 16 * 16, lane % 16);
  for (int j = 0; j < 2; j++) {
    columns<32>(b, s + (32 + j * 8) * 16, lane % 8);
    mma(c[j], a, b);
  }
  END
}
template __global__ void deduced<16>(const half *, float *);

template <int Size> __global__ void __launch_bounds__(64) nested(const half *A, float *C) {
  BEGIN
  rows<4>(a, s + warp * 16 * 16, lane % 16);
  for (int j = 0; j < 2; j++) {
    // CHECK: note: nested keeps 'b' in CUDA's layout and moves it for each product: 'Width' is a parameter of a template whose call does not say it ({{.*}}:[[# @LINE + 1]])
    outer<Size>(b, s + (32 + j * 8) * 16, lane % 8);
    mma(c[j], a, b);
  }
  END
}
template __global__ void nested<16>(const half *, float *);

__global__ void __launch_bounds__(64) hidden(const half *A, float *C) {
  BEGIN
  // CHECK: note: hidden keeps 'a' in CUDA's layout and moves it for each product: 'width' is private to its class ({{.*}}:[[# @LINE + 1]])
  Private::rows(a, s + warp * 16 * 16, lane % 16);
  for (int j = 0; j < 2; j++) {
    columns<32>(b, s + (32 + j * 8) * 16, lane % 8);
    mma(c[j], a, b);
  }
  END
}

__global__ void __launch_bounds__(64) defined(const half *A, float *C) {
  BEGIN
  // CHECK: note: defined keeps 'a' in CUDA's layout and moves it for each product: the macro 'WIDTH' is another one where it is used ({{.*}}:[[# @LINE + 1]])
  byMacro(a, s + warp * 16 * 16, lane % 16);
  for (int j = 0; j < 2; j++) {
    columns<32>(b, s + (32 + j * 8) * 16, lane % 8);
    mma(c[j], a, b);
  }
  END
}

__global__ void __launch_bounds__(64) overloaded(const half *A, float *C) {
  BEGIN
  // CHECK: note: overloaded keeps 'a' in CUDA's layout and moves it for each product: another 'offset' is declared before it is used ({{.*}}:[[# @LINE + 1]])
  byOverload(a, s + warp * 16 * 16, lane % 16);
  for (int j = 0; j < 2; j++) {
    columns<32>(b, s + (32 + j * 8) * 16, lane % 8);
    mma(c[j], a, b);
  }
  END
}

__global__ void __launch_bounds__(64) ofInside(const half *A, float *C) {
  BEGIN
  // CHECK: note: ofInside keeps 'a' in CUDA's layout and moves it for each product: another 'inside' is declared before it is used ({{.*}}:[[# @LINE + 1]])
  byInside(a, s + warp * 16 * 16, lane % 16);
  for (int j = 0; j < 2; j++) {
    columns<32>(b, s + (32 + j * 8) * 16, lane % 8);
    mma(c[j], a, b);
  }
  END
}

__global__ void __launch_bounds__(64) ofArgument(const half *A, float *C) {
  BEGIN
  // CHECK: note: ofArgument keeps 'a' in CUDA's layout and moves it for each product: another 'of' is declared before it is used ({{.*}}:[[# @LINE + 1]])
  byArgument(a, s + warp * 16 * 16, lane % 16);
  for (int j = 0; j < 2; j++) {
    columns<32>(b, s + (32 + j * 8) * 16, lane % 8);
    mma(c[j], a, b);
  }
  END
}

__global__ void __launch_bounds__(64) ofOperator(const half *A, float *C) {
  BEGIN
  // CHECK: note: ofOperator keeps 'a' in CUDA's layout and moves it for each product: another 'operator+' is declared before it is used ({{.*}}:[[# @LINE + 1]])
  byOperator(a, s + warp * 16 * 16, lane % 16);
  for (int j = 0; j < 2; j++) {
    columns<32>(b, s + (32 + j * 8) * 16, lane % 8);
    mma(c[j], a, b);
  }
  END
}

__global__ void __launch_bounds__(64) told(const half *A, float *C) {
  BEGIN
  // CHECK: note: told keeps 'a' in CUDA's layout and moves it for each product: the address is computed by 'index', which reads the thread's index itself ({{.*}}:[[# @LINE + 1]])
  ldsm4(a, s + warp * 16 * 16 + index());
  for (int j = 0; j < 2; j++) {
    columns<32>(b, s + (32 + j * 8) * 16, lane % 8);
    mma(c[j], a, b);
  }
  END
}
