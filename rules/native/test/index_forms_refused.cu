// What a thread's number is made of is said in other words only where it is known for every thread,
// and stays what it was.
//
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
// RUN: %ported %t.hip | FileCheck %s --check-prefix=PORT
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void load(uint32_t (&r)[4], const half *p) {
  const uint32_t at = __cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}
struct Counted {
  int lane;
  mutable int row;
  __device__ int next() const { return row += 16; }
};
__device__ void pick(int &row, int n) { row = threadIdx.x / 32 == n ? 16 : 0; }
__device__ void count(int &row, int n) {
  row = 0;
  for (int i = 0; i < n; ++i)
    row += threadIdx.x / 32;
}

#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(128) name(const uint32_t *B, float *C, int K, int n)
#define BEGIN                                                                                      \
  __shared__ half s[80 * 16];                                                                      \
  float c[4] = {};                                                                                 \
  uint32_t a[4], b[2];                                                                             \
  for (int r = 0; r < 2; ++r)                                                                      \
    b[r] = B[threadIdx.x % 32 + r * 32];

// Through what is const.
// CHECK-DAG: mutates keeps 'a' in CUDA's layout and moves it for each product: 'at' is an array or struct of the thread's own (
KERNEL(mutates) {
  BEGIN
  Counted at = {int(threadIdx.x % 32), int(threadIdx.x / 32 * 16)};
  at.next();
  for (int k = 0; k < K; k += 16) {
    load(a, &s[(at.row + at.lane % 16) * 16 + at.lane / 16 * 8]);
    mma(c, a, b);
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// Each lane is asked: what the warp's number is compared with is not known, nor how often a loop
// turns.
// CHECK-DAG: native {{.*}} each lane reads what the MFMA wants of it
// PORT: KERNEL(asked)
// PORT: lp::load_a(a, [&, row_ = row, other_ = other](int lane, int warp) {
// PORT-NEXT: const auto row = lp::of_thread(row_, lane, warp);
// PORT-NEXT: const auto other = lp::of_thread(other_, lane, warp);
KERNEL(asked) {
  __shared__ half s[80 * 16];
  const int lane = threadIdx.x % 32;
  float c[4] = {};
  uint32_t a[4], b[2];
  for (int r = 0; r < 2; ++r)
    b[r] = B[lane + r * 32];
  int row, other;
  pick(row, n);
  count(other, n);
  for (int k = 0; k < K; k += 16) {
    load(a, &s[(row + other + lane % 16) * 16 + lane / 16 * 8]);
    mma(c, a, b);
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}
