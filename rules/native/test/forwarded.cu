// ldmatrix into registers that hand on what they got is a load of where they hand it; not so where
// they are used otherwise too, or where the copies cannot stand at the load.
//
// RUN: %layout-port %s -o %t.hip 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t *r, const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void mma(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#define BEGIN                                                                                      \
  __shared__ half s[64 * 16];                                                                      \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  for (int i = threadIdx.x; i < 64 * 16; i += 64)                                                  \
    s[i] = A[i];                                                                                   \
  __syncthreads();                                                                                 \
  float c[2][4] = {};                                                                              \
  uint32_t a[4], b[2][2];                                                                          \
  const half *at = s + (32 + lane % 8 + lane / 16 * 8) * 16 + lane / 8 % 2 * 8;
#define END                                                                                        \
  for (int e = 0; e < 8; e++)                                                                      \
    C[threadIdx.x * 8 + e] = c[e / 4][e % 4];
#define KERNEL(name) __global__ void __launch_bounds__(64) name(const half *A, float *C)

// CHECK-NOT: forwards is not native
KERNEL(forwards) {
  BEGIN
  ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  uint32_t r[4];
  ldsm4(r, at);
  b[0][0] = r[0];
  b[0][1] = r[1];
  b[1][0] = r[2];
  b[1][1] = r[3];
  for (int j = 0; j < 2; j++)
    mma(c[j], a, b[j]);
  END
}

// CHECK: note: usedTwice keeps 'b' in CUDA's layout and moves it for each product: 'b': its value reads 'r', registers of the thread's own
KERNEL(usedTwice) {
  BEGIN
  ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  uint32_t r[4];
  ldsm4(r, at);
  b[0][0] = r[0];
  b[0][1] = r[1];
  b[1][0] = r[2];
  b[1][1] = r[3];
  if (threadIdx.x == 0)
    C[1024] = __uint_as_float(r[3]);
  for (int j = 0; j < 2; j++)
    mma(c[j], a, b[j]);
  END
}

// CHECK: note: inPart keeps 'b' in CUDA's layout and moves it for each product: 'b': its value reads 'r', registers of the thread's own
KERNEL(inPart) {
  BEGIN
  ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  uint32_t r[4];
  ldsm4(r, at);
  b[0][0] = r[0];
  b[0][1] = r[1];
  b[1][0] = r[2];
  b[1][1] = r[2];
  for (int j = 0; j < 2; j++)
    mma(c[j], a, b[j]);
  END
}

// What is copied is counted by what is computed behind the load.
// CHECK: note: counted keeps 'b' in CUDA's layout and moves it for each product: {{.*}}'r'
KERNEL(counted) {
  BEGIN
  ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  uint32_t r[4];
  ldsm4(r, at);
  const int j = C[0] > 0.f ? 0 : 1;
  b[j][0] = r[0];
  b[j][1] = r[1];
  b[1 - j][0] = r[2];
  b[1 - j][1] = r[3];
  for (int j = 0; j < 2; j++)
    mma(c[j], a, b[j]);
  END
}

// A register is written by another statement in between, which counts no more then.
// CHECK: note: overwritten keeps 'b' in CUDA's layout and moves it for each product: {{.*}}'r'
KERNEL(overwritten) {
  BEGIN
  ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  uint32_t r[4];
  ldsm4(r, at);
  b[0][0] = r[0];
  b[0][1] = r[1];
  b[1][1] = 0;
  b[1][0] = r[2];
  b[1][1] = r[3];
  for (int j = 0; j < 2; j++)
    mma(c[j], a, b[j]);
  END
}

// CHECK: note: waits keeps 'b' in CUDA's layout and moves it for each product: {{.*}}'r'
KERNEL(waits) {
  BEGIN
  ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  uint32_t r[4];
  ldsm4(r, at);
  b[0][0] = r[0];
  b[0][1] = r[1];
  if (C[0] > 0.f)
    C[1] = 0.f;
  b[1][0] = r[2];
  b[1][1] = r[3];
  for (int j = 0; j < 2; j++)
    mma(c[j], a, b[j]);
  END
}

// A variable that counts the places is changed behind the load.
// CHECK: note: moves keeps 'b' in CUDA's layout and moves it for each product: {{.*}}'r'
KERNEL(moves) {
  BEGIN
  ldsm4(a, s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8);
  uint32_t r[4];
  int j = 1;
  ldsm4(r, at);
  const int last = j--;
  b[j][0] = r[0];
  b[j][1] = r[1];
  b[j + 1][0] = r[2];
  b[j + 1][1] = r[3];
  C[1024] = last;
  for (int j = 0; j < 2; j++)
    mma(c[j], a, b[j]);
  END
}
