// PTX in methods: of fragments as classes, static, of templates.
// RUN: %layout-port %s --max-tier=bridged --target gfx90a,gfx942,gfx950 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: not grep -E "^ *asm volatile[(]\"[a-z]" %t.hip
// RUN: %layout-port verify %s %t.hip --launch %S/Inputs/members.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}{{tested|proved}}: all outputs
#include <cuda_fp16.h>
#include <stdint.h>
struct TileA {
  uint32_t x[4];
  __device__ __forceinline__ void load(const __half *p, int ld) {
    uint32_t s = (uint32_t)__cvta_generic_to_shared(p + (threadIdx.x % 16) * ld + (threadIdx.x / 16 % 2) * 8);
    // CHECK: lp::ldmatrix_x4{{.*}}x[0], x[1], x[2], x[3]
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(s));
  }
};
struct TileB {
  uint32_t x[2];
  __device__ __forceinline__ void load(const __half *p, int ld) {
    uint32_t s = (uint32_t)__cvta_generic_to_shared(p + (threadIdx.x % 16) * ld);
    // CHECK: this->x[0], this->x[1]
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(this->x[0]), "=r"(this->x[1]) : "r"(s));
  }
};
struct Accumulator {
  float x[4];
  __device__ Accumulator() { x[0] = x[1] = x[2] = x[3] = 0.f; }
  __device__ __forceinline__ Accumulator &mma(const TileA &A, const TileB &B) {
    // CHECK: A.x[0], A.x[1], A.x[2], A.x[3], B.x[0], B.x[1]
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3]) : "r"(A.x[0]), "r"(A.x[1]), "r"(A.x[2]), "r"(A.x[3]), "r"(B.x[0]), "r"(B.x[1]));
    return *this;
  }
};
template <class A, class B> struct Product {
  static __device__ void add(float (&d)[4], A const &a, B const &b) {
    // CHECK: a.x[0], a.x[1], a.x[2], a.x[3], b.x[0], b.x[1]
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
                 : "r"(a.x[0]), "r"(a.x[1]), "r"(a.x[2]), "r"(a.x[3]), "r"(b.x[0]), "r"(b.x[1]), "f"(d[0]), "f"(d[1]), "f"(d[2]), "f"(d[3]));
  }
};
__global__ void members(float *D, const __half *A, const __half *B) {
  __shared__ __half sa[16 * 16], sb[16 * 8];
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    sa[i] = A[i];
  for (int i = threadIdx.x; i < 128; i += blockDim.x)
    sb[i] = B[i];
  __syncthreads();
  TileA a;
  a.load(sa, 16);
  TileB b;
  b.load(sb, 8);
  Accumulator c;
  c.mma(a, b).mma(a, b);
  Product<TileA, TileB>::add(c.x, a, b);
  const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, quad = threadIdx.x % 4;
  D[row * 8 + quad * 2] = c.x[0];
  D[row * 8 + quad * 2 + 1] = c.x[1];
  D[(row + 8) * 8 + quad * 2] = c.x[2];
  D[(row + 8) * 8 + quad * 2 + 1] = c.x[3];
}
