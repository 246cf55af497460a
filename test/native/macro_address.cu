// Macros that hold ldmatrix with the address' conversion in their own text: the address is the
// kernel's words behind it, a macro's words with the kernel's names in it, one of a macro that another
// one calls, and a variable of the macro's own.
//
// RUN: %prove --launch %S/macro_address.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define PITCH 24
#define SMEM(p) static_cast<uint32_t>(__cvta_generic_to_shared((const void *)(p)))
#define LDSM_X4(r, p)                                                                              \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"                \
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                                    \
               : "r"((uint32_t)__cvta_generic_to_shared(p)))
#define LDSM_X2(r, tile, row)                                                                      \
  do {                                                                                             \
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];\n"                      \
                 : "=r"(r[0]), "=r"(r[1])                                                          \
                 : "r"((unsigned)(int)__cvta_generic_to_shared(&tile[row + lane % 8][lane / 8 % 2 * 8]))); \
  } while (0)
#define LDSM_X2_T(r, p)                                                                            \
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];\n"                  \
               : "=r"(r[0]), "=r"(r[1]) : "r"(SMEM(p)))
#define LDSM_X4_OWN(r, p)                                                                          \
  do {                                                                                             \
    const unsigned at_ = (unsigned)__cvta_generic_to_shared(p);                                    \
    unsigned from_ = at_ + 16;                                                                     \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"              \
                 : "=r"((r)[0]), "=r"((r)[1]), "=r"((r)[2]), "=r"((r)[3])                          \
                 : "r"(from_));                                                                    \
  } while (0)
#define MMA(d, a, b)                                                                               \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "              \
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"                                   \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                    \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

// A: 32 rows of 16, B: 16 rows of 16, and the same, turned.
// CHECK-LABEL: void {{.*}} twice(
// CHECK: lp::load_a(a, [&](int lane, int warp) { return sA + (warp * 16 + lane % 16) * PITCH + lane / 16 * 8; });
// CHECK: lp::load_b(b, [&](int lane, int, int j) { return &sB[j * 8 + lane % 8][lane / 8 % 2 * 8]; }, j);
// CHECK: lp::load_b_2(b, [&](int lane, int, int j) { return (const void *)({{.*}}sB[lane % 16]{{.*}} + j * 8); }, j);
__global__ void __launch_bounds__(64) twice(const half *A, const half *B, float *C, float *D) {
  __shared__ __align__(16) half sA[32 * PITCH], sB[16][PITCH];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 32 * 16; i += 64)
    sA[i / 16 * PITCH + i % 16] = A[blockIdx.x * 32 * 16 + i];
  for (int i = threadIdx.x; i < 16 * 16; i += 64)
    sB[i / 16][i % 16] = B[i];
  __syncthreads();
  float c[2][4] = {}, d[2][4] = {};
  uint32_t a[4], b[2];
  LDSM_X4(a, sA + (warp * 16 + lane % 16) * PITCH + lane / 16 * 8);
  for (int j = 0; j < 2; j++) {
    LDSM_X2(b, sB, j * 8);
    MMA(c[j], a, b);
  }
  for (int j = 0; j < 2; j++) {
    LDSM_X2_T(b, sB[lane % 16] + j * 8);
    MMA(d[j], a, b);
  }
  for (int j = 0; j < 2; j++)
    for (int h = 0; h < 2; h++) {
      const int at = (blockIdx.x * 32 + warp * 16 + lane / 4 + h * 8) * 16 + j * 8 + lane % 4 * 2;
      *(float2 *)&C[at] = make_float2(c[j][2 * h], c[j][2 * h + 1]);
      *(float2 *)&D[at] = make_float2(d[j][2 * h], d[j][2 * h + 1]);
    }
}

// Which tile B is in is one for all threads; the macro's variables are made again for another lane.
// CHECK-LABEL: void {{.*}} ownVariable(
// CHECK: const unsigned int at_ = (unsigned int)lp::cvta_generic_to_shared(&sA[warp * 16 + lane % 16][lane / 16 * 8]);
// CHECK-NEXT: return at_ + 16;
// CHECK-NOT: of_thread
__global__ void __launch_bounds__(64) ownVariable(const half *A, const half *B, float *C, int which) {
  __shared__ __align__(16) half sA[32][PITCH], sB[2][16][PITCH];
  half(*tile)[PITCH] = which ? sB[1] : sB[0];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 32 * 16; i += 64)
    sA[i / 16][i % 16 + 8] = A[blockIdx.x * 32 * 16 + i];
  for (int i = threadIdx.x; i < 16 * 16; i += 64)
    tile[i / 16][i % 16 + 8] = B[i];
  __syncthreads();
  float c[2][4] = {};
  uint32_t a[4], b[4];
  LDSM_X4_OWN(a, &sA[warp * 16 + lane % 16][lane / 16 * 8]);
  LDSM_X4_OWN(b, &tile[lane % 8 + lane / 16 * 8][lane / 8 % 2 * 8]);
  MMA(c[0], a, b);
  MMA(c[1], a, (b + 2));
  for (int j = 0; j < 2; j++)
    for (int h = 0; h < 2; h++)
      *(float2 *)&C[(blockIdx.x * 32 + warp * 16 + lane / 4 + h * 8) * 16 + j * 8 + lane % 4 * 2] =
          make_float2(c[j][2 * h], c[j][2 * h + 1]);
}
