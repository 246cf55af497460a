// Places that follow from members of an object through locals of its method: another lane has others,
// and cannot be asked for them by name.
// RUN: %layout-port %s -o %t.hip --target gfx942 > %t.log 2>&1
// RUN: FileCheck %s < %t.log
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kLd = 40;
__device__ __forceinline__ uint32_t word(const half *p) { return *reinterpret_cast<const uint32_t *>(p); }
__device__ __forceinline__ void mma(float (&c)[4], const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void takeB(uint32_t (&b)[2], const half *s, int lane) {
  b[0] = word(s + lane / 4 * kLd + lane % 4 * 2);
  b[1] = word(s + lane / 4 * kLd + lane % 4 * 2 + 8);
}
#define KERNEL(name) __global__ void __launch_bounds__(64) name(float *C)
#define BEGIN                                                 \
  __shared__ half sA[32 * kLd], sB[8 * kLd];                  \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32; \
  float c[4] = {};                                            \
  uint32_t a[4], b[2]
#define END C[threadIdx.x] = c[0] + c[1] + c[2] + c[3]

struct Loader {
  const half *s;
  int row, lane;
  __device__ __forceinline__ void load(uint32_t (&f)[4]) const {
    const half *p = s + (row + lane / 4) * kLd + lane % 4 * 2;
    f[0] = word(p);
    f[1] = word(p + 8 * kLd);
    f[2] = word(p + 8);
    f[3] = word(p + 8 * kLd + 8);
  }
};
// CHECK-DAG: ofMembers keeps 'a' in CUDA's layout and moves it for each product: 'p' is made from the member 's', which may point to a variable of the thread's own
KERNEL(ofMembers) {
  BEGIN;
  Loader loader{sA, warp * 16, lane};
  loader.load(a);
  takeB(b, sB, lane);
  mma(c, a, b);
  END;
}
