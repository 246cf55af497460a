// Several matrix instructions in one asm, with the arithmetic of their addresses, and side by side
// in one macro: each is read or multiplied by itself, in one statement.
//
// RUN: %prove --launch %S/in_one_asm.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

// An address of any space.
#define READ_A(R, P)                                                                               \
  asm volatile("{\n"                                                                               \
               ".reg .u64 wide;\n"                                                                 \
               ".reg .u32 at;\n"                                                                   \
               "cvta.to.shared.u64 wide, %4;\n"                                                    \
               "cvt.u32.u64 at, wide;\n"                                                           \
               "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [at];\n"                   \
               "}\n"                                                                               \
               : "=r"(R[0]), "=r"(R[1]), "=r"(R[2]), "=r"(R[3]) : "l"(P))

// Two tiles, some bytes behind each other.
__device__ inline void readTwo(uint32_t (&r)[2][2], uint32_t at, int apart) {
  asm volatile("{\n"
               ".reg .u32 second;\n"
               "add.s32 second, %4, %5;\n"
               "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%4];\n"
               "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%2,%3}, [second];\n"
               "}\n"
               : "=r"(r[0][0]), "=r"(r[0][1]), "=r"(r[1][0]), "=r"(r[1][1]) : "r"(at), "r"(apart));
}
#define READ_ONE(R, AT)                                                                            \
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2+16];"                        \
               : "=r"(R[0]), "=r"(R[1]) : "r"(AT))
#define MULTIPLY_TWO(C, A, B)                                                                      \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "                 \
               "{%8,%9,%10,%11}, {%12,%13}, {%0,%1,%2,%3};\n"                                      \
               "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%4,%5,%6,%7}, "                 \
               "{%8,%9,%10,%11}, {%14,%15}, {%4,%5,%6,%7};\n"                                      \
               : "+f"(C[0][0]), "+f"(C[0][1]), "+f"(C[0][2]), "+f"(C[0][3]), "+f"(C[1][0]),        \
                 "+f"(C[1][1]), "+f"(C[1][2]), "+f"(C[1][3])                                       \
               : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0][0]), "r"(B[0][1]),           \
                 "r"(B[1][0]), "r"(B[1][1]))
// A read, and what is made of it.
#define READ_AND_MULTIPLY(C, A, B, AT)                                                             \
  do {                                                                                             \
    const uint32_t place = (AT) - 16;                                                              \
    READ_ONE(B[0], place);                                                                         \
    READ_ONE(B[1], place + 8 * 48);                                                                \
    MULTIPLY_TWO(C, A, B);                                                                         \
  } while (0)

__device__ void copyRows(half *tile, const half *X, int rows, int K, int k) {
  for (int v = threadIdx.x; v < rows * 2; v += 64)
    *(uint4 *)(tile + v / 2 * 24 + v % 2 * 8) = *(const uint4 *)(X + v / 2 * K + k + v % 2 * 8);
}

// 2 warps of 16 x 16, one above the other.
// CHECK-LABEL: void {{.*}} byAsm(
// CHECK: lp::load_b(b[0], [&]
// CHECK: }),
// CHECK-NEXT: lp::load_b(b[1], [&]
// CHECK: return ((at) + (apart));
// CHECK: lp::mma_m16n8k16_f32_f16{{.*}}(c[0], c[1], a, b[0], b[1], held, (k - k0) / 16);
__global__ void __launch_bounds__(64) byAsm(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half sA[32 * 24], sB[16 * 24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    __syncthreads();
    copyRows(sA, A + blockIdx.x * 32 * K, 32, K, k);
    copyRows(sB, B, 16, K, k);
    __syncthreads();
    uint32_t a[4], b[2][2];
    READ_A(a, sA + (warp * 16 + lane % 16) * 24 + lane / 16 * 8);
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(sB + lane % 8 * 24 + lane / 8 % 2 * 8);
    readTwo(b, at, 8 * 48);
    MULTIPLY_TWO(c, a, b);
  }
  for (int j = 0; j < 2; j++)
    for (int h = 0; h < 2; h++)
      *(float2 *)&C[(blockIdx.x * 32 + warp * 16 + lane / 4 + h * 8) * 16 + j * 8 + lane % 4 * 2] =
          make_float2(c[j][2 * h], c[j][2 * h + 1]);
}

// CHECK-LABEL: void {{.*}} byMacro(
// CHECK: lp::load_b{{.*}}(b[0], [&]
// CHECK: lp::load_b{{.*}}(b[1], [&]
// CHECK: lp::mma_m16n8k16_f32_f16{{.*}}(c[0], c[1], a, b[0], b[1]);
__global__ void __launch_bounds__(64) byMacro(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half sA[32 * 24], sB[16 * 24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    __syncthreads();
    copyRows(sA, A + blockIdx.x * 32 * K, 32, K, k);
    copyRows(sB, B, 16, K, k);
    __syncthreads();
    uint32_t a[4], b[2][2];
    READ_A(a, sA + (warp * 16 + lane % 16) * 24 + lane / 16 * 8);
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(sB + lane % 8 * 24 + lane / 8 % 2 * 8);
    READ_AND_MULTIPLY(c, a, b, at);
  }
  for (int j = 0; j < 2; j++)
    for (int h = 0; h < 2; h++)
      *(float2 *)&C[(blockIdx.x * 32 + warp * 16 + lane / 4 + h * 8) * 16 + j * 8 + lane % 4 * 2] =
          make_float2(c[j][2 * h], c[j][2 * h + 1]);
}
