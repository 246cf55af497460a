// Four tiles that would not be alike in one 32x32 MFMA (large_tiles.cu): it is done at the last of them,
// with operands of all. They stay in 16x16 ones.
//
// RUN: %prove --launch %S/large_tiles_apart.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
// RUN: %layout-port %s --target gfx942 --explain-plan 2>&1 | FileCheck %s --check-prefix=WHY
//
// CHECK-NOT: {{% 4 == 3|% 2 == 1}}
// WHY-LABEL: kernel pipelined
// WHY: 32x32 MFMA{{.*}}: an operand is read behind a product that waits for another tile of 'c'
// WHY-LABEL: kernel pipelinedA
// WHY: 32x32 MFMA{{.*}}: an operand is read behind a product that waits for another tile of 'c'
// WHY-LABEL: kernel sixTiles
// WHY: 32x32 MFMA{{.*}}: 'c' has 6 tiles along n, and the two warps of a wave need 4 together
// WHY-LABEL: kernel threeRows
// WHY: 32x32 MFMA{{.*}}: no plain loop over the m tiles of 'c'
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t smem(const void *p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ void ldsm4(uint32_t &a, uint32_t &b, uint32_t &c, uint32_t &d, uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(at));
}
__device__ __forceinline__ void ldsm2(uint32_t (&b)[2], uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(b[0]), "=r"(b[1])
               : "r"(at));
}
__device__ __forceinline__ void mma(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// All of k, 48.
constexpr int kPitch = 56;
struct Tiles {
  half a[96][kPitch], b[64][kPitch];
};
__device__ void fill(Tiles &t, const half *A, const half *B) {
  for (int i = threadIdx.x; i < 96 * 6; i += 64)
    *(uint4 *)&t.a[i / 6][i % 6 * 8] = *(const uint4 *)&A[i / 6 * 48 + i % 6 * 8];
  for (int i = threadIdx.x; i < 64 * 6; i += 64)
    *(uint4 *)&t.b[i / 6][i % 6 * 8] = *(const uint4 *)&B[i / 6 * 48 + i % 6 * 8];
  __syncthreads();
}
#define SETUP                                                                                      \
  __shared__ __align__(16) Tiles t;                                                                \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  fill(t, A, B);
#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(64) name(const half *A, const half *B, float *C, int steps)

// The next step's B is read once a tile is done with this one's.
KERNEL(pipelined) {
  SETUP
  float c[4][4] = {};
  uint32_t a[4], b[4][2];
  for (int j = 0; j < 4; ++j)
    ldsm2(b[j], smem(&t.b[j * 8 + lane % 8][lane / 8 % 2 * 8]));
  for (int s = 0; s < steps; ++s) {
    ldsm4(a[0], a[1], a[2], a[3], smem(&t.a[warp * 16 + lane % 16][s * 16 + lane / 16 * 8]));
    const int next = s + 1 < steps ? s + 1 : 0;
    for (int j = 0; j < 4; ++j) {
      mma(c[j], a, b[j]);
      ldsm2(b[j], smem(&t.b[j * 8 + lane % 8][next * 16 + lane / 8 % 2 * 8]));
    }
  }
  const int row = warp * 16 + lane / 4;
  for (int j = 0; j < 4; ++j) {
    const int column = j * 8 + lane % 4 * 2;
    *(float2 *)&C[row * 64 + column] = make_float2(c[j][0], c[j][1]);
    *(float2 *)&C[(row + 8) * 64 + column] = make_float2(c[j][2], c[j][3]);
  }
}

// The next step's A.
KERNEL(pipelinedA) {
  SETUP
  float c[2][4][4] = {};
  uint32_t a[2][4], b[4][2];
  for (int i = 0; i < 2; ++i)
    ldsm4(a[i][0], a[i][1], a[i][2], a[i][3], smem(&t.a[i * 16 + lane % 16][lane / 16 * 8]));
  for (int s = 0; s < steps; ++s) {
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], smem(&t.b[warp * 32 + j * 8 + lane % 8][s * 16 + lane / 8 % 2 * 8]));
    const int next = s + 1 < steps ? s + 1 : 0;
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 4; ++j)
        mma(c[i][j], a[i], b[j]);
      ldsm4(a[i][0], a[i][1], a[i][2], a[i][3],
            smem(&t.a[i * 16 + lane % 16][next * 16 + lane / 16 * 8]));
    }
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) {
      const int row = i * 16 + lane / 4, column = warp * 32 + j * 8 + lane % 4 * 2;
      *(float2 *)&C[row * 64 + column] = make_float2(c[i][j][0], c[i][j][1]);
      *(float2 *)&C[(row + 8) * 64 + column] = make_float2(c[i][j][2], c[i][j][3]);
    }
}

KERNEL(sixTiles) {
  SETUP
  float c[6][4] = {};
  for (int s = 0; s < steps; ++s) {
    uint32_t a[4], b[6][2];
    ldsm4(a[0], a[1], a[2], a[3], smem(&t.a[warp * 16 + lane % 16][s * 16 + lane / 16 * 8]));
    for (int j = 0; j < 6; ++j)
      ldsm2(b[j], smem(&t.b[j * 8 + lane % 8][s * 16 + lane / 8 % 2 * 8]));
    for (int j = 0; j < 6; ++j)
      mma(c[j], a, b[j]);
  }
  const int row = warp * 16 + lane / 4;
  for (int j = 0; j < 6; ++j) {
    const int column = j * 8 + lane % 4 * 2;
    *(float2 *)&C[row * 64 + column] = make_float2(c[j][0], c[j][1]);
    *(float2 *)&C[(row + 8) * 64 + column] = make_float2(c[j][2], c[j][3]);
  }
}

KERNEL(threeRows) {
  SETUP
  float c[3][4][4] = {};
  for (int s = 0; s < steps; ++s) {
    uint32_t a[3][4], b[4][2];
    for (int i = 0; i < 3; ++i)
      ldsm4(a[i][0], a[i][1], a[i][2], a[i][3],
            smem(&t.a[i * 16 + lane % 16][s * 16 + lane / 16 * 8]));
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], smem(&t.b[warp * 32 + j * 8 + lane % 8][s * 16 + lane / 8 % 2 * 8]));
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 4; ++j)
        mma(c[i][j], a[i], b[j]);
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) {
      const int row = i * 16 + lane / 4, column = warp * 32 + j * 8 + lane % 4 * 2;
      *(float2 *)&C[row * 64 + column] = make_float2(c[i][j][0], c[i][j][1]);
      *(float2 *)&C[(row + 8) * 64 + column] = make_float2(c[i][j][2], c[i][j][3]);
    }
}
