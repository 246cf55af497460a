// Results that are packed into part of their own registers leave the rest to one half of the rows:
// who reads that before it is written, in the next turn or behind the loop, needs CUDA's layout. A
// pointer into an operand's registers names them behind the products where all words that are read
// were written through it or by name.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t (&r)[4], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
}
__device__ void ldsm2(uint32_t (&r)[2], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void mmaWords(float (&d)[4], uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b[0]), "r"(b[1]));
}

#define SETUP                                                                                      \
  __shared__ half s[512];                                                                          \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);                                     \
  float p[2][4] = {}, o[4] = {};                                                                   \
  uint32_t a[4], b[2];
#define WORD(x) (*reinterpret_cast<uint32_t *>(&(x)))
#define PACK(t)                                                                                    \
  for (int r = 0; r < 4; ++r)                                                                      \
    reinterpret_cast<half *>(&p[t][0])[r] = __float2half_rn(p[t][r]);
// CHECK-DAG: summedOn is not native: {{.*}}rows r and r + 8 of a tile are not treated alike in 'p'
__global__ void __launch_bounds__(64) summedOn(float *C, int n) {
  SETUP
  ldsm4(a, base + (warp * 16 + lane % 16) * 16);
  ldsm2(b, base + lane % 16 * 16);
  for (int i = 0; i < n; ++i) {
    mma(p[0], a, b);
    mma(p[1], a, b);
    PACK(0)
    PACK(1)
    mmaWords(o, WORD(p[0][0]), WORD(p[0][1]), WORD(p[1][0]), WORD(p[1][1]), b);
  }
  C[threadIdx.x] = o[0] + o[1] + o[2] + o[3];
}

// CHECK-DAG: onlySome is not native: {{.*}}rows r and r + 8 of a tile are not treated alike in 'p'
__global__ void __launch_bounds__(64) onlySome(float *C, int n) {
  SETUP
  ldsm4(a, base + (warp * 16 + lane % 16) * 16);
  ldsm2(b, base + lane % 16 * 16);
  for (int i = 0; i < n; ++i) {
    for (int t = 0; t < 2; ++t)
      p[t][0] = p[t][1] = p[t][2] = 0.f;
    mma(p[0], a, b);
    mma(p[1], a, b);
    PACK(0)
    PACK(1)
    mmaWords(o, WORD(p[0][0]), WORD(p[0][1]), WORD(p[1][0]), WORD(p[1][1]), b);
  }
  C[threadIdx.x] = o[0] + o[1] + o[2] + o[3];
}

// CHECK-DAG: behind is not native: {{.*}}rows r and r + 8 of a tile are not treated alike in 'p'
__global__ void __launch_bounds__(64) behind(float *C, int n) {
  SETUP
  ldsm4(a, base + (warp * 16 + lane % 16) * 16);
  ldsm2(b, base + lane % 16 * 16);
  for (int i = 0; i < n; ++i) {
    for (int t = 0; t < 2; ++t)
      p[t][0] = p[t][1] = p[t][2] = p[t][3] = 0.f;
    mma(p[0], a, b);
    mma(p[1], a, b);
    PACK(0)
    PACK(1)
    mmaWords(o, WORD(p[0][0]), WORD(p[0][1]), WORD(p[1][0]), WORD(p[1][1]), b);
  }
  C[threadIdx.x] = o[0] + o[1] + o[2] + o[3] + p[0][3];
}

// CHECK-NOT: setAnew is not native
__global__ void __launch_bounds__(64) setAnew(float *C, int n) {
  SETUP
  ldsm4(a, base + (warp * 16 + lane % 16) * 16);
  ldsm2(b, base + lane % 16 * 16);
  for (int i = 0; i < n; ++i) {
    for (int t = 0; t < 2; ++t)
      p[t][0] = p[t][1] = p[t][2] = p[t][3] = 0.f;
    mma(p[0], a, b);
    mma(p[1], a, b);
    PACK(0)
    PACK(1)
    mmaWords(o, WORD(p[0][0]), WORD(p[0][1]), WORD(p[1][0]), WORD(p[1][1]), b);
  }
  C[threadIdx.x] = o[0] + o[1] + o[2] + o[3];
}

// CHECK-DAG: readThrough keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64) readThrough(float *C, uint32_t *D) {
  SETUP
  ldsm4(a, base + (warp * 16 + lane % 16) * 16);
  ldsm2(b, base + lane % 16 * 16);
  mma(o, a, b);
  uint32_t *words = reinterpret_cast<uint32_t *>(&a[0]);
  words[0] = __float_as_uint(o[0]);
  words[1] = __float_as_uint(o[1]);
  D[threadIdx.x] = words[0] + words[2];
}

// CHECK-DAG: walkedThrough keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64) walkedThrough(float *C, uint32_t *D) {
  SETUP
  ldsm4(a, base + (warp * 16 + lane % 16) * 16);
  ldsm2(b, base + lane % 16 * 16);
  mma(o, a, b);
  uint32_t *words = reinterpret_cast<uint32_t *>(&a[0]);
  words[0] = __float_as_uint(o[0]);
  ++words;
  D[threadIdx.x] = words[0];
}

// Where the pointer leads is the outer counter's, and not the one of that name around its use.
// CHECK-DAG: byCounter keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64) byCounter(float *C, uint32_t *D) {
  SETUP
  ldsm4(a, base + (warp * 16 + lane % 16) * 16);
  ldsm2(b, base + lane % 16 * 16);
  mma(o, a, b);
  for (int i = 0; i < 1; ++i) {
    uint32_t *words = reinterpret_cast<uint32_t *>(&a[i]);
    for (int i = 1; i < 2; ++i)
      words[0] = __float_as_uint(o[i]);
    D[threadIdx.x] = a[1];
  }
}
