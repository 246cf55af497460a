// A step of k in two macros: one reads both operands by addresses that it declares, the other multiplies
// all tiles, in serpentine order; registers in turns.
//
// RUN: %prove --launch %S/macro_steps.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define LDSM_X4(R, ADDRESS)                                                                         \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"                      \
               : "=r"((R)[0]), "=r"((R)[1]), "=r"((R)[2]), "=r"((R)[3]) : "r"(ADDRESS) : "memory")
#define HMMA(D, A, B0, B1)                                                                          \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "   \
               "{%8,%9}, {%0,%1,%2,%3};"                                                            \
               : "+f"((D)[0]), "+f"((D)[1]), "+f"((D)[2]), "+f"((D)[3])                             \
               : "r"((A)[0]), "r"((A)[1]), "r"((A)[2]), "r"((A)[3]), "r"(B0), "r"(B1))

constexpr int kPitch = 40, kRows16 = 16 * kPitch * 2;

__global__ void __launch_bounds__(64) macroSteps(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half tileA[64 * kPitch], tileB[32 * kPitch];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const uint32_t a0 = __cvta_generic_to_shared(tileA), b0 = __cvta_generic_to_shared(tileB);
  const uint32_t rowA = (warp * 32 + (lane & 15)) * kPitch * 2, rowB = ((lane & 7) + (lane >> 4) * 8) * kPitch * 2;
  uint32_t ra[2][2][4], rb[2][2][4];

#define LOAD(p, k)                                                                                  \
  do {                                                                                              \
    const uint32_t atA = a0 + rowA + ((k) + (lane >> 4) * 8) * 2;                                   \
    const uint32_t atB = b0 + rowB + ((k) + (lane >> 3 & 1) * 8) * 2;                               \
    LDSM_X4(ra[p][0], atA);                                                                         \
    LDSM_X4(ra[p][1], atA + kRows16);                                                               \
    LDSM_X4(rb[p][0], atB);                                                                         \
    LDSM_X4(rb[p][1], atB + kRows16);                                                               \
  } while (0)
#define COMPUTE(p)                                                                                  \
  do {                                                                                              \
    HMMA(c[0][0], ra[p][0], rb[p][0][0], rb[p][0][1]);                                              \
    HMMA(c[0][1], ra[p][0], rb[p][0][2], rb[p][0][3]);                                              \
    HMMA(c[0][2], ra[p][0], rb[p][1][0], rb[p][1][1]);                                              \
    HMMA(c[0][3], ra[p][0], rb[p][1][2], rb[p][1][3]);                                              \
    HMMA(c[1][3], ra[p][1], rb[p][1][2], rb[p][1][3]);                                              \
    HMMA(c[1][2], ra[p][1], rb[p][1][0], rb[p][1][1]);                                              \
    HMMA(c[1][1], ra[p][1], rb[p][0][2], rb[p][0][3]);                                              \
    HMMA(c[1][0], ra[p][1], rb[p][0][0], rb[p][0][1]);                                              \
  } while (0)

  float c[2][4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    for (int v = threadIdx.x; v < 64 * 4; v += 64)
      *(uint4 *)&tileA[v / 4 * kPitch + v % 4 * 8] = *(const uint4 *)&A[v / 4 * K + k0 + v % 4 * 8];
    for (int v = threadIdx.x; v < 32 * 4; v += 64)
      *(uint4 *)&tileB[v / 4 * kPitch + v % 4 * 8] = *(const uint4 *)&B[(blockIdx.x * 32 + v / 4) * K + k0 + v % 4 * 8];
    __syncthreads();
    // CHECK: lp::load_a(ra[0][0], [&](int lane, int warp) {
    // CHECK: lp::load_a(ra[0][1], [&](int lane, int warp) {
    // CHECK: lp::mma_m16n8k16_f32_f16{{[a-z_]*}}(c[0][0]
    LOAD(0, 0);
    LOAD(1, 16);
    COMPUTE(0);
    COMPUTE(1);
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) {
      float *out = C + (warp * 32 + i * 16 + lane / 4) * N + blockIdx.x * 32 + j * 8 + lane % 4 * 2;
      *(float2 *)out = make_float2(c[i][j][0], c[i][j][1]);
      *(float2 *)(out + 8 * N) = make_float2(c[i][j][2], c[i][j][3]);
    }
}
